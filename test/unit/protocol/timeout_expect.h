// SPDX-License-Identifier: BSD-3-Clause

#ifndef TIMEOUT_EXPECT_H
#define TIMEOUT_EXPECT_H

// What becomes of a frame that does not come in time: the end, and not a byte is said.

#include <gtest/gtest.h>

#include <leat_protocol.h>

inline void
ExpectTimeoutWithoutAWord(const leat_protocol *protocol)
{
	const leat_protocol_state state = {};
	leat_request refusal = {};
	leat_reply reply = {};
	leat_writer w;
	uint8_t room[1];

	EXPECT_EQ(LEAT_PROTOCOL_WAITS_BODY, protocol->waits_for(&state, &refusal));
	EXPECT_TRUE(refusal.close);
	EXPECT_NE(0, refusal.refusal);
	leat_writer_init(&w, room, sizeof(room));
	reply.ops = protocol->reply;
	reply.writer = &w;
	protocol->refuse(&refusal, &reply);
	EXPECT_FALSE(w.failed);
	EXPECT_EQ(room, w.pos);
}

#endif // TIMEOUT_EXPECT_H
