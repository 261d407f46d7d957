/* SPDX-License-Identifier: BSD-3-Clause */

/* What requests and responses have in common, but for what a field means. */

#include "http_priv.h"
#include "http_scan.h"

const uint8_t http_classes[256] = {
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x00,
	0x0f,
	0x06,
	0x01,
	0x0f,
	0x07,
	0x0f,
	0x0f,
	0x0e,
	0x0e,
	0x0f,
	0x0f,
	0x06,
	0x0f,
	0x0f,
	0x06,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x06,
	0x0e,
	0x06,
	0x0e,
	0x06,
	0x02,
	0x06,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x06,
	0x06,
	0x06,
	0x07,
	0x0f,
	0x07,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x0f,
	0x06,
	0x07,
	0x06,
	0x0f,
	0x00,
};

int
http_parse_other_version(struct leat_http_parser *parser, struct leat_slice version)
{
	uint8_t major;
	uint8_t minor;

	if (version.len != HTTP_VERSION_LEN || memcmp(version.data, "HTTP/", 5) != 0 ||
		version.data[6] != '.')
		return -HTTP_BAD_REQUEST;
	major = (uint8_t)(version.data[5] - '0');
	minor = (uint8_t)(version.data[7] - '0');
	if (major > 9 || minor > 9)
		return -HTTP_BAD_REQUEST;
	if (major != 1)
		return -HTTP_VERSION_UNSUPPORTED;
	parser->minor = LEAT_MIN(minor, 1); /* a higher minor version counts as 1 */
	return 0;
}

bool
http_is_token(struct leat_slice s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!http_is(s.data[i], HTTP_TOKEN))
			return false;
	}
	return s.len > 0;
}

bool
leat_http_fields_next(struct leat_http_fields *fields, struct leat_http_field *field)
{
	const uint8_t *colon;
	const uint8_t *cr;

	if (fields->pos == fields->end)
		return false;
	colon = memchr(fields->pos, ':', (size_t)(fields->end - fields->pos));
	LEAT_VERIFY(colon != NULL);
	cr = memchr(colon, '\r', (size_t)(fields->end - colon));
	LEAT_VERIFY(cr != NULL);
	field->name.data = fields->pos;
	field->name.len = (size_t)(colon - fields->pos);
	field->value.data = colon + 1;
	field->value.len = (size_t)(cr - colon) - 1;
	field->value = http_trim(field->value);
	fields->pos = cr + HTTP_EOL_LEN;
	return true;
}

bool
leat_http_fields_find(
	struct leat_http_fields fields, struct leat_slice name, struct leat_slice *value)
{
	struct leat_http_field field;

	while (leat_http_fields_next(&fields, &field)) {
		if (leat_slice_is_equal_nocase(field.name, name)) {
			*value = field.value;
			return true;
		}
	}
	return false;
}

bool
leat_http_field_is_valid(const struct leat_http_field *field)
{
	struct leat_slice value = field->value;

	if (!http_is_token(field->name))
		return false;
	if (value.len == 0) /* and perhaps without an address */
		return true;
	return http_find_control(value.data, value.data + value.len) == value.data + value.len;
}
