// SPDX-License-Identifier: BSD-3-Clause

// The flow table, whose own keys are pointers.

#include <memory>

#include "inet_lab.h"
#include "inet_priv.h"

namespace
{

using namespace inet_lab;

class InetFlow : public InetLab
{
      protected:
	void SetUp() override
	{
		InetLab::SetUp();
		Open();
	}

	// A key whose signature has no bit set in what a bucket keeps of it: so has a free slot.
	inet_flow_key SignatureOfAFreeSlot()
	{
		inet_flow_key key = {};

		key.laddr = V4(kOurAddr);
		key.raddr = V4(kFarAddr);
		for (uint32_t ports = 1; ports != 0; ports++) {
			key.lport = static_cast<uint16_t>(ports);
			key.rport = static_cast<uint16_t>(ports >> 16);
			if (inet_flow_sig(inet_, &key) >> 16 == 0)
				break;
		}
		return key;
	}
};

TEST_F(InetFlow, AKeyWithTheSignatureOfAFreeSlotIsAddedFoundAndRemoved)
{
	inet_flow_key key = SignatureOfAFreeSlot();
	inet_flow_key same = key;
	int data;

	EXPECT_EQ(nullptr, inet_flow_find(inet_, &same));
	ASSERT_EQ(0, inet_flow_add(inet_, &key, &data));
	EXPECT_EQ(&data, inet_flow_find(inet_, &same));
	inet_flow_remove(inet_, &same);
	EXPECT_EQ(nullptr, inet_flow_find(inet_, &same));
}

// The lookup of a burst hands both keys over in the other order than that of one key.
TEST_F(InetFlow, ABurstWithTheSignatureOfAFreeSlotFindsNothing)
{
	auto burst = std::make_unique<inet_burst>();

	burst->nb = 1;
	burst->frames[0].key = SignatureOfAFreeSlot();
	inet_flow_find_burst(inet_, burst.get());
	EXPECT_EQ(0u, burst->hits);
}

} // namespace
