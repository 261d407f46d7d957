// SPDX-License-Identifier: BSD-3-Clause

#include "sim_loan.h"

#include <cstring>
#include <vector>

namespace sim
{

namespace
{

struct Loan {
	rte_mbuf_ext_shared_info shared = {};
	std::vector<uint8_t> bytes;
};

uint64_t nb_loans;

void
Release(void *, void *arg)
{
	Loan *loan = static_cast<Loan *>(arg);

	memset(loan->bytes.data(), 0xdb, loan->bytes.size());
	delete loan;
	nb_loans--;
}

} // namespace

void
AttachLoan(rte_mbuf *mbuf, uint16_t len, void (*fill)(uint8_t *bytes, uint16_t len, void *arg),
	void *arg)
{
	Loan *loan = new Loan;

	nb_loans++;
	loan->bytes.resize(len);
	fill(loan->bytes.data(), len, arg);
	loan->shared.free_cb = Release;
	loan->shared.fcb_opaque = loan;
	rte_mbuf_ext_refcnt_set(&loan->shared, 1);
	rte_pktmbuf_attach_extbuf(mbuf, loan->bytes.data(), RTE_BAD_IOVA, len, &loan->shared);
	mbuf->data_len = len;
	mbuf->pkt_len = len;
}

uint64_t
NbLoans()
{
	return nb_loans;
}

} // namespace sim
