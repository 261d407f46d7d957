/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Connections and neighbours, a page at a time. A place is worker, transport and place
 * within it, in one number that only rises: what lives throughout a walk is told once,
 * whatever comes and goes around it. A page ends where the reply is full, and says where
 * to go on.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <leat_protocol.h>

#include "control_priv.h"

#define ID_PLACE_BITS     32
#define ID_TRANSPORT_BITS 8

static_assert(LEAT_WORKER_TRANSPORTS_MAX <= 1 << ID_TRANSPORT_BITS, "each has an id");

static uint64_t
walk_id(const struct control_walk *walk)
{
	return ((uint64_t)walk->worker_idx << ID_TRANSPORT_BITS | walk->transport_idx)
		       << ID_PLACE_BITS |
	       walk->place;
}

/* @return false: there is no such worker. */
static bool
walk_start(struct control_walk *walk, uint64_t id, uint32_t nb_workers)
{
	uint64_t worker_idx = id >> (ID_PLACE_BITS + ID_TRANSPORT_BITS);

	walk->worker_idx = (uint16_t)LEAT_MIN(worker_idx, UINT16_MAX);
	walk->transport_idx = (uint8_t)(id >> ID_PLACE_BITS);
	walk->place = (uint32_t)id;
	return worker_idx < nb_workers;
}

/* On the lcore: look at so many places, or until the batch is full. */
static void
walk_look(struct leat_worker *worker, void *arg)
{
	struct control_walk *walk = arg;

	walk->nb_found = 0;
	walk->is_end = false;
	for (uint32_t nb = 0; nb < CONTROL_WALK_PLACES_MAX && walk->nb_found < CONTROL_WALK_BATCH;
		nb++) {
		struct control_found *found = &walk->found[walk->nb_found];
		const struct leat_transport *xp;
		int ret;

		if (walk->transport_idx >= leat_worker_nb_transports(worker)) {
			walk->is_end = true;
			return;
		}
		xp = leat_worker_transport(worker, walk->transport_idx);
		ret = walk->kind->look(xp, walk->place, walk->filter, found);
		if (ret > 0) {
			found->id = walk_id(walk);
			found->transport = xp->name;
			walk->nb_found++;
		}
		if (ret < 0) {
			walk->transport_idx++;
			walk->place = 0;
		} else {
			walk->place++;
		}
	}
}

/* @return false: there is no room for it on this page. */
static bool
walk_tell(const struct control_walk *walk, const struct control_found *found,
	struct control_dict *page, size_t room)
{
	struct control_dict entry;
	char key[CONTROL_NAME_LEN];

	if (control_dict_open(&entry, NULL) < 0)
		return false;
	(void)control_dict_u64(&entry, "worker", walk->worker_idx); /* the first finds room */
	(void)control_dict_text(&entry, "port", found->transport);
	walk->kind->tell(found, &entry);
	(void)snprintf(key, sizeof(key), "%" PRIu64, found->id); /* fits */
	if (page->len + entry.len + sizeof(key) > room) {
		control_dict_free(&entry);
		return false;
	}
	return control_dict_add(page, key, &entry);
}

/* Fill the page. @return 0 and where to go on, UINT64_MAX: nowhere; or -errno. */
static int
walk_page(struct leat_control *control, struct control_dict *page, size_t room, uint64_t *next,
	struct leat_error *error)
{
	struct control_walk *walk = &control->walk;

	for (uint32_t i = 0; i < CONTROL_WALK_ASKS_MAX; i++) {
		int ret;

		*next = walk_id(walk);
		ret = leat_worker_ask(control->conf.workers[walk->worker_idx], walk_look, walk,
			LEAT_CONTROL_ANSWER_MS, error);

		if (ret < 0) /* what there is is told; who goes on there learns of it */
			return page->nb_entries > 0 ? 0 : ret;
		for (uint32_t k = 0; k < walk->nb_found; k++)
			if (!walk_tell(walk, &walk->found[k], page, room)) {
				*next = walk->found[k].id;
				return page->nb_entries > 0
					       ? 0
					       : leat_error_set(error, -ENOMEM, "out of memory");
			}
		if (!walk->is_end)
			continue;
		walk->worker_idx++;
		walk->transport_idx = 0;
		walk->place = 0;
		if (walk->worker_idx == control->conf.nb_workers) {
			*next = UINT64_MAX;
			return 0;
		}
	}
	*next = walk_id(walk);
	return 0;
}

/* The number at the start of @p params; *rest is what follows the comma behind it. */
static int
params_start(const char *params, uint64_t *start, const char **rest, struct leat_error *error)
{
	size_t len = strspn(params, "0123456789");

	if (len > 19 || (params[len] != '\0' && params[len] != ','))
		return leat_error_set(error, -EINVAL,
			"'%.32s' is not a START: begin with 0, go on with the last answer's next",
			params);
	*start = strtoull(params, NULL, 10); /* 0 of no digits */
	*rest = params + len + (params[len] == ',');
	return 0;
}

static bool
state_exists(const struct leat_control *control, const char *state)
{
	for (uint32_t w = 0; w < control->conf.nb_workers; w++) {
		const struct leat_worker *worker = control->conf.workers[w];

		for (uint16_t i = 0; i < leat_worker_nb_transports(worker); i++) {
			const struct leat_transport *xp = leat_worker_transport(worker, i);
			const char *name;

			for (uint32_t k = 0; (name = xp->ops->state_name(k)) != NULL; k++)
				if (strcasecmp(name, state) == 0)
					return true;
		}
	}
	return false;
}

/* A misspelt word would look as if no connection had it. */
static int
filter_check(const struct leat_control *control, const struct control_filter *filter,
	struct leat_error *error)
{
	if (filter->state[0] != '\0' && !state_exists(control, filter->state))
		return leat_error_set(error, -EINVAL,
			"there is no state '%s': they are named as in RFC 9293, such as "
			"ESTABLISHED or TIME-WAIT",
			filter->state);
	if (filter->protocol[0] != '\0' && leat_protocol_find(filter->protocol) == NULL)
		return leat_error_set(error, -EINVAL,
			"there is no protocol '%s': give that of a listener, such as %s",
			filter->protocol, leat_protocol_all()[0]->name);
	return 0;
}

static int
walk_reply(struct leat_control *control, const struct control_kind *kind, const char *params,
	struct control_dict *reply, struct leat_error *error)
{
	static const char next_name[] = "next";
	size_t room = CONTROL_REPLY_LEN_MAX - reply->len - 2 * CONTROL_NAME_LEN;
	struct control_filter filter;
	struct control_dict page;
	uint64_t next = UINT64_MAX;
	int ret;

	ret = params_start(params, &next, &params, error);
	if (ret == 0)
		ret = control_filter_parse(params, &filter, error);
	if (ret == 0)
		ret = filter_check(control, &filter, error);
	if (ret < 0)
		return ret;
	control->walk.kind = kind;
	control->walk.filter = &filter;
	if (!walk_start(&control->walk, next, control->conf.nb_workers))
		return leat_error_set(error, -EINVAL, "there is nothing at %" PRIu64, next);
	if (control_dict_open(&page, NULL) < 0)
		return leat_error_set(error, -ENOMEM, "out of memory");
	ret = walk_page(control, &page, room, &next, error);
	if (ret < 0) {
		control_dict_free(&page); /* it is empty */
		return ret;
	}
	if (next != UINT64_MAX)
		(void)control_dict_u64(reply, next_name, next); /* room was left for it */
	(void)control_dict_add(reply, kind->name, &page);       /* likewise */
	return 0;
}

static int
conn_look(const struct leat_transport *xp, uint32_t place, const struct control_filter *filter,
	struct control_found *found)
{
	int ret = xp->ops->conn_info(xp, place, &found->conn.info);

	if (ret <= 0)
		return ret;
	found->conn.protocol = leat_worker_listener_protocol(found->conn.info.listener);
	return control_filter_matches(filter, &found->conn.info, found->conn.protocol) ? 1 : 0;
}

static void
conn_tell(const struct control_found *found, struct control_dict *dict)
{
	const struct leat_conn_info *info = &found->conn.info;
	char text[LEAT_ENDPOINT_TEXT_MAX];

	/* An entry is far shorter than a reply. */
	(void)control_dict_text(dict, "state", info->state);
	(void)control_dict_text(dict, "local", leat_endpoint_format(&info->local, text));
	(void)control_dict_text(dict, "peer", leat_endpoint_format(&info->peer, text));
	if (found->conn.protocol[0] != '\0')
		(void)control_dict_text(dict, "protocol", found->conn.protocol);
	for (uint32_t i = 0; i < info->nb_stats; i++)
		(void)control_dict_u64(dict, info->stats[i].name, info->stats[i].value);
}

static int
neighbour_look(const struct leat_transport *xp, uint32_t place, const struct control_filter *filter,
	struct control_found *found)
{
	(void)filter; /* is of connections */
	return xp->ops->neighbour_info(xp, place, &found->neighbour);
}

static void
neighbour_tell(const struct control_found *found, struct control_dict *dict)
{
	const struct leat_neighbour_info *info = &found->neighbour;
	struct leat_ip_addr addr;
	char text[LEAT_IP_ADDR_TEXT_MAX];
	char mac[sizeof("00:00:00:00:00:00")];

	if (info->addr.type == LEAT_ENDPOINT_IPV4)
		addr = leat_ip_addr_from_ipv4(info->addr.ipv4);
	else
		memcpy(addr.bytes, info->addr.ipv6, sizeof(addr.bytes));
	(void)snprintf(mac, sizeof(mac), "%02x:%02x:%02x:%02x:%02x:%02x", info->mac[0],
		info->mac[1], info->mac[2], info->mac[3], info->mac[4], info->mac[5]);
	(void)control_dict_text(dict, "addr", leat_ip_addr_format(addr, text)); /* as above */
	(void)control_dict_text(dict, "mac", mac);
	(void)control_dict_text(dict, "state", info->state);
	(void)control_dict_u64(dict, "queued", info->nb_queued);
	(void)control_dict_u64(dict, "confirmed_ms", info->confirmed_us / 1000);
}

static const struct control_kind conn_kind = {
	.name = "conns",
	.look = conn_look,
	.tell = conn_tell,
};

static const struct control_kind neighbour_kind = {
	.name = "neighbours",
	.look = neighbour_look,
	.tell = neighbour_tell,
};

int
control_conn(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error)
{
	return walk_reply(control, &conn_kind, params, reply, error);
}

int
control_neighbours(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error)
{
	if (strchr(params, ',') != NULL)
		return leat_error_set(error, -EINVAL, "neighbours take a START and no filter");
	return walk_reply(control, &neighbour_kind, params, reply, error);
}
