/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FUZZ_SBE_AGAIN_H
#define FUZZ_SBE_AGAIN_H

/*
 * A message of SBE that is read field by field and written again, each template by the code
 * that is made for it.
 */

#include <leat_sbe_messages.h>

/* What is added to a message, so that it is over a limit. */
struct fuzz_sbe_over {
	size_t entry_len;    /* to the first data of each entry */
	uint32_t nb_entries; /* to the group; they are not there */
};

/* As the encoder of the message's template: 0, or -EMSGSIZE. */
int fuzz_sbe_again(struct leat_writer *w, const struct leat_sbe_message *msg,
	const struct fuzz_sbe_over *over);

#endif /* FUZZ_SBE_AGAIN_H */
