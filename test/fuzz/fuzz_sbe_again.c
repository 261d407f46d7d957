/* SPDX-License-Identifier: BSD-3-Clause */

#include <stdlib.h>

#include "fuzz_sbe_again.h"

typedef int (*again_fn)(struct leat_writer *w, const struct leat_sbe_message *msg,
	const struct fuzz_sbe_over *over);

/* A template without a group. */
#define AGAIN(name, args)                                                                          \
	static int name##_again(struct leat_writer *w, const struct leat_sbe_message *msg,         \
		const struct fuzz_sbe_over *over)                                                  \
	{                                                                                          \
		(void)msg;                                                                         \
		(void)over;                                                                        \
		return leat_sbe_put_##name args;                                                   \
	}

/* A template with a group; what stands behind @p args is an entry's, in its order. */
#define AGAIN_GROUP(name, group_name, args, ...)                                                   \
	static int name##_again(struct leat_writer *w, const struct leat_sbe_message *msg,         \
		const struct fuzz_sbe_over *over)                                                  \
	{                                                                                          \
		struct leat_sbe_group group = msg->group;                                          \
		struct leat_sbe_##name##_##group_name *entries =                                   \
			calloc(group.nb_left + 1, sizeof(*entries));                               \
		struct leat_sbe_entry entry;                                                       \
		uint32_t nb = 0;                                                                   \
		int ret;                                                                           \
                                                                                                   \
		LEAT_VERIFY(entries != NULL);                                                      \
		while (leat_sbe_group_next(&group, &entry)) {                                      \
			entry.data[0].len += over->entry_len;                                      \
			entries[nb++] = (struct leat_sbe_##name##_##group_name){ __VA_ARGS__ };    \
		}                                                                                  \
		nb += over->nb_entries;                                                            \
		ret = leat_sbe_put_##name args;                                                    \
		free(entries);                                                                     \
		return ret;                                                                        \
	}

AGAIN(nil_reply, (w))
AGAIN(status_reply, (w, leat_sbe_status_reply_status(msg)))
AGAIN(error_reply, (w, leat_sbe_error_reply_code(msg), leat_sbe_error_reply_message(msg)))
AGAIN(int_reply, (w, leat_sbe_int_reply_value(msg)))
AGAIN(double_reply, (w, leat_sbe_double_reply_value(msg)))
AGAIN(bulk_reply, (w, leat_sbe_bulk_reply_value(msg)))
AGAIN_GROUP(array_reply, items, (w, entries, nb), leat_sbe_array_reply_items_value(&entry))
AGAIN_GROUP(scored_array_reply, items, (w, entries, nb),
	leat_sbe_scored_array_reply_items_score(&entry),
	leat_sbe_scored_array_reply_items_member(&entry))
AGAIN_GROUP(nullable_array_reply, items, (w, entries, nb),
	leat_sbe_nullable_array_reply_items_present(&entry),
	leat_sbe_nullable_array_reply_items_value(&entry))
AGAIN_GROUP(resp_value_reply, nodes, (w, entries, nb), leat_sbe_resp_value_reply_nodes_type(&entry),
	leat_sbe_resp_value_reply_nodes_int_value(&entry),
	leat_sbe_resp_value_reply_nodes_child_count(&entry),
	leat_sbe_resp_value_reply_nodes_bytes(&entry))
AGAIN_GROUP(map_reply, entries, (w, entries, nb), leat_sbe_map_reply_entries_key(&entry),
	leat_sbe_map_reply_entries_value(&entry))
AGAIN(pub_sub_push,
	(w, leat_sbe_pub_sub_push_kind(msg), leat_sbe_pub_sub_push_subscription_count(msg),
		leat_sbe_pub_sub_push_pattern(msg), leat_sbe_pub_sub_push_channel(msg),
		leat_sbe_pub_sub_push_payload(msg)))
AGAIN_GROUP(pub_sub_num_sub_reply, items, (w, entries, nb),
	leat_sbe_pub_sub_num_sub_reply_items_subscriber_count(&entry),
	leat_sbe_pub_sub_num_sub_reply_items_channel(&entry))
AGAIN_GROUP(nullable_double_array_reply, items, (w, entries, nb),
	leat_sbe_nullable_double_array_reply_items_present(&entry),
	leat_sbe_nullable_double_array_reply_items_value(&entry))
AGAIN_GROUP(scored_scan_reply, items, (w, leat_sbe_scored_scan_reply_next_cursor(msg), entries, nb),
	leat_sbe_scored_scan_reply_items_score(&entry),
	leat_sbe_scored_scan_reply_items_member(&entry))
AGAIN(ping, (w))
AGAIN_GROUP(zadd, members, (w, leat_sbe_zadd_flags(msg), entries, nb, leat_sbe_zadd_key(msg)),
	leat_sbe_zadd_members_score(&entry), leat_sbe_zadd_members_member(&entry))
AGAIN(zcard, (w, leat_sbe_zcard_key(msg)))
AGAIN(zscore, (w, leat_sbe_zscore_key(msg), leat_sbe_zscore_member(msg)))
AGAIN(get, (w, leat_sbe_get_key(msg)))
AGAIN(set, (w, leat_sbe_set_flags(msg), leat_sbe_set_expire_mode(msg),
		   leat_sbe_set_expire_value(msg), leat_sbe_set_key(msg), leat_sbe_set_value(msg)))
AGAIN(incr, (w, leat_sbe_incr_key(msg)))
AGAIN(decr, (w, leat_sbe_decr_key(msg)))
AGAIN(incr_by, (w, leat_sbe_incr_by_delta(msg), leat_sbe_incr_by_key(msg)))
AGAIN(decr_by, (w, leat_sbe_decr_by_delta(msg), leat_sbe_decr_by_key(msg)))
AGAIN_GROUP(del, keys, (w, entries, nb), leat_sbe_del_keys_key(&entry))
AGAIN_GROUP(exists, keys, (w, entries, nb), leat_sbe_exists_keys_key(&entry))
AGAIN(type, (w, leat_sbe_type_key(msg)))
AGAIN(expire,
	(w, leat_sbe_expire_amount(msg), leat_sbe_expire_flags(msg), leat_sbe_expire_key(msg)))
AGAIN(pexpire,
	(w, leat_sbe_pexpire_amount(msg), leat_sbe_pexpire_flags(msg), leat_sbe_pexpire_key(msg)))
AGAIN(expire_at, (w, leat_sbe_expire_at_amount(msg), leat_sbe_expire_at_flags(msg),
			 leat_sbe_expire_at_key(msg)))
AGAIN(pexpire_at, (w, leat_sbe_pexpire_at_amount(msg), leat_sbe_pexpire_at_flags(msg),
			  leat_sbe_pexpire_at_key(msg)))
AGAIN(ttl, (w, leat_sbe_ttl_key(msg)))
AGAIN(pttl, (w, leat_sbe_pttl_key(msg)))
AGAIN(persist, (w, leat_sbe_persist_key(msg)))
AGAIN_GROUP(hset, entries, (w, entries, nb, leat_sbe_hset_key(msg)),
	leat_sbe_hset_entries_field(&entry), leat_sbe_hset_entries_value(&entry))
AGAIN(hget, (w, leat_sbe_hget_key(msg), leat_sbe_hget_field(msg)))
AGAIN_GROUP(
	hdel, fields, (w, entries, nb, leat_sbe_hdel_key(msg)), leat_sbe_hdel_fields_field(&entry))
AGAIN(hget_all, (w, leat_sbe_hget_all_key(msg)))
AGAIN(hlen, (w, leat_sbe_hlen_key(msg)))
AGAIN(echo, (w, leat_sbe_echo_message(msg)))
AGAIN(info, (w))
AGAIN_GROUP(subscribe, channels, (w, entries, nb), leat_sbe_subscribe_channels_channel(&entry))
AGAIN_GROUP(unsubscribe, channels, (w, entries, nb), leat_sbe_unsubscribe_channels_channel(&entry))
AGAIN(publish, (w, leat_sbe_publish_channel(msg), leat_sbe_publish_payload(msg)))
AGAIN_GROUP(string_scan_reply, items, (w, leat_sbe_string_scan_reply_next_cursor(msg), entries, nb),
	leat_sbe_string_scan_reply_items_value(&entry))

static const again_fn agains[LEAT_SBE_TEMPLATE_ID_MAX + 1] = {
	[LEAT_SBE_NIL_REPLY] = nil_reply_again,
	[LEAT_SBE_STATUS_REPLY] = status_reply_again,
	[LEAT_SBE_ERROR_REPLY] = error_reply_again,
	[LEAT_SBE_INT_REPLY] = int_reply_again,
	[LEAT_SBE_DOUBLE_REPLY] = double_reply_again,
	[LEAT_SBE_BULK_REPLY] = bulk_reply_again,
	[LEAT_SBE_ARRAY_REPLY] = array_reply_again,
	[LEAT_SBE_SCORED_ARRAY_REPLY] = scored_array_reply_again,
	[LEAT_SBE_NULLABLE_ARRAY_REPLY] = nullable_array_reply_again,
	[LEAT_SBE_RESP_VALUE_REPLY] = resp_value_reply_again,
	[LEAT_SBE_MAP_REPLY] = map_reply_again,
	[LEAT_SBE_PUB_SUB_PUSH] = pub_sub_push_again,
	[LEAT_SBE_PUB_SUB_NUM_SUB_REPLY] = pub_sub_num_sub_reply_again,
	[LEAT_SBE_NULLABLE_DOUBLE_ARRAY_REPLY] = nullable_double_array_reply_again,
	[LEAT_SBE_SCORED_SCAN_REPLY] = scored_scan_reply_again,
	[LEAT_SBE_PING] = ping_again,
	[LEAT_SBE_ZADD] = zadd_again,
	[LEAT_SBE_ZCARD] = zcard_again,
	[LEAT_SBE_ZSCORE] = zscore_again,
	[LEAT_SBE_GET] = get_again,
	[LEAT_SBE_SET] = set_again,
	[LEAT_SBE_INCR] = incr_again,
	[LEAT_SBE_DECR] = decr_again,
	[LEAT_SBE_INCR_BY] = incr_by_again,
	[LEAT_SBE_DECR_BY] = decr_by_again,
	[LEAT_SBE_DEL] = del_again,
	[LEAT_SBE_EXISTS] = exists_again,
	[LEAT_SBE_TYPE] = type_again,
	[LEAT_SBE_EXPIRE] = expire_again,
	[LEAT_SBE_PEXPIRE] = pexpire_again,
	[LEAT_SBE_EXPIRE_AT] = expire_at_again,
	[LEAT_SBE_PEXPIRE_AT] = pexpire_at_again,
	[LEAT_SBE_TTL] = ttl_again,
	[LEAT_SBE_PTTL] = pttl_again,
	[LEAT_SBE_PERSIST] = persist_again,
	[LEAT_SBE_HSET] = hset_again,
	[LEAT_SBE_HGET] = hget_again,
	[LEAT_SBE_HDEL] = hdel_again,
	[LEAT_SBE_HGET_ALL] = hget_all_again,
	[LEAT_SBE_HLEN] = hlen_again,
	[LEAT_SBE_ECHO] = echo_again,
	[LEAT_SBE_INFO] = info_again,
	[LEAT_SBE_SUBSCRIBE] = subscribe_again,
	[LEAT_SBE_UNSUBSCRIBE] = unsubscribe_again,
	[LEAT_SBE_PUBLISH] = publish_again,
	[LEAT_SBE_STRING_SCAN_REPLY] = string_scan_reply_again,
};

int
fuzz_sbe_again(
	struct leat_writer *w, const struct leat_sbe_message *msg, const struct fuzz_sbe_over *over)
{
	again_fn again = agains[msg->layout->template_id];

	LEAT_VERIFY(again != NULL); /* a template that the list above does not have */
	return again(w, msg, over);
}
