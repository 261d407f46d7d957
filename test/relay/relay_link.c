/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include <leat_common.h>
#include <leat_time.h>

#include "relay_link.h"

#define LINK_NS_PER_S UINT64_C(1000000000)
#define LINK_NS_SHIFT 16u

static bool
entry_is_before(const struct relay_entry *a, const struct relay_entry *b)
{
	return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->idx < b->idx;
}

static uint64_t
link_line_ns(const struct relay_link *link, uint32_t len)
{
	return (len * link->ns_per_byte) >> LINK_NS_SHIFT;
}

/* Bytes wait as long as the line is busy with those before them; an idle line takes any frame. */
static bool
link_has_room(const struct relay_link *link, uint64_t now_ns, uint32_t len)
{
	if (link->busy_ns <= now_ns)
		return true;
	return link->busy_ns - now_ns + link_line_ns(link, len) <= link->queue_ns;
}

void
relay_link_init(struct relay_link *link, const struct relay_link_conf *conf, uint64_t seed,
	uint32_t direction)
{
	LEAT_VERIFY(conf->delay_us <= RELAY_DELAY_MAX_US);
	LEAT_VERIFY(conf->rate == 0 || conf->rate >= RELAY_RATE_MIN);
	LEAT_VERIFY(conf->rate <= RELAY_RATE_MAX);
	LEAT_VERIFY(conf->queue_len <= RELAY_QUEUE_MAX);
	memset(link, 0, sizeof(*link));
	link->conf = *conf;
	link->seed = seed;
	link->direction = direction;
	if (conf->rate != 0)
		link->ns_per_byte = (LINK_NS_PER_S << LINK_NS_SHIFT) / conf->rate;
	link->queue_ns = link_line_ns(link, conf->queue_len);
}

uint64_t
relay_link_admit(struct relay_link *link, uint64_t now_ns, uint32_t len, struct relay_fate *fate)
{
	uint64_t due_ns;

	relay_impair(
		link->seed, link->direction, link->stats.nb_received++, &link->conf.impair, fate);
	if (!link_has_room(link, now_ns, len)) {
		link->stats.nb_overflowed++;
		return RELAY_NEVER;
	}
	link->busy_ns = LEAT_MAX(link->busy_ns, now_ns) + link_line_ns(link, len);
	if (fate->is_lost) {
		link->stats.nb_lost++;
		return RELAY_NEVER;
	}
	due_ns = link->busy_ns + (uint64_t)LEAT_NS_PER_US * (link->conf.delay_us + fate->jitter_us);
	link->last_due_ns = LEAT_MAX(link->last_due_ns, due_ns);
	if (fate->late_us > 0)
		link->stats.nb_reordered++;
	due_ns = link->last_due_ns + (uint64_t)LEAT_NS_PER_US * fate->late_us;
	if (due_ns > now_ns)
		link->stats.nb_delayed++;
	return due_ns;
}

bool
relay_link_push(struct relay_link *link, uint64_t due_ns, void *frame)
{
	struct relay_entry entry = { due_ns, link->nb_pushed, frame };
	uint32_t at = link->nb_entries;

	if (at == RELAY_FRAMES_MAX) {
		link->stats.nb_crowded++;
		return false;
	}
	link->nb_pushed++;
	link->nb_entries++;
	while (at > 0 && entry_is_before(&entry, &link->entries[(at - 1) / 2])) {
		link->entries[at] = link->entries[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	link->entries[at] = entry;
	return true;
}

void *
relay_link_pop(struct relay_link *link, uint64_t now_ns)
{
	void *frame = link->entries[0].frame;
	const struct relay_entry *last;
	uint32_t at = 0;

	if (link->nb_entries == 0 || link->entries[0].due_ns > now_ns)
		return NULL;
	last = &link->entries[--link->nb_entries];
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child + 1 < link->nb_entries &&
			entry_is_before(&link->entries[child + 1], &link->entries[child]))
			child++;
		if (child >= link->nb_entries || entry_is_before(last, &link->entries[child]))
			break;
		link->entries[at] = link->entries[child];
		at = child;
	}
	link->entries[at] = *last;
	return frame;
}

uint64_t
relay_link_next(const struct relay_link *link)
{
	return link->nb_entries > 0 ? link->entries[0].due_ns : RELAY_NEVER;
}
