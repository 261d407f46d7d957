// SPDX-License-Identifier: BSD-3-Clause

#ifndef SIM_FEATURE_H
#define SIM_FEATURE_H

// What worlds can have, so that a run can say how many had each, and fail when none had:
// a simulation that never comes to a thing says nothing about it. All of it is seen to
// happen; that it was drawn would not be enough.

#include <bitset>
#include <cstddef>

namespace sim
{

enum class Feature {
	// The link.
	kLoss,
	kDamage,
	kOutage,
	kDrought,
	kSynStripped,
	kIpv6,
	kSeqWrap,
	// The path.
	kTooBigIpv4,
	kTooBigIpv6,
	kTooBigNoMtu,
	kBlackHole,
	// Recovery and timers.
	kRtxCubic,
	kRtxNewReno,
	kTimerRtx,
	kTimerTlp,
	kTimerReo,
	kTimerPersist,
	kRtxLoan,
	// States that need both sides' help.
	kSimultaneousClose,
	kHalfClose,
	// Keep-alives.
	kIdle,
	kKeepProbe,
	kKeepEnd,
	kVanishedEnd,
	kCameBack,
	// Ports.
	kTso,
	kTsoTrial,
	kTsoSegmentLost,
	kCut,
	// Attacks.
	kFloodCookie,
	kFloodAccepted,
	kForgedRst,
	kForgedSyn,
	kForgedAck,
	kForgedError,
	kReset,
	kAbort,
	// TIME-WAIT.
	kTimeWait,
	kTimeWaitReopened,
	kTimeWaitRst,
	kCount,
};

constexpr size_t kNbFeatures = (size_t)Feature::kCount;

// Those of one world.
class Features
{
      public:
	void Saw(Feature feature)
	{
		bits_.set((size_t)feature);
	}
	void SawIf(bool has, Feature feature)
	{
		if (has)
			Saw(feature);
	}
	bool Has(Feature feature) const
	{
		return bits_.test((size_t)feature);
	}

      private:
	std::bitset<kNbFeatures> bits_;
};

// For a person.
const char *NameOf(Feature feature);

} // namespace sim

#endif // SIM_FEATURE_H
