/* SPDX-License-Identifier: BSD-3-Clause */

#include <leat_zaphttp.h>

/* clang-format off */
#define PHRASE(text) { (const uint8_t *)(text), sizeof(text) - 1 }
/* clang-format on */

/* By class; what has no phrase is empty. */
static const struct leat_slice informational[] = { PHRASE("Continue"),
	PHRASE("Switching Protocols"), PHRASE("Processing"), PHRASE("Early Hints") };
static const struct leat_slice successful[] = {
	[0] = PHRASE("OK"),
	[1] = PHRASE("Created"),
	[2] = PHRASE("Accepted"),
	[3] = PHRASE("Non-Authoritative Information"),
	[4] = PHRASE("No Content"),
	[5] = PHRASE("Reset Content"),
	[6] = PHRASE("Partial Content"),
	[7] = PHRASE("Multi-Status"),
	[8] = PHRASE("Already Reported"),
	[26] = PHRASE("IM Used"),
};
static const struct leat_slice redirection[] = {
	[0] = PHRASE("Multiple Choices"),
	[1] = PHRASE("Moved Permanently"),
	[2] = PHRASE("Found"),
	[3] = PHRASE("See Other"),
	[4] = PHRASE("Not Modified"),
	[5] = PHRASE("Use Proxy"),
	[7] = PHRASE("Temporary Redirect"),
	[8] = PHRASE("Permanent Redirect"),
};
static const struct leat_slice client_error[] = {
	[0] = PHRASE("Bad Request"),
	[1] = PHRASE("Unauthorized"),
	[2] = PHRASE("Payment Required"),
	[3] = PHRASE("Forbidden"),
	[4] = PHRASE("Not Found"),
	[5] = PHRASE("Method Not Allowed"),
	[6] = PHRASE("Not Acceptable"),
	[7] = PHRASE("Proxy Authentication Required"),
	[8] = PHRASE("Request Timeout"),
	[9] = PHRASE("Conflict"),
	[10] = PHRASE("Gone"),
	[11] = PHRASE("Length Required"),
	[12] = PHRASE("Precondition Failed"),
	[13] = PHRASE("Request Entity Too Large"),
	[14] = PHRASE("Request URI Too Long"),
	[15] = PHRASE("Unsupported Media Type"),
	[16] = PHRASE("Requested Range Not Satisfiable"),
	[17] = PHRASE("Expectation Failed"),
	[18] = PHRASE("I'm a teapot"),
	[21] = PHRASE("Misdirected Request"),
	[22] = PHRASE("Unprocessable Entity"),
	[23] = PHRASE("Locked"),
	[24] = PHRASE("Failed Dependency"),
	[26] = PHRASE("Upgrade Required"),
	[28] = PHRASE("Precondition Required"),
	[29] = PHRASE("Too Many Requests"),
	[31] = PHRASE("Request Header Fields Too Large"),
	[51] = PHRASE("Unavailable For Legal Reasons"),
};
static const struct leat_slice server_error[] = {
	[0] = PHRASE("Internal Server Error"),
	[1] = PHRASE("Not Implemented"),
	[2] = PHRASE("Bad Gateway"),
	[3] = PHRASE("Service Unavailable"),
	[4] = PHRASE("Gateway Timeout"),
	[5] = PHRASE("HTTP Version Not Supported"),
	[6] = PHRASE("Variant Also Negotiates"),
	[7] = PHRASE("Insufficient Storage"),
	[8] = PHRASE("Loop Detected"),
	[10] = PHRASE("Not Extended"),
	[11] = PHRASE("Network Authentication Required"),
};

static const struct {
	const struct leat_slice *phrases;
	size_t nb_phrases;
} classes[] = {
	{ informational, LEAT_DIM(informational) },
	{ successful, LEAT_DIM(successful) },
	{ redirection, LEAT_DIM(redirection) },
	{ client_error, LEAT_DIM(client_error) },
	{ server_error, LEAT_DIM(server_error) },
};

struct leat_slice
leat_zaphttp_reason(uint16_t status)
{
	unsigned int class = status / 100;
	unsigned int i = status % 100;

	if (class >= 1 && class <= LEAT_DIM(classes) && i < classes[class - 1].nb_phrases &&
		classes[class - 1].phrases[i].len > 0)
		return classes[class - 1].phrases[i];
	return LEAT_SLICE("Unknown Status Code");
}
