// SPDX-License-Identifier: BSD-3-Clause

// How long a reply will be: telemetry drops what is too long without a word.

#include <string>

#include <gtest/gtest.h>

#include "control_priv.h"

namespace
{

class ControlDict : public testing::Test
{
      protected:
	void SetUp() override
	{
		ASSERT_EQ(0, control_dict_open(&dict_, nullptr));
	}

	void TearDown() override
	{
		control_dict_free(&dict_);
		rte_tel_data_free(child_); // telemetry does so when it has sent it
	}

	control_dict dict_ = {};
	rte_tel_data *child_ = nullptr; // one that was added
};

TEST_F(ControlDict, CountsTheBytesOfItsText)
{
	EXPECT_EQ(strlen("{}"), dict_.len);
	EXPECT_TRUE(control_dict_u64(&dict_, "cwnd", 14480));
	EXPECT_EQ(strlen("{\"cwnd\":14480,}"), dict_.len);
	EXPECT_TRUE(control_dict_text(&dict_, "state", "LISTEN"));
	EXPECT_EQ(strlen("{\"cwnd\":14480,\"state\":\"LISTEN\",}"), dict_.len);
}

// A port's name may have a hyphen; telemetry refuses it.
TEST_F(ControlDict, TakesNamesThatTelemetryRefuses)
{
	EXPECT_TRUE(control_dict_u64(&dict_, "worker0/lan-1/inet", 0));
	EXPECT_EQ(1u, dict_.nb_entries);
}

TEST_F(ControlDict, CountsAChildAsItIs)
{
	control_dict child;

	ASSERT_EQ(0, control_dict_open(&child, nullptr));
	child_ = child.data;
	EXPECT_TRUE(control_dict_u64(&child, "a", 1));
	EXPECT_TRUE(control_dict_add(&dict_, "child", &child));
	EXPECT_EQ(strlen("{\"child\":{\"a\":1,},}"), dict_.len);
}

TEST_F(ControlDict, TakesNoMoreThanFitsIntoAReply)
{
	control_dict child;

	ASSERT_EQ(0, control_dict_open(&child, nullptr));
	child_ = child.data;
	child.len = CONTROL_REPLY_LEN_MAX - strlen("{\"child\":,}");
	EXPECT_TRUE(control_dict_add(&dict_, "child", &child));
	EXPECT_EQ(CONTROL_REPLY_LEN_MAX, dict_.len);
	EXPECT_FALSE(control_dict_u64(&dict_, "a", 1));
	EXPECT_EQ(1u, dict_.nb_entries);
}

TEST_F(ControlDict, RefusesAChildThatIsOneByteTooLong)
{
	control_dict child;

	ASSERT_EQ(0, control_dict_open(&child, nullptr));
	child.len = CONTROL_REPLY_LEN_MAX - strlen("{\"child\":,}") + 1;
	EXPECT_FALSE(control_dict_add(&dict_, "child", &child));
	EXPECT_EQ(nullptr, child.data) << "it is taken all the same";
	EXPECT_EQ(strlen("{}"), dict_.len);
}

TEST_F(ControlDict, TakesNoMoreEntriesThanTelemetryDoes)
{
	for (int i = 0; i < RTE_TEL_MAX_DICT_ENTRIES; i++)
		EXPECT_TRUE(control_dict_u64(&dict_, ("n" + std::to_string(i)).c_str(), 1));
	EXPECT_FALSE(control_dict_u64(&dict_, "one_more", 1));
}

} // namespace
