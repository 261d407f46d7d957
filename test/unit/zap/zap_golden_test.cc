// SPDX-License-Identifier: BSD-3-Clause

// The core's golden messages, built and read.

#include <cerrno>
#include <map>

#include <gtest/gtest.h>

#include <leat_zap.h>
#include <leat_zap_balance.h>
#include <leat_zap_builder.h>

#include "golden.h"

using golden::Bytes;
using golden::Case;
using golden::Copy;
using golden::Number;
using golden::Slice;
using golden::String;
using golden::Words;

namespace
{

// A message under construction, as the lines "do" of a case say.
class Build
{
      public:
	explicit Build(size_t cap = 80000) : room_(new uint8_t[cap])
	{
		leat_zap_build(&b_, room_.get(), cap);
	}

	void Do(const Words &line)
	{
		const std::string &verb = line.at(1);

		if (inner_ != nullptr && verb != "leave")
			inner_->Do(line);
		else if (verb == "version")
			leat_zap_set_version(&b_, (uint16_t)Number(line.at(2)));
		else if (verb == "object")
			objects_[line.at(2)] = leat_zap_start_object(&b_, Number(line.at(3)));
		else if (verb == "set")
			Set(objects_.at(line.at(2)), line.at(3), Number(line.at(4)), line.at(5));
		else if (verb == "link")
			Link(line);
		else if (verb == "finish")
			leat_zap_finish_object(&b_, objects_.at(line.at(2)));
		else if (verb == "root")
			leat_zap_finish_root(&b_, objects_.at(line.at(2)));
		else if (verb == "list")
			lists_[line.at(2)] = leat_zap_start_list(&b_);
		else if (verb == "add")
			Add(&lists_.at(line.at(2)), line.at(3), line.at(4));
		else if (verb == "enter")
			inner_ = std::make_unique<Build>();
		else if (verb == "leave")
			Leave(&lists_.at(line.at(2)));
		else if (verb == "raw")
			EXPECT_EQ(0u, leat_zap_put_raw(&b_, Keep(Bytes(line.at(2)))) % 8);
		else
			FAIL() << "no verb " << verb;
	}

	ssize_t Finish(std::string *bytes)
	{
		ssize_t ret = leat_zap_finish(&b_);

		if (ret > 0)
			*bytes = std::string((const char *)room_.get(), (size_t)ret);
		return ret;
	}

      private:
	// Text and bytes must stay until their object is finished.
	leat_slice Keep(const std::string &bytes)
	{
		kept_.push_back(std::make_unique<std::string>(bytes));
		return Slice(*kept_.back());
	}

	void Set(leat_zap_place object, const std::string &type, uint32_t field,
		const std::string &value)
	{
		if (type == "u32")
			leat_zap_set_u32(&b_, object, field, Number(value));
		else if (type == "fixed")
			leat_zap_set_fixed(&b_, object, field, Keep(Bytes(value)));
		else
			leat_zap_set_bytes(&b_, object, field, Keep(Bytes(value)));
	}

	void Link(const Words &line)
	{
		leat_zap_place object = objects_.at(line.at(2));

		if (line.at(4) == "object")
			leat_zap_set_object(
				&b_, object, Number(line.at(3)), objects_.at(line.at(5)));
		else
			leat_zap_set_list(&b_, object, Number(line.at(3)), lists_.at(line.at(5)));
	}

	void Add(leat_zap_items *items, const std::string &type, const std::string &value)
	{
		if (type == "u32")
			leat_zap_add_u32(&b_, items, Number(value));
		else if (type == "u64")
			leat_zap_add_u64(&b_, items, std::stoull(value));
		else if (type == "raw")
			leat_zap_add_raw(&b_, items, Keep(Bytes(value)));
		else
			leat_zap_add_entry(&b_, items, Keep(Bytes(value)));
	}

	void Leave(leat_zap_items *items)
	{
		std::string message;

		EXPECT_GT(inner_->Finish(&message), 0);
		inner_.reset();
		leat_zap_add_entry(&b_, items, Slice(message));
	}

	std::unique_ptr<uint8_t[]> room_;
	leat_zap_builder b_;
	std::map<std::string, leat_zap_place> objects_;
	std::map<std::string, leat_zap_items> lists_;
	std::vector<std::unique_ptr<std::string>> kept_;
	std::unique_ptr<Build> inner_;
};

// A slice as the files have it.
std::string
Shown(leat_slice slice)
{
	return slice.data == nullptr ? "null" : String(slice);
}

std::string
Wanted(const std::string &word)
{
	return word == "null" ? word : Bytes(word);
}

void ExpectField(leat_zap_object object, const Words &words, size_t at);

void
ExpectElements(leat_zap_list list, const Words &words, size_t at)
{
	const std::string &what = words.at(at);
	leat_zap_entries entries = leat_zap_entries_begin(list);
	leat_slice entry = {};

	if (what == "count") {
		EXPECT_EQ(Number(words.at(at + 1)), list.count);
	} else if (what == "raw") {
		EXPECT_EQ(Wanted(words.at(at + 1)), Shown(leat_zap_list_raw(list)));
	} else if (what == "u32at") {
		EXPECT_EQ(Number(words.at(at + 2)),
			leat_zap_list_u32(list, Number(words.at(at + 1))));
	} else if (what == "u32" || what == "u64") {
		for (uint32_t i = 0; i < list.count; i++) {
			uint64_t want = std::stoull(words.at(at + 1 + i));

			EXPECT_EQ(want, what == "u32" ? leat_zap_list_u32(list, i)
						      : leat_zap_list_u64(list, i));
		}
	} else if (what == "entries") {
		for (size_t i = at + 1; words.at(at + 1) != "none" && i < words.size(); i++) {
			ASSERT_TRUE(leat_zap_entries_next(&entries, &entry));
			EXPECT_EQ(Bytes(words[i]), String(entry));
		}
		EXPECT_FALSE(leat_zap_entries_next(&entries, &entry));
	} else {
		ASSERT_EQ("entry", what);
		for (uint32_t i = 0; i <= Number(words.at(at + 1)); i++)
			ASSERT_TRUE(leat_zap_entries_next(&entries, &entry));
		ExpectField(leat_zap_root_of(entry), words, at + 2);
	}
}

// "u32 OFFSET VALUE" and so on, from word @p at on.
void
ExpectField(leat_zap_object object, const Words &words, size_t at)
{
	const std::string &type = words.at(at);
	uint32_t field = Number(words.at(at + 1));

	if (type == "u32") {
		EXPECT_EQ(Number(words.at(at + 2)), leat_zap_get_u32(object, field));
	} else if (type == "bytes") {
		EXPECT_EQ(Wanted(words.at(at + 2)), Shown(leat_zap_get_bytes(object, field)));
	} else if (type == "fixed") {
		EXPECT_EQ(Bytes(words.at(at + 2)), String(leat_zap_get_fixed(object, field, 32)));
	} else if (type == "list") {
		ExpectElements(leat_zap_get_list(object, field), words, at + 2);
	} else {
		leat_zap_object child = leat_zap_get_object(object, field);

		ASSERT_EQ("object", type);
		if (words.at(at + 2) == "null")
			EXPECT_TRUE(leat_zap_is_null(child));
		else
			ExpectField(child, words, at + 2);
	}
}

void
ExpectRead(const leat_zap_message &msg, const Words &line)
{
	leat_zap_object root = leat_zap_root(&msg);

	if (line.at(1) == "version") {
		EXPECT_EQ(Number(line.at(2)), msg.version);
	} else if (line.at(1) != "root") {
		ExpectField(root, line, 1);
	} else if (line.at(2) == "null" || line.at(2) == "here") {
		EXPECT_EQ(line.at(2) == "null", leat_zap_is_null(root));
	} else {
		EXPECT_EQ(Number(line.at(2)), root.off);
	}
}

void
ExpectReads(const Case &c)
{
	Copy in(Bytes(c.Line("bytes")));
	leat_zap_message msg;

	ASSERT_EQ(0, leat_zap_parse(in.Slice(), &msg));
	for (const Words &line : c.lines) {
		if (line[0] == "read")
			ExpectRead(msg, line);
	}
}

} // namespace

// A case that is lost is a test that is lost.
TEST(ZapGolden, TheFilesHaveAllTheirCases)
{
	const std::map<std::string, size_t> files = { { "core.txt", 16 }, { "malformed.txt", 32 },
		{ "record.txt", 3 }, { "http.txt", 68 }, { "server.txt", 68 }, { "rpc.txt", 23 } };

	for (const auto &[file, nb_cases] : files)
		EXPECT_LE(nb_cases, golden::Load(file).size()) << file;
}

TEST(ZapGolden, TheBuilderWritesTheSameBytes)
{
	for (const Case &c : golden::Load("core.txt")) {
		SCOPED_TRACE(c.name);
		Build build;
		std::string bytes;

		for (const Words &line : c.lines) {
			if (line[0] == "do")
				build.Do(line);
		}
		EXPECT_GT(build.Finish(&bytes), 0);
		EXPECT_EQ(Bytes(c.Line("bytes")), bytes);
	}
}

TEST(ZapGolden, TheReaderFindsWhatWasBuilt)
{
	for (const Case &c : golden::Load("core.txt")) {
		SCOPED_TRACE(c.name);
		ExpectReads(c);
	}
}

TEST(ZapGolden, OddMessagesAreRefusedOrReadAsNothing)
{
	const std::map<std::string, int> errors = { { "short", -ENODATA }, { "magic", -EBADMSG },
		{ "version", -EPROTONOSUPPORT } };

	for (const Case &c : golden::Load("malformed.txt")) {
		SCOPED_TRACE(c.name);
		if (c.lines[1][0] == "read") {
			ExpectReads(c);
			continue;
		}
		Copy in(Bytes(c.Line("bytes")));
		leat_zap_message msg;

		EXPECT_EQ(errors.at(c.Line("refused").at(1)), leat_zap_parse(in.Slice(), &msg));
	}
}

TEST(ZapGolden, EveryProperPrefixIsRefused)
{
	for (const Case &c : golden::Load("core.txt")) {
		const std::string bytes = Bytes(c.Line("bytes"));
		leat_zap_message msg;

		for (size_t len = 0; len<bytes.size(); len += bytes.size()> 1000 ? 997 : 1) {
			Copy in(bytes.substr(0, len));

			EXPECT_EQ(-ENODATA, leat_zap_parse(in.Slice(), &msg)) << c.name << len;
		}
	}
}

TEST(ZapGolden, TheRecordIsReadAndWritten)
{
	for (const Case &c : golden::Load("record.txt")) {
		SCOPED_TRACE(c.name);
		const Words &fields = c.lines[0];
		const std::string bytes = Bytes(c.Line("bytes"));
		Copy in(bytes);
		leat_zap_object root = leat_zap_root_of(in.Slice());
		std::string again;

		ASSERT_FALSE(leat_zap_is_null(root));
		if (fields[0] == "request") {
			leat_zap_balance_request req;

			leat_zap_balance_request_read(root, &req);
			EXPECT_EQ(std::stoull(fields[1]), req.id);
			EXPECT_EQ(std::stoull(fields[2]), req.block);
			EXPECT_EQ(golden::Text(fields[3]), String(req.method));
			EXPECT_EQ(Bytes(fields[4]), String(req.account));
			again = golden::Written([&](leat_writer *w) {
				EXPECT_EQ(0, leat_zap_balance_request_emit(w, &req));
			});
		} else {
			leat_zap_balance_response res;

			leat_zap_balance_response_read(root, &res);
			EXPECT_EQ(std::stoull(fields[1]), res.id);
			EXPECT_EQ(std::stoull(fields[2]), res.balance);
			EXPECT_EQ(std::stoull(fields[3]), res.nonce);
			EXPECT_EQ(Bytes(fields[4]), String(res.block_hash));
			again = golden::Written([&](leat_writer *w) {
				EXPECT_EQ(0, leat_zap_balance_response_emit(w, &res));
			});
		}
		EXPECT_EQ(bytes, again);
	}
}
