// SPDX-License-Identifier: BSD-3-Clause

#ifndef ZAPHTTP_SUPPORT_H
#define ZAPHTTP_SUPPORT_H

// Header fields as pairs of strings, to and from the codec.

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <leat_zaphttp.h>

#include "golden.h"

using Pair = std::pair<std::string, std::string>;
using Pairs = std::vector<Pair>;

inline leat_zaphttp_generation
Generation(const std::string &name)
{
	return name == "json" ? LEAT_ZAPHTTP_JSON : LEAT_ZAPHTTP_BINARY;
}

inline leat_zaphttp_limits
LimitsOf(const std::string &name)
{
	return { LEAT_ZAPHTTP_FRAME_MAX, Generation(name) };
}

// Pairs as the codec wants them.
class Fields
{
      public:
	explicit Fields(Pairs pairs) : pairs_(std::move(pairs))
	{
		for (const Pair &pair : pairs_)
			fields_.push_back({ golden::Slice(pair.first), golden::Slice(pair.second),
				false, false });
	}

	Fields(const Fields &) = delete;
	Fields &operator=(const Fields &) = delete;

	leat_zaphttp_fields Get() const
	{
		return { fields_.data(), fields_.size() };
	}

      private:
	Pairs pairs_;
	std::vector<leat_zaphttp_field> fields_;
};

inline std::string
PlainText(leat_slice text, bool is_escaped)
{
	return golden::Written([&](leat_writer *w) { leat_zaphttp_put_text(w, text, is_escaped); });
}

// All fields of a block, which is good.
inline Pairs
Walk(leat_zaphttp_block block, int *last = nullptr)
{
	leat_zaphttp_walk walk = leat_zaphttp_walk_begin(block);
	leat_zaphttp_field field;
	Pairs pairs;
	int ret;

	while ((ret = leat_zaphttp_walk_next(&walk, &field)) > 0)
		pairs.emplace_back(PlainText(field.name, field.is_name_escaped),
			PlainText(field.value, field.is_value_escaped));
	if (last != nullptr)
		*last = ret;
	else
		EXPECT_EQ(0, ret);
	return pairs;
}

#endif // ZAPHTTP_SUPPORT_H
