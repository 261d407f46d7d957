// SPDX-License-Identifier: BSD-3-Clause

#ifndef HTTP_FIXTURE_H
#define HTTP_FIXTURE_H

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <leat_http.h>

// What came of one request, copied out of the bytes.
struct Parsed {
	ssize_t ret = 0;
	leat_http_method method = LEAT_HTTP_GET;
	int minor = 0;
	bool is_keep_alive = false;
	int status = 0;
	std::string target;
	std::string path;
	std::string query;
	std::string body;
	std::string method_name;
	std::string host;
	std::string fields;   // "name=value;" of each
	std::string trailers; // as fields
	std::vector<std::string> pieces;
	leat_http_form form = LEAT_HTTP_FORM_ORIGIN;
	bool has_continue = false; // it was due once on the way

	bool operator==(const Parsed &other) const
	{
		return ret == other.ret && method == other.method && minor == other.minor &&
		       is_keep_alive == other.is_keep_alive && status == other.status &&
		       target == other.target && path == other.path && query == other.query &&
		       pieces == other.pieces && method_name == other.method_name &&
		       host == other.host && fields == other.fields && trailers == other.trailers &&
		       form == other.form;
	}
};

inline std::ostream &
operator<<(std::ostream &os, const Parsed &p)
{
	return os << "ret " << p.ret << " status " << p.status << " method " << p.method
		  << " minor " << p.minor << " keep-alive " << p.is_keep_alive << " target '"
		  << p.target << "' path '" << p.path << "' query '" << p.query << "' body of "
		  << p.body.size() << " host '" << p.host << "' fields '" << p.fields << "'";
}

constexpr size_t kRequestMax = 1u << 20;

inline std::string
String(leat_slice s)
{
	return s.len == 0 ? "" : std::string((const char *)s.data, s.len);
}

inline std::string
Fields(leat_http_fields fields)
{
	leat_http_field field;
	std::string all;

	while (leat_http_fields_next(&fields, &field))
		all += String(field.name) + "=" + String(field.value) + ";";
	return all;
}

inline std::vector<std::string>
Pieces(const leat_http_body &body)
{
	std::vector<std::string> pieces;
	size_t len = 0;

	for (uint32_t i = 0; i < body.nb_pieces; i++) {
		pieces.push_back(String(body.pieces[i]));
		len += body.pieces[i].len;
	}
	EXPECT_EQ(body.len, len);
	return pieces;
}

inline std::string
Join(const std::vector<std::string> &pieces)
{
	std::string all;

	for (const std::string &piece : pieces)
		all += piece;
	return all;
}

// One call on a copy of exactly the bytes, so that each call sees them elsewhere and a
// sanitizer sees each byte too far.
inline Parsed
ParseMore(leat_http_parser *parser, const std::string &in, size_t request_max = kRequestMax,
	uint32_t pieces_max = 1024)
{
	std::unique_ptr<uint8_t[]> bytes(new uint8_t[in.size()]);
	leat_http_limits limits = { request_max, 0 };
	std::vector<leat_slice> pieces(pieces_max);
	leat_http_request req = {};
	Parsed p;

	in.copy((char *)bytes.get(), in.size());
	req.body.pieces = pieces.data();
	req.body.pieces_max = (uint32_t)pieces.size();
	p.ret = leat_http_parse_request(parser, &limits, { bytes.get(), in.size() }, &req);
	p.has_continue = leat_http_take_continue(parser);
	if (p.ret == 0 || p.ret == -ENOBUFS)
		return p;
	p.method = req.method;
	p.minor = req.minor;
	p.status = req.status;
	if (p.ret < 0)
		return p;
	p.is_keep_alive = req.is_keep_alive;
	p.form = req.form;
	p.method_name = String(req.method_name);
	p.target = String(req.target);
	p.path = String(req.path);
	p.query = String(req.query);
	p.host = String(req.host);
	p.fields = Fields(req.fields);
	p.trailers = Fields(req.body.trailers);
	p.pieces = Pieces(req.body);
	p.body = Join(p.pieces);
	return p;
}

inline Parsed
ParseAll(const std::string &in, size_t request_max = kRequestMax)
{
	leat_http_parser parser = {};

	return ParseMore(&parser, in, request_max);
}

// Byte after byte until it is decided.
inline Parsed
ParseBytewise(const std::string &in, size_t request_max = kRequestMax)
{
	leat_http_parser parser = {};
	bool has_continue = false;
	Parsed p;

	for (size_t len = 0; len <= in.size() && p.ret == 0; len++) {
		p = ParseMore(&parser, in.substr(0, len), request_max);
		has_continue = has_continue || p.has_continue;
	}
	p.has_continue = has_continue;
	return p;
}

#endif // HTTP_FIXTURE_H
