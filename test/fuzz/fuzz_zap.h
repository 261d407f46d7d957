/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef FUZZ_ZAP_H
#define FUZZ_ZAP_H

/*
 * The parts of fuzz_zap: messages, those of a schema, HTTP over ZAP, calls over ZAP.
 */

#include <leat_zap.h>
#include <leat_zap_builder.h>
#include <leat_zaphttp.h>

#include "fuzz_support.h"

#define FUZZ_ROOM_LEN 16384 /* for what is built or written */

/* Room for what is written, and its writer. */
struct fuzz_output {
	struct leat_writer writer;
	uint8_t room[FUZZ_ROOM_LEN];
};

static inline void
fuzz_output_begin(struct fuzz_output *out)
{
	leat_writer_init(&out->writer, out->room, sizeof(out->room));
}

static inline struct leat_slice
fuzz_output_slice(const struct fuzz_output *out)
{
	return (struct leat_slice){ out->room, (size_t)(out->writer.pos - out->room) };
}

/* What is read is in the message, and every byte of it can be read. */
static inline uint8_t
fuzz_slice_verify(struct leat_slice s, struct leat_slice in)
{
	uint8_t sum = 0;

	if (s.data == NULL) {
		LEAT_VERIFY(s.len == 0);
		return 0;
	}
	LEAT_VERIFY(s.data >= in.data);
	LEAT_VERIFY(s.len <= in.len - (size_t)(s.data - in.data));
	for (size_t i = 0; i < s.len; i++)
		sum ^= s.data[i];
	return sum;
}

/* The first bytes in memory of exactly their size. The caller frees it. */
static inline struct leat_slice
fuzz_copy(struct leat_slice in, size_t len)
{
	uint8_t *copy = malloc(len > 0 ? len : 1);

	LEAT_VERIFY(copy != NULL);
	if (len > 0)
		memcpy(copy, in.data, len);
	return (struct leat_slice){ copy, len };
}

static inline void
fuzz_copy_free(struct leat_slice copy)
{
	free((void *)(uintptr_t)copy.data);
}

/* Read an object by each schema, write it in both ways, and read it again. */
void fuzz_zap_schemas(struct leat_zap_object root, struct leat_slice in);

void fuzz_zaphttp_request(const struct leat_zaphttp_limits *limits, struct leat_slice in);
void fuzz_zaphttp_reply(const struct leat_zaphttp_limits *limits, struct leat_slice in);
void fuzz_zaprpc(uint32_t frame_max, struct leat_slice in);
void fuzz_zaprpc_calls(struct leat_slice in);

#endif /* FUZZ_ZAP_H */
