/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Text to value and back, one function for each type of key. A value is taken whole
 * or refused: nothing is rounded, cut or guessed.
 */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include <leat_common.h>
#include <leat_http.h>

#include "config.h"

static void *
key_field(const struct leatd_key *key, void *base)
{
	return (char *)base + key->offset;
}

static const void *
key_field_const(const struct leatd_key *key, const void *base)
{
	return (const char *)base + key->offset;
}

static const char *const size_suffixes = "KMG";

static const char *
size_format(uint64_t len, char *text, size_t text_len)
{
	int shift = 0;

	while (len != 0 && (len & 1023) == 0 && shift < (int)strlen(size_suffixes)) {
		len >>= 10;
		shift++;
	}
	if (shift == 0)
		(void)snprintf(text, text_len, "%" PRIu64, len);
	else
		(void)snprintf(text, text_len, "%" PRIu64 "%c", len, size_suffixes[shift - 1]);
	return text;
}

/* Read decimal digits; moves *text behind them. -EINVAL: none, or over 2^63. */
static int
digits_parse(const char **text, uint64_t *value)
{
	const char *pos = *text;
	uint64_t number = 0;

	if (!isdigit((unsigned char)*pos))
		return -EINVAL;
	for (; isdigit((unsigned char)*pos); pos++) {
		if (number > (UINT64_MAX >> 1) / 10 - 1)
			return -EINVAL;
		number = number * 10 + (uint64_t)(*pos - '0');
	}
	*text = pos;
	*value = number;
	return 0;
}

void
leatd_copy(char *to, size_t to_len, const char *from)
{
	size_t len = strlen(from);

	LEAT_VERIFY(len < to_len);
	memcpy(to, from, len + 1);
}

static int
number_set(const struct leatd_key *key, uint64_t *field, const char *value)
{
	uint64_t number;

	if (digits_parse(&value, &number) < 0)
		return -EINVAL;
	if (key->type == LEATD_KEY_SIZE && *value != '\0') {
		const char *suffix = strchr(size_suffixes, toupper((unsigned char)*value));

		if (suffix == NULL || number > UINT64_MAX >> 31)
			return -EINVAL;
		number <<= 10 * (suffix - size_suffixes + 1);
		value++;
	}
	if (*value != '\0' || number < key->min || number > key->max)
		return -EINVAL;
	*field = number;
	return 0;
}

static int
bool_set(bool *field, const char *value)
{
	if (strcmp(value, "yes") == 0)
		*field = true;
	else if (strcmp(value, "no") == 0)
		*field = false;
	else
		return -EINVAL;
	return 0;
}

static int
choice_set(const struct leatd_key *key, uint64_t *field, const char *value)
{
	for (uint64_t i = 0; key->choices[i] != NULL; i++)
		if (strcmp(key->choices[i], value) == 0) {
			*field = i;
			return 0;
		}
	return -EINVAL;
}

static int
set_set(const struct leatd_key *key, uint64_t *field, const char *value)
{
	uint64_t idx;

	if (choice_set(key, &idx, value) < 0)
		return -EINVAL;
	*field |= UINT64_C(1) << idx;
	return 0;
}

static int
text_set(const struct leatd_key *key, char *field, const char *value)
{
	size_t len = strlen(value);

	if (len < key->min || len > key->max)
		return -EINVAL;
	for (size_t i = 0; i < len; i++)
		if (iscntrl((unsigned char)value[i]))
			return -EINVAL;
	memcpy(field, value, len + 1);
	return 0;
}

/* [DDDD:]BB:DD.F in hexadecimal. */
static bool
is_pci_address(const char *text)
{
	static const char *const forms[] = { "xxxx:xx:xx.x", "xx:xx.x" };

	for (uint32_t i = 0; i < LEAT_DIM(forms); i++) {
		const char *form = forms[i];
		const char *pos = text;

		for (; *form != '\0' && *pos != '\0'; form++, pos++)
			if (*form == 'x' ? !isxdigit((unsigned char)*pos) : *pos != *form)
				break;
		if (*form == '\0' && *pos == '\0')
			return true;
	}
	return false;
}

/* The names under which DPDK's network vdevs are made: net_<driver><id>, virtio_user<id>. */
static bool
is_vdev_name(const char *text)
{
	if (strncmp(text, "net_", 4) != 0 && strncmp(text, "virtio_user", 11) != 0)
		return false;
	for (; *text != '\0'; text++)
		if (!isalnum((unsigned char)*text) && *text != '_' && *text != '-')
			return false;
	return true;
}

/* A gateway, of the family of its key; "::" would be none. */
static int
addr_set(const struct leatd_key *key, struct leat_ip_addr *field, const char *value)
{
	struct leat_ip_addr addr;

	if (leat_ip_addr_parse(value, &addr) < 0 || leat_ip_addr_is_none(addr) ||
		leat_ip_addr_is_ipv4(addr) != (key->type == LEATD_KEY_IPV4))
		return -EINVAL;
	*field = addr;
	return 0;
}

static int
prefix_set(struct leatd_addrs *addrs, const char *value)
{
	const char *slash = strchr(value, '/');
	char text[LEAT_IP_ADDR_TEXT_MAX];
	struct leatd_addr one;
	uint64_t prefix_len;

	if (slash == NULL || (size_t)(slash - value) >= sizeof(text))
		return -EINVAL;
	memcpy(text, value, (size_t)(slash - value));
	text[slash - value] = '\0';
	value = slash + 1;
	if (leat_ip_addr_parse(text, &one.addr) < 0 || digits_parse(&value, &prefix_len) < 0 ||
		*value != '\0' || prefix_len > leat_ip_addr_bits(one.addr))
		return -EINVAL;
	if (addrs->nb == LEATD_ADDRS_MAX)
		return -ENOSPC;
	one.prefix_len = (uint8_t)prefix_len;
	addrs->list[addrs->nb++] = one;
	return 0;
}

/* What the codec writes by itself, or what would change how the answer is read. */
static bool
field_is_ours(struct leat_slice name)
{
	static const char *const names[] = { "connection", "content-length", "date", "keep-alive",
		"trailer", "transfer-encoding", "upgrade" };

	for (uint32_t i = 0; i < LEAT_DIM(names); i++)
		if (leat_slice_is_equal_nocase(name, leat_slice_str(names[i])))
			return true;
	return false;
}

/* "Name: value", as a line of a head has it. */
static int
fields_set(struct leatd_fields *fields, const char *value)
{
	size_t name_len = strcspn(value, ":");
	struct leat_http_field field = {
		.name = { (const uint8_t *)value, name_len },
	};

	if (value[name_len] != ':' || strlen(value) >= LEATD_FIELD_LEN)
		return -EINVAL;
	field.value = leat_slice_str(value + name_len + 1 + strspn(value + name_len + 1, " \t"));
	if (!leat_http_field_is_valid(&field) || field_is_ours(field.name))
		return -EINVAL;
	if (fields->nb == LEATD_FIELDS_MAX)
		return -ENOSPC;
	leatd_copy(fields->list[fields->nb++], LEATD_FIELD_LEN, value);
	return 0;
}

/* "0-3,6": each CPU once, in the order given. */
static int
cpus_set(struct leatd_cpus *field, const char *value)
{
	struct leatd_cpus cpus = { 0 };

	for (;;) {
		uint64_t first, last;

		if (digits_parse(&value, &first) < 0)
			return -EINVAL;
		last = first;
		if (*value == '-' && (value++, digits_parse(&value, &last) < 0))
			return -EINVAL;
		if (first > last || last > LEATD_CPU_ID_MAX)
			return -EINVAL;
		for (uint64_t id = first; id <= last; id++) {
			for (uint16_t i = 0; i < cpus.nb; i++)
				if (cpus.ids[i] == id)
					return -EINVAL;
			if (cpus.nb == LEATD_CPUS_MAX)
				return -EINVAL;
			cpus.ids[cpus.nb++] = (uint16_t)id;
		}
		if (*value == '\0')
			break;
		if (*value++ != ',')
			return -EINVAL;
	}
	*field = cpus;
	return 0;
}

static const char *
choices_format(const struct leatd_key *key, char text[LEATD_VALUE_LEN])
{
	size_t len = 0;

	text[0] = '\0';
	for (uint32_t i = 0; key->choices[i] != NULL; i++) {
		const char *glue = i == 0 ? "" : key->choices[i + 1] == NULL ? " or " : ", ";

		len += (size_t)snprintf(
			text + len, LEATD_VALUE_LEN - len, "%s%s", glue, key->choices[i]);
		LEAT_VERIFY(len < LEATD_VALUE_LEN);
	}
	return text;
}

const char *
leatd_key_allowed(const struct leatd_key *key, char text[LEATD_VALUE_LEN])
{
	char low[24], high[24];

	switch (key->type) {
	case LEATD_KEY_NUMBER:
		(void)snprintf(text, LEATD_VALUE_LEN, "a number from %" PRIu64 " to %" PRIu64,
			key->min, key->max);
		break;
	case LEATD_KEY_SIZE:
		(void)snprintf(text, LEATD_VALUE_LEN,
			"a size from %s to %s, in bytes or with K, M or G",
			size_format(key->min, low, sizeof(low)),
			size_format(key->max, high, sizeof(high)));
		break;
	case LEATD_KEY_BOOL:
		(void)snprintf(text, LEATD_VALUE_LEN, "yes or no");
		break;
	case LEATD_KEY_CHOICE:
	case LEATD_KEY_SET:
		return choices_format(key, text);
	case LEATD_KEY_TEXT:
	case LEATD_KEY_SECRET:
		(void)snprintf(text, LEATD_VALUE_LEN, "text of %" PRIu64 " to %" PRIu64 " bytes",
			key->min, key->max);
		break;
	case LEATD_KEY_DEVICE:
		(void)snprintf(text, LEATD_VALUE_LEN,
			"a PCI address such as 0000:01:00.0 or a vdev such as net_tap0");
		break;
	case LEATD_KEY_IPV4:
		(void)snprintf(text, LEATD_VALUE_LEN, "an IPv4 address such as 10.77.0.254");
		break;
	case LEATD_KEY_IPV6:
		(void)snprintf(text, LEATD_VALUE_LEN, "an IPv6 address such as fd77::fe");
		break;
	case LEATD_KEY_PREFIX:
		(void)snprintf(text, LEATD_VALUE_LEN,
			"an address and prefix length, such as 10.77.0.1/24 or fd77::1/64");
		break;
	case LEATD_KEY_FIELD:
		(void)snprintf(text, LEATD_VALUE_LEN,
			"Name: value, but no length, Date, Connection, Trailer or Upgrade");
		break;
	case LEATD_KEY_CPUS:
		(void)snprintf(text, LEATD_VALUE_LEN, "CPUs from 0 to %d, each once, such as 1-3,6",
			LEATD_CPU_ID_MAX);
		break;
	case LEATD_KEY_TYPES:
		LEAT_VERIFY(false);
	}
	return text;
}

static int
field_set(const struct leatd_key *key, void *field, const char *value)
{
	switch (key->type) {
	case LEATD_KEY_NUMBER:
	case LEATD_KEY_SIZE:
		return number_set(key, field, value);
	case LEATD_KEY_BOOL:
		return bool_set(field, value);
	case LEATD_KEY_CHOICE:
		return choice_set(key, field, value);
	case LEATD_KEY_SET:
		return set_set(key, field, value);
	case LEATD_KEY_DEVICE:
		if (!is_pci_address(value) && !is_vdev_name(value))
			return -EINVAL;
		return text_set(key, field, value);
	case LEATD_KEY_TEXT:
	case LEATD_KEY_SECRET:
		return text_set(key, field, value);
	case LEATD_KEY_IPV4:
	case LEATD_KEY_IPV6:
		return addr_set(key, field, value);
	case LEATD_KEY_PREFIX:
		return prefix_set(field, value);
	case LEATD_KEY_FIELD:
		return fields_set(field, value);
	case LEATD_KEY_CPUS:
		return cpus_set(field, value);
	case LEATD_KEY_TYPES:
		break;
	}
	LEAT_VERIFY(false);
	return -EINVAL;
}

int
leatd_key_set(const struct leatd_key *key, void *base, const char *where, const char *value,
	struct leat_error *error)
{
	char allowed[LEATD_VALUE_LEN];
	int ret = field_set(key, key_field(key, base), value);

	if (ret == -ENOSPC)
		return leat_error_set(error, -EINVAL, "%s: %s is given more than %" PRIu64 " times",
			where, key->name, key->max);
	if (ret < 0)
		return leat_error_set(error, -EINVAL,
			"%s: %s '%.64s' is not allowed; it must be %s", where, key->name,
			key->type == LEATD_KEY_SECRET ? LEATD_HIDDEN : value,
			leatd_key_allowed(key, allowed));
	return 0;
}

/* Add to a text of LEATD_VALUE_LEN bytes; what does not fit is cut. */
static void LEAT_PRINTF(2, 3) text_add(char text[LEATD_VALUE_LEN], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text + len, LEATD_VALUE_LEN - len, fmt, args);
	va_end(args);
}

static void
fields_format(const struct leatd_fields *fields, char text[LEATD_VALUE_LEN])
{
	for (uint8_t i = 0; i < fields->nb; i++)
		text_add(text, "%s'%s'", i == 0 ? "" : " ", fields->list[i]);
}

static void
addrs_format(const struct leatd_addrs *addrs, char text[LEATD_VALUE_LEN])
{
	char addr[LEAT_IP_ADDR_TEXT_MAX];

	for (uint8_t i = 0; i < addrs->nb; i++)
		text_add(text, "%s%s/%u", i == 0 ? "" : " ",
			leat_ip_addr_format(addrs->list[i].addr, addr), addrs->list[i].prefix_len);
}

const char *
leatd_key_format(const struct leatd_key *key, const void *base, char text[LEATD_VALUE_LEN])
{
	const void *field = key_field_const(key, base);
	const struct leatd_cpus *cpus = field;
	char part[LEAT_IP_ADDR_TEXT_MAX];

	text[0] = '\0';
	switch (key->type) {
	case LEATD_KEY_NUMBER:
		text_add(text, "%" PRIu64, *(const uint64_t *)field);
		break;
	case LEATD_KEY_SIZE:
		text_add(text, "%s", size_format(*(const uint64_t *)field, part, sizeof(part)));
		break;
	case LEATD_KEY_BOOL:
		text_add(text, "%s", *(const bool *)field ? "yes" : "no");
		break;
	case LEATD_KEY_CHOICE:
		text_add(text, "%s", key->choices[*(const uint64_t *)field]);
		break;
	case LEATD_KEY_SET:
		for (uint32_t i = 0; key->choices[i] != NULL; i++)
			if ((*(const uint64_t *)field >> i & 1) != 0)
				text_add(text, "%s%s", text[0] == '\0' ? "" : " ", key->choices[i]);
		break;
	case LEATD_KEY_TEXT:
	case LEATD_KEY_DEVICE:
		text_add(text, "%s", (const char *)field);
		break;
	case LEATD_KEY_SECRET:
		text_add(text, "%s", *(const char *)field != '\0' ? LEATD_HIDDEN : "");
		break;
	case LEATD_KEY_IPV4:
	case LEATD_KEY_IPV6:
		if (!leat_ip_addr_is_none(*(const struct leat_ip_addr *)field))
			text_add(text, "%s",
				leat_ip_addr_format(*(const struct leat_ip_addr *)field, part));
		break;
	case LEATD_KEY_PREFIX:
		addrs_format(field, text);
		break;
	case LEATD_KEY_FIELD:
		fields_format(field, text);
		break;
	case LEATD_KEY_CPUS:
		for (uint16_t i = 0; i < cpus->nb; i++)
			text_add(text, "%s%u", i == 0 ? "" : ",", cpus->ids[i]);
		break;
	case LEATD_KEY_TYPES:
		LEAT_VERIFY(false);
	}
	return text;
}
