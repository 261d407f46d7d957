/* SPDX-License-Identifier: BSD-3-Clause */

/* Patterns, their order, and which of them a path matches. */

#include <errno.h>

#include "route_priv.h"

#define TEXT_ARGS(s) (int)LEAT_MIN((s).len, 64u), (const char *)(s).data

enum pattern_kind {
	PATTERN_BAD,
	PATTERN_EXACT,
	PATTERN_PARAMS,
	PATTERN_PREFIX,
};

/* The end of the segment at @p pos. */
static size_t
segment_end(struct leat_slice s, size_t pos)
{
	const uint8_t *slash = pos < s.len ? memchr(s.data + pos, '/', s.len - pos) : NULL;

	return slash != NULL ? (size_t)(slash - s.data) : s.len;
}

/* Whether all bytes may stand in a path and are no part of a pattern's own signs. */
static bool
segment_is_literal(const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (data[i] <= ' ' || data[i] > '~' || strchr("{}*?#", data[i]) != NULL)
			return false;
	}
	return true;
}

static bool
segment_is_param(const uint8_t *data, size_t len)
{
	return len > 2 && data[0] == '{' && data[len - 1] == '}' &&
	       segment_is_literal(data + 1, len - 2);
}

static enum pattern_kind
pattern_kind(struct leat_slice pattern)
{
	uint32_t nb_params = 0;
	size_t end;

	if (pattern.len == 0 || pattern.len > LEAT_ROUTE_PATTERN_MAX || pattern.data[0] != '/')
		return PATTERN_BAD;
	for (size_t pos = 1; pos <= pattern.len; pos = end + 1) {
		const uint8_t *segment = pattern.data + pos;

		end = segment_end(pattern, pos);
		if (nb_params == 0 && end == pattern.len && end == pos + 1 && *segment == '*')
			return PATTERN_PREFIX;
		if (segment_is_param(segment, end - pos))
			nb_params++;
		else if (!segment_is_literal(segment, end - pos))
			return PATTERN_BAD;
	}
	if (nb_params > LEAT_ROUTE_PARAMS_MAX)
		return PATTERN_BAD;
	return nb_params > 0 ? PATTERN_PARAMS : PATTERN_EXACT;
}

static int
compare_bytes(struct leat_slice a, struct leat_slice b)
{
	if (a.len != b.len)
		return a.len < b.len ? -1 : 1;
	return memcmp(a.data, b.data, a.len);
}

/*
 * Segment by segment, a parameter behind all literal text. 0: they match the same paths.
 * Literal segments of different bytes have an order, too, so that there is one.
 */
static int
compare_params(struct leat_slice a, struct leat_slice b)
{
	size_t pos = 1;
	size_t b_pos = 1;

	while (pos <= a.len && b_pos <= b.len) {
		struct leat_slice one = { a.data + pos, segment_end(a, pos) - pos };
		struct leat_slice other = { b.data + b_pos, segment_end(b, b_pos) - b_pos };
		bool is_param = one.len > 0 && one.data[0] == '{';
		bool is_other_param = other.len > 0 && other.data[0] == '{';
		int order = is_param || is_other_param ? is_param - is_other_param
						       : compare_bytes(one, other);

		if (order != 0)
			return order;
		pos += one.len + 1;
		b_pos += other.len + 1;
	}
	return (pos <= a.len) - (b_pos <= b.len);
}

/* The longest first. */
static int
compare_prefix(struct leat_slice a, struct leat_slice b)
{
	return -compare_bytes(a, b);
}

/*
 * Where a route belongs in its part of the table: behind those of its pattern. Returns the
 * index, or -errno.
 */
static int
table_place(const struct leat_web_route *first, uint32_t nb, const struct leat_web_route *route,
	int (*compare)(struct leat_slice a, struct leat_slice b), struct leat_error *error)
{
	for (uint32_t i = 0; i < nb; i++) {
		int order = compare(route->pattern, first[i].pattern);

		if (order < 0)
			return (int)i;
		if (order > 0)
			continue;
		if (!leat_slice_is_equal(route->pattern, first[i].pattern))
			return leat_error_set(error, -EINVAL,
				"routes %.*s and %.*s match the same paths",
				TEXT_ARGS(route->pattern), TEXT_ARGS(first[i].pattern));
		if ((route->methods & first[i].methods) != 0)
			return leat_error_set(error, -EEXIST,
				"route %.*s is given twice for one method",
				TEXT_ARGS(route->pattern));
	}
	return (int)nb;
}

int
leat_route_add(struct leat_route_table *table, const struct leat_web_route *route,
	struct leat_error *error)
{
	enum pattern_kind kind = pattern_kind(route->pattern);
	struct leat_web_route added = *route;
	struct leat_web_route *first = table->routes;
	uint32_t nb_all = (uint32_t)(route_end(table) - table->routes);
	uint32_t *nb = &table->nb_exact;
	int (*compare)(struct leat_slice a, struct leat_slice b) = compare_bytes;
	int place;

	LEAT_VERIFY(route->methods != 0);
	if (kind == PATTERN_BAD)
		return leat_error_set(error, -EINVAL,
			"'%.*s' is no pattern of a path: such as /a, /a/{b} or /a/*",
			TEXT_ARGS(route->pattern));
	if (route->has_key && kind == PATTERN_EXACT)
		return leat_error_set(error, -EINVAL, "route %.*s has no parameter for the key",
			TEXT_ARGS(route->pattern));
	if (nb_all == LEAT_ROUTES_MAX)
		return leat_error_set(
			error, -ENOSPC, "there may be %u routes at most", LEAT_ROUTES_MAX);
	if (kind != PATTERN_EXACT) {
		first += table->nb_exact;
		nb = &table->nb_params;
		compare = compare_params;
	}
	if (kind == PATTERN_PREFIX) {
		first += table->nb_params;
		nb = &table->nb_prefix;
		compare = compare_prefix;
	}
	if ((added.methods & LEAT_WEB_METHOD(GET)) != 0)
		added.methods |= LEAT_WEB_METHOD(HEAD);
	place = table_place(first, *nb, &added, compare, error);
	if (place < 0)
		return place;
	memmove(first + place + 1, first + place,
		(size_t)(table->routes + nb_all - (first + place)) * sizeof(*first));
	first[place] = added;
	(*nb)++;
	return 0;
}

bool
leat_route_has_pattern(const struct leat_route_table *table, struct leat_slice pattern)
{
	enum pattern_kind kind = pattern_kind(pattern);

	for (const struct leat_web_route *route = table->routes; route < route_end(table);
		route++) {
		if (pattern_kind(route->pattern) != kind)
			continue;
		if (kind == PATTERN_PARAMS ? compare_params(route->pattern, pattern) == 0
					   : leat_slice_is_equal(route->pattern, pattern))
			return true;
	}
	return false;
}

static const struct leat_web_route *
find_exact(const struct leat_route_table *table, struct leat_slice path)
{
	uint32_t low = 0;
	uint32_t high = table->nb_exact;

	while (low < high) { /* the first one that does not come before the path */
		uint32_t middle = low + (high - low) / 2;

		if (compare_bytes(table->routes[middle].pattern, path) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->nb_exact || !leat_slice_is_equal(table->routes[low].pattern, path))
		return NULL;
	return &table->routes[low];
}

static bool
match_params(struct leat_slice pattern, struct leat_slice path,
	struct leat_slice params[LEAT_ROUTE_PARAMS_MAX], uint16_t *nb_params)
{
	size_t pos = 1;
	size_t path_pos = 1;

	*nb_params = 0;
	while (pos <= pattern.len && path_pos <= path.len) {
		struct leat_slice want = { pattern.data + pos, segment_end(pattern, pos) - pos };
		struct leat_slice have = { path.data + path_pos,
			segment_end(path, path_pos) - path_pos };

		if (want.len > 0 && want.data[0] == '{') {
			if (have.len == 0)
				return false;
			params[(*nb_params)++] = have;
		} else if (!leat_slice_is_equal(want, have)) {
			return false;
		}
		pos += want.len + 1;
		path_pos += have.len + 1;
	}
	return pos > pattern.len && path_pos > path.len;
}

static bool
match_prefix(struct leat_slice pattern, struct leat_slice path,
	struct leat_slice params[LEAT_ROUTE_PARAMS_MAX], uint16_t *nb_params)
{
	size_t len = pattern.len - 1; /* without the "*" */

	if (path.len < len || memcmp(path.data, pattern.data, len) != 0)
		return false;
	params[0] = (struct leat_slice){ path.data + len, path.len - len };
	*nb_params = 1;
	return true;
}

const struct leat_web_route *
route_find(const struct leat_route_table *table, struct leat_slice path,
	struct leat_slice params[LEAT_ROUTE_PARAMS_MAX], uint16_t *nb_params)
{
	const struct leat_web_route *route = find_exact(table, path);
	const struct leat_web_route *params_end;

	*nb_params = 0;
	if (route != NULL || path.len == 0 || path.data[0] != '/')
		return route;
	route = table->routes + table->nb_exact;
	params_end = route + table->nb_params;
	for (; route < params_end; route++) {
		if (match_params(route->pattern, path, params, nb_params))
			return route;
	}
	for (; route < route_end(table); route++) {
		if (match_prefix(route->pattern, path, params, nb_params))
			return route;
	}
	*nb_params = 0;
	return NULL;
}
