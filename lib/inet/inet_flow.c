/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The flow table. Its signatures are SipHash under a secret key: a peer who chooses
 * his ports can fill no bucket, and cannot predict the order of evictions.
 *
 * The table's own keys are pointers to the keys inside connections and TIME-WAIT
 * entries, a fifth of their length. So what is looked up is a pointer to a pointer.
 */

#include <errno.h>

#include "inet_priv.h"

int
inet_flow_cmp(const void *a, const void *b, size_t len)
{
	const struct inet_flow_key *keys[2];

	LEAT_VERIFY(len == sizeof(keys[0]));
	memcpy(&keys[0], a, sizeof(keys[0])); /* of one length, so no call */
	memcpy(&keys[1], b, sizeof(keys[1]));
	/*
	 * rte_hash compares a slot that is free, all zero, if the signature is zero too; it is
	 * the second one in the lookup of a key, and the first in that of a burst.
	 */
	if (keys[0] == NULL || keys[1] == NULL)
		return 1;
	return inet_flow_key_is_equal(keys[0], keys[1]) ? 0 : 1;
}

/* Two IPv4 addresses are hashed without the bytes in which none differs. */
hash_sig_t
inet_flow_sig(const struct leat_inet *inet, const struct inet_flow_key *key)
{
	uint64_t addrs;
	uint32_t ports;

	if (!leat_ip_addr_is_ipv4(key->raddr))
		return (hash_sig_t)leat_siphash(&inet->flow_hash_key, key, sizeof(*key));
	addrs = (uint64_t)leat_ip_addr_ipv4(key->laddr) << 32 | leat_ip_addr_ipv4(key->raddr);
	ports = (uint32_t)key->lport << 16 | key->rport;
	return (hash_sig_t)leat_siphash_12(&inet->flow_hash_key, addrs, ports);
}

void *
inet_flow_find(const struct leat_inet *inet, const struct inet_flow_key *key)
{
	void *data;

	if (rte_hash_lookup_with_hash_data(inet->flows, &key, inet_flow_sig(inet, key), &data) < 0)
		return NULL;
	return data;
}

void
inet_flow_find_burst(struct leat_inet *inet, struct inet_burst *burst)
{
	burst->hits = 0;
	burst->nb_flow_changes = inet->nb_flow_changes;
	if (burst->nb == 0)
		return;
	for (uint16_t i = 0; i < burst->nb; i++) {
		burst->flow_keys[i] = &burst->frames[i].key;
		burst->keys[i] = &burst->flow_keys[i];
		burst->sigs[i] = inet_flow_sig(inet, &burst->frames[i].key);
	}
	LEAT_VERIFY(rte_hash_lookup_with_hash_bulk_data(inet->flows, burst->keys, burst->sigs,
			    burst->nb, &burst->hits, burst->data) >= 0);
}

int
inet_flow_add(struct leat_inet *inet, const struct inet_flow_key *key, void *data)
{
	inet->nb_flow_changes++;
	if (rte_hash_add_key_with_hash_data(inet->flows, &key, inet_flow_sig(inet, key), data) < 0)
		return -ENOBUFS;
	return 0;
}

void
inet_flow_remove(struct leat_inet *inet, const struct inet_flow_key *key)
{
	inet->nb_flow_changes++;
	LEAT_VERIFY(rte_hash_del_key_with_hash(inet->flows, &key, inet_flow_sig(inet, key)) >= 0);
}
