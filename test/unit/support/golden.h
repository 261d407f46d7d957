// SPDX-License-Identifier: BSD-3-Clause

#ifndef GOLDEN_H
#define GOLDEN_H

// Reads the files of test/golden/zap, which say at their tops what they hold.

#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <leat_bytes.h>

namespace golden
{

using Words = std::vector<std::string>;

// The lines of one case, in words.
struct Case {
	std::string name;
	std::string variant; // second word behind "case"
	std::vector<Words> lines;

	// The first line that begins with a word.
	const Words &Line(const std::string &key) const
	{
		for (const Words &line : lines) {
			if (line[0] == key)
				return line;
		}
		throw std::runtime_error(name + " has no line " + key);
	}
};

inline std::vector<Case>
Load(const std::string &file)
{
	std::ifstream in(std::string(LEAT_GOLDEN_DIR) + "/" + file);
	std::vector<Case> cases;
	std::string line;

	while (std::getline(in, line)) {
		std::istringstream text(line);
		Words words;

		for (std::string word; text >> word;)
			words.push_back(word);
		if (words.empty() || words[0] == "#")
			continue;
		if (words[0] == "case")
			cases.push_back({ words.at(1), words.size() > 2 ? words[2] : "", {} });
		else
			cases.back().lines.push_back(words);
	}
	if (cases.empty())
		throw std::runtime_error(file + " has no cases");
	return cases;
}

// The case of that name.
inline Case
Find(const std::string &file, const std::string &name)
{
	for (const Case &c : Load(file)) {
		if (c.name == name)
			return c;
	}
	throw std::runtime_error(file + " has no case " + name);
}

inline std::string
Pattern(size_t len)
{
	std::string bytes(len, '\0');

	for (size_t i = 0; i < len; i++)
		bytes[i] = (char)('a' + i % 26);
	return bytes;
}

inline std::string
Bytes(const std::string &word)
{
	std::string bytes;

	if (word == "-")
		return bytes;
	if (word.rfind("pattern:", 0) == 0)
		return Pattern(std::stoul(word.substr(8)));
	for (size_t i = 0; i < word.size(); i += 2)
		bytes += (char)std::stoul(word.substr(i, 2), nullptr, 16);
	return bytes;
}

// All words of a line behind the first.
inline std::string
Bytes(const Words &line)
{
	std::string bytes;

	for (size_t i = 1; i < line.size(); i++)
		bytes += Bytes(line[i]);
	return bytes;
}

inline std::string
Text(const std::string &word)
{
	std::string text;

	if (word == "-")
		return text;
	for (size_t i = 0; i < word.size(); i++) {
		if (word[i] != '%') {
			text += word[i];
			continue;
		}
		text += (char)std::stoul(word.substr(i + 1, 2), nullptr, 16);
		i += 2;
	}
	return text;
}

inline uint32_t
Number(const std::string &word)
{
	return (uint32_t)std::stoul(word);
}

// An exact-size heap copy, so that AddressSanitizer sees a byte too far.
class Copy
{
      public:
	explicit Copy(const std::string &bytes)
	    : data_(new uint8_t[bytes.size()]), len_(bytes.size())
	{
		std::copy(bytes.begin(), bytes.end(), data_.get());
	}

	leat_slice Slice() const
	{
		return { data_.get(), len_ };
	}

      private:
	std::unique_ptr<uint8_t[]> data_;
	size_t len_;
};

inline leat_slice
Slice(const std::string &text)
{
	return { (const uint8_t *)text.data(), text.size() };
}

inline std::string
String(leat_slice slice)
{
	return std::string((const char *)slice.data, slice.len);
}

// What some function writes, into room that is large enough.
template <typename F>
std::string
Written(F write)
{
	static std::vector<uint8_t> room((64u << 20) + 200000);
	leat_writer w;

	leat_writer_init(&w, room.data(), room.size());
	write(&w);
	return w.failed ? "failed" : std::string(room.data(), w.pos);
}

} // namespace golden

#endif // GOLDEN_H
