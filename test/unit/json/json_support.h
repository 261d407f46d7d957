// SPDX-License-Identifier: BSD-3-Clause

#ifndef JSON_SUPPORT_H
#define JSON_SUPPORT_H

#include <memory>
#include <string>

#include <leat_json.h>

namespace json_test
{

// A text that is parsed from memory of exactly its size, with room of exactly its size.
class Text
{
      public:
	explicit Text(const std::string &text)
	    : copy_(new uint8_t[text.size()]), room_(new uint8_t[text.size()])
	{
		std::copy(text.begin(), text.end(), copy_.get());
		ret = leat_json_parse({ copy_.get(), text.size() }, room_.get(), &json);
	}

	const leat_json_token *Find(const std::string &name) const
	{
		return leat_json_find(
			&json, json.tokens, { (const uint8_t *)name.data(), name.size() });
	}

	// Where the text itself lies.
	const uint8_t *At(size_t off) const
	{
		return copy_.get() + off;
	}

	int ret;
	leat_json json;

      private:
	std::unique_ptr<uint8_t[]> copy_;
	std::unique_ptr<uint8_t[]> room_;
};

inline std::string
String(leat_slice s)
{
	return std::string((const char *)s.data, s.len);
}

inline std::string
Repeat(const std::string &text, size_t nb)
{
	std::string all;

	for (size_t i = 0; i < nb; i++)
		all += text;
	return all;
}

} // namespace json_test

#endif // JSON_SUPPORT_H
