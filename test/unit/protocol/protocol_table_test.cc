// SPDX-License-Identifier: BSD-3-Clause

#include <set>
#include <string>

#include <gtest/gtest.h>

#include <leat_protocol.h>

namespace
{

TEST(ProtocolTable, EveryProtocolIsWholeAndFoundByItsName)
{
	std::set<std::string> names;

	for (const leat_protocol *const *p = leat_protocol_all(); *p != nullptr; p++) {
		EXPECT_TRUE(names.insert((*p)->name).second) << (*p)->name;
		EXPECT_EQ(*p, leat_protocol_find((*p)->name));
		EXPECT_NE(nullptr, (*p)->decode) << (*p)->name;
		EXPECT_NE(nullptr, (*p)->rewind) << (*p)->name;
		EXPECT_NE(nullptr, (*p)->interim) << (*p)->name;
		EXPECT_NE(nullptr, (*p)->waits_for) << (*p)->name;
		EXPECT_NE(nullptr, (*p)->refuse) << (*p)->name;
		EXPECT_NE(nullptr, (*p)->reply) << (*p)->name;
	}
	EXPECT_EQ(1u, names.count("http"));
	EXPECT_EQ(1u, names.count("resp"));
}

TEST(ProtocolTable, FindsNoOther)
{
	EXPECT_EQ(nullptr, leat_protocol_find("HTTP"));
	EXPECT_EQ(nullptr, leat_protocol_find("htt"));
	EXPECT_EQ(nullptr, leat_protocol_find(""));
}

TEST(ProtocolTable, NothingIsDueBeforeARequest)
{
	for (const leat_protocol *const *p = leat_protocol_all(); *p != nullptr; p++) {
		leat_protocol_state state = {};

		EXPECT_EQ(0u, (*p)->interim(&state).len) << (*p)->name;
	}
}

} // namespace
