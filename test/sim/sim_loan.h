// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_LOAN_H
#define SIM_LOAN_H

// Text that an application lends to its stack instead of copying it into mbufs.

#include <cstdint>

#include <rte_mbuf.h>

namespace sim
{

/**
 * Refer to so many bytes of the stream, made by @p fill, with an mbuf that holds none of them.
 * When nobody refers to them any more they are scribbled over and freed, so that whoever still
 * sends them sends something else.
 */
void AttachLoan(rte_mbuf *mbuf, uint16_t len, void (*fill)(uint8_t *bytes, uint16_t len, void *arg),
	void *arg);

/** Loans that were not given back yet, of all worlds. */
uint64_t NbLoans();

} // namespace sim

#endif // SIM_LOAN_H
