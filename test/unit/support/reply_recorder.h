// SPDX-License-Identifier: BSD-3-Clause

// A codec for tests: a reply as text, such as  array 2 "message" 1  with one
// space between its values.

#ifndef REPLY_RECORDER_H
#define REPLY_RECORDER_H

#include <sstream>
#include <string>

#include <leat_reply.h>

class ReplyRecorder
{
      public:
	ReplyRecorder()
	{
		base.reply.ops = &kOps;
		base.reply.writer = &writer;
		base.recorder = this;
	}

	ReplyRecorder(const ReplyRecorder &) = delete;
	ReplyRecorder &operator=(const ReplyRecorder &) = delete;

	leat_reply *reply()
	{
		return &base.reply;
	}

	// What was written since the last call.
	std::string Take()
	{
		std::string taken = text;

		text.clear();
		return taken;
	}

      private:
	struct Base {
		leat_reply reply = {};
		ReplyRecorder *recorder = nullptr;
	};

	static void Add(leat_reply *reply, const std::string &value)
	{
		std::string &text = LEAT_CONTAINER_OF(reply, Base, reply)->recorder->text;

		text += text.empty() ? value : " " + value;
	}

	static std::string Quote(leat_slice s)
	{
		return "\"" + std::string((const char *)s.data, s.len) + "\"";
	}

	static void Null(leat_reply *reply)
	{
		Add(reply, "null");
	}

	static void Status(leat_reply *reply, leat_slice s)
	{
		Add(reply, "+" + std::string((const char *)s.data, s.len));
	}

	static void Integer(leat_reply *reply, int64_t value)
	{
		Add(reply, std::to_string(value));
	}

	static void Score(leat_reply *reply, double value)
	{
		std::ostringstream out;

		out << "score " << value;
		Add(reply, out.str());
	}

	static void Bytes(leat_reply *reply, leat_slice s)
	{
		Add(reply, Quote(s));
	}

	static void Array(leat_reply *reply, uint32_t nb)
	{
		Add(reply, "array " + std::to_string(nb));
	}

	static void Map(leat_reply *reply, uint32_t nb)
	{
		Add(reply, "map " + std::to_string(nb));
	}

	static void Set(leat_reply *reply, uint32_t nb)
	{
		Add(reply, "set " + std::to_string(nb));
	}

	static void Push(leat_reply *reply, uint32_t nb)
	{
		Add(reply, "push " + std::to_string(nb));
	}

	static void Error(leat_reply *reply, leat_slice s)
	{
		Add(reply, "-" + std::string((const char *)s.data, s.len));
	}

	// answer 200 text/plain "ok", with  "name: value"  for each field before the body.
	static void Answer(leat_reply *reply, const leat_web_answer *answer)
	{
		std::string body;

		Add(reply, "answer " + std::to_string(answer->status));
		if (answer->content_type.len > 0)
			Add(reply, std::string((const char *)answer->content_type.data,
					   answer->content_type.len));
		for (uint32_t i = 0; i < answer->nb_fields; i++) {
			leat_slice name = answer->fields[i].name;
			leat_slice value = answer->fields[i].value;

			Add(reply, "[" + std::string((const char *)name.data, name.len) + ": " +
					   std::string((const char *)value.data, value.len) + "]");
		}
		for (uint32_t i = 0; i < answer->nb_slices; i++)
			body.append((const char *)answer->body[i].data, answer->body[i].len);
		if (answer->nb_slices > 0)
			Add(reply, "\"" + body + "\"");
	}

	static constexpr leat_reply_ops kOps = { Null, Status, Integer, Score, Bytes, Bytes, Array,
		Map, Set, Push, Error, Answer };

	Base base;
	leat_writer writer = {};
	std::string text;
};

#endif // REPLY_RECORDER_H
