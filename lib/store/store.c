/* SPDX-License-Identifier: BSD-3-Clause */

#include <errno.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include <leat_siphash.h>

#include "store_priv.h"

/* A key of the index is a slice: where the bytes are, and how many. */
static_assert(sizeof(struct leat_slice) == 16, "no padding in an index key");
static_assert(LEAT_STORE_BULK_MAX <= RTE_HASH_LOOKUP_BULK_MAX, "one bulk lookup");
static_assert(sizeof(hash_sig_t) == sizeof(uint32_t), "the hash of a hint is a signature");

/* Seeds of the secrets that are drawn from the one of the configuration. */
enum store_secret {
	STORE_SECRET_DICT_K0,
	STORE_SECRET_DICT_K1,
	STORE_SECRET_LEVELS,
};

static int
index_compare(const void *a, const void *b, size_t key_len)
{
	const struct leat_slice *x = a;
	const struct leat_slice *y = b;

	(void)key_len; /* of the slices, not of their bytes */
	return leat_slice_is_equal(*x, *y) ? 0 : 1;
}

static uint64_t
secret_derive(const struct leat_siphash_key *key, enum store_secret secret)
{
	uint8_t label = (uint8_t)secret;

	return leat_siphash(key, &label, sizeof(label));
}

static int
conf_check(const struct leat_store_conf *conf, struct leat_error *error)
{
	size_t name_len = conf->name == NULL ? 0 : strlen(conf->name);

	if (name_len == 0 || name_len > LEAT_STORE_NAME_MAX)
		return leat_error_set(error, -EINVAL, "store: a name has 1 to %u bytes, not %zu",
			LEAT_STORE_NAME_MAX, name_len);
	if (conf->nb_keys_max < LEAT_STORE_KEYS_MIN || conf->nb_keys_max > LEAT_STORE_KEYS_MAX)
		return leat_error_set(error, -EINVAL,
			"store %s: the number of keys must be %u to %u, not %u", conf->name,
			LEAT_STORE_KEYS_MIN, LEAT_STORE_KEYS_MAX, conf->nb_keys_max);
	if (conf->mem_len < LEAT_STORE_MEM_LEN_MIN || conf->mem_len > LEAT_HEAP_LEN_MAX)
		return leat_error_set(error, -EINVAL,
			"store %s: its memory must be %u to %llu bytes, not %zu", conf->name,
			LEAT_STORE_MEM_LEN_MIN, (unsigned long long)LEAT_HEAP_LEN_MAX,
			conf->mem_len);
	return 0;
}

static int
index_create(struct leat_store *store, const struct leat_store_conf *conf, struct leat_error *error)
{
	struct rte_hash_parameters params = {
		.name = conf->name,
		.entries = conf->nb_keys_max,
		.key_len = sizeof(struct leat_slice),
		.socket_id = conf->socket_id,
		.extra_flag = RTE_HASH_EXTRA_FLAGS_EXT_TABLE,
	};

	rte_errno = 0;
	store->index = rte_hash_create(&params);
	if (store->index == NULL && rte_errno == EEXIST)
		return leat_error_set(
			error, -EEXIST, "store: there is one named %s already", conf->name);
	if (store->index == NULL) /* rte_errno does not always tell, but nothing else is left */
		return leat_error_set(error, -ENOMEM,
			"store %s: no memory for an index of %u keys on NUMA node %d; give leatd "
			"more memory or fewer keys",
			conf->name, conf->nb_keys_max, conf->socket_id);
	rte_hash_set_cmp_func(store->index, index_compare);
	return 0;
}

int
leat_store_open(
	const struct leat_store_conf *conf, struct leat_store **out, struct leat_error *error)
{
	struct leat_store *store;
	int ret = conf_check(conf, error);

	if (ret < 0)
		return ret;
	store = rte_zmalloc_socket(NULL, sizeof(*store), LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (store == NULL)
		return leat_error_set(error, -ENOMEM, "store %s: no memory on NUMA node %d",
			conf->name, conf->socket_id);
	store->region =
		rte_malloc_socket(NULL, conf->mem_len, LEAT_CACHE_LINE_LEN, conf->socket_id);
	if (store->region == NULL) {
		ret = leat_error_set(error, -ENOMEM,
			"store %s: no %zu bytes in one piece on NUMA node %d; give leatd more "
			"memory",
			conf->name, conf->mem_len, conf->socket_id);
		goto free_store;
	}
	ret = index_create(store, conf, error);
	if (ret < 0)
		goto free_region;
	store->key = (struct leat_siphash_key){ conf->seed[0], conf->seed[1] };
	store->env.heap = leat_heap_init(store->region, conf->mem_len);
	LEAT_VERIFY(store->env.heap != NULL);
	store->env.key.k0 = secret_derive(&store->key, STORE_SECRET_DICT_K0);
	store->env.key.k1 = secret_derive(&store->key, STORE_SECRET_DICT_K1);
	store->env.random = secret_derive(&store->key, STORE_SECRET_LEVELS);
	store->keeper.keep = store_keep;
	store->keeper.release = store_unkeep;
	TAILQ_INIT(&store->live);
	TAILQ_INIT(&store->dropped);
	leat_timer_wheel_init(&store->wheel, conf->now_us);
	*out = store;
	return 0;

free_region:
	rte_free(store->region);
free_store:
	rte_free(store);
	return ret;
}

void
leat_store_close(struct leat_store *store)
{
	if (store == NULL)
		return;
	LEAT_VERIFY(store->nb_lent == 0);
	rte_hash_free(store->index);
	leat_heap_fini(store->env.heap);
	rte_free(store->region);
	rte_free(store);
}

void
leat_store_hash(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint)
{
	hint->hash = (uint32_t)leat_siphash(&store->key, key.data, key.len);
	hint->is_hashed = true;
	hint->is_looked_up = false;
}

/* What the index said of the key of a hint just now. */
static void
hint_fill(const struct leat_store *store, struct leat_store_hint *hint,
	struct leat_store_entry *entry)
{
	if (entry != NULL && entry->epoch != store->epoch)
		entry = NULL; /* dropped, but still in the index */
	hint->entry = entry;
	hint->is_looked_up = true;
	hint->nb_added = store->nb_added;
	hint->nb_removed = store->nb_removed;
}

/* Entries do not move: a hit is void only when a key was removed, a miss when one was added. */
static bool
hint_holds(const struct leat_store *store, const struct leat_store_hint *hint)
{
	if (!hint->is_hashed || !hint->is_looked_up)
		return false;
	return hint->entry != NULL ? hint->nb_removed == store->nb_removed
				   : hint->nb_added == store->nb_added;
}

void
leat_store_look_up(struct leat_store *store, const struct leat_slice *keys,
	struct leat_store_hint *const *hints, uint32_t nb)
{
	const void *index_keys[LEAT_STORE_BULK_MAX];
	hash_sig_t hashes[LEAT_STORE_BULK_MAX];
	void *entries[LEAT_STORE_BULK_MAX];
	uint64_t hit_mask = 0;
	int ret;

	LEAT_VERIFY(nb > 0 && nb <= LEAT_STORE_BULK_MAX);
	for (uint32_t i = 0; i < nb; i++) {
		LEAT_VERIFY(hints[i]->is_hashed);
		index_keys[i] = &keys[i];
		hashes[i] = hints[i]->hash;
	}
	ret = rte_hash_lookup_with_hash_bulk_data(
		store->index, index_keys, hashes, nb, &hit_mask, entries);
	LEAT_VERIFY(ret >= 0);
	for (uint32_t i = 0; i < nb; i++) {
		bool is_hit = (hit_mask >> i & 1) != 0;

		hint_fill(store, hints[i], is_hit ? entries[i] : NULL);
	}
}

struct leat_store_entry *
store_index_find(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint)
{
	void *entry = NULL;

	if (hint_holds(store, hint)) {
		LEAT_ASSERT(hint->entry == NULL ||
			    leat_slice_is_equal(leat_store_entry_key(hint->entry), key));
		return hint->entry;
	}
	if (!hint->is_hashed)
		leat_store_hash(store, key, hint);
	if (rte_hash_lookup_with_hash_data(store->index, &key, hint->hash, &entry) < 0)
		entry = NULL;
	hint_fill(store, hint, entry);
	return hint->entry;
}

struct leat_store_entry *
leat_store_find(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	uint64_t now_us)
{
	struct leat_store_hint own = { 0 };
	struct leat_store_entry *entry;

	if (hint == NULL)
		hint = &own;
	entry = store_index_find(store, key, hint);
	if (entry != NULL && entry->expiry != NULL && entry->expiry->at_us <= now_us) {
		store_entry_remove(store, entry);
		hint_fill(store, hint, NULL);
		return NULL;
	}
	return entry;
}

static void
entry_unindex(struct leat_store *store, struct leat_store_entry *entry)
{
	struct leat_slice key = leat_store_entry_key(entry);
	int ret = rte_hash_del_key_with_hash(store->index, &key, entry->hash);

	LEAT_VERIFY(ret >= 0);
	entry->is_indexed = false;
}

/* The index would take the place of a dropped entry for that of a new one of the same key. */
static void
index_clear_dropped(struct leat_store *store, struct leat_slice key, uint32_t hash)
{
	void *found = NULL;
	struct leat_store_entry *entry;

	if (store->nb_dropped == 0 ||
		rte_hash_lookup_with_hash_data(store->index, &key, hash, &found) < 0)
		return;
	entry = found;
	LEAT_VERIFY(entry->epoch != store->epoch);
	entry_unindex(store, entry);
}

struct leat_store_entry *
store_entry_add(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	enum leat_store_type type, union store_value value)
{
	struct leat_store_entry *entry;
	struct leat_slice own_key;

	LEAT_ASSERT(key.len <= LEAT_STORE_BYTES_MAX);
	entry = leat_heap_alloc(store->env.heap, offsetof(struct leat_store_entry, key) + key.len);
	if (entry == NULL)
		return NULL;
	memset(entry, 0, sizeof(*entry));
	if (key.len > 0)
		memcpy(entry->key, key.data, key.len);
	entry->key_len = (uint32_t)key.len;
	entry->hash = hint->hash;
	entry->epoch = store->epoch;
	entry->type = (uint8_t)type;
	entry->value = value;
	index_clear_dropped(store, key, hint->hash);
	own_key = leat_store_entry_key(entry);
	if (rte_hash_add_key_with_hash_data(store->index, &own_key, hint->hash, entry) < 0) {
		leat_heap_free(store->env.heap, entry);
		return NULL;
	}
	entry->is_indexed = true;
	TAILQ_INSERT_TAIL(&store->live, entry, link);
	store->nb_keys++;
	store->nb_added++;
	hint_fill(store, hint, entry);
	return entry;
}

void
store_entry_remove(struct leat_store *store, struct leat_store_entry *entry)
{
	LEAT_VERIFY(entry->epoch == store->epoch && store->nb_keys > 0);
	entry_unindex(store, entry);
	TAILQ_REMOVE(&store->live, entry, link);
	store_expiry_detach(store, entry);
	store_value_release(store, entry);
	leat_heap_free(store->env.heap, entry);
	store->nb_keys--;
	store->nb_removed++;
}

bool
leat_store_remove(struct leat_store *store, struct leat_slice key, struct leat_store_hint *hint,
	uint64_t now_us)
{
	struct leat_store_entry *entry = leat_store_find(store, key, hint, now_us);

	if (entry == NULL)
		return false;
	store_entry_remove(store, entry);
	return true;
}

void
leat_store_flush_all(struct leat_store *store)
{
	TAILQ_CONCAT(&store->dropped, &store->live, link);
	store->nb_dropped += store->nb_keys;
	store->epoch++;
	store->nb_removed++;
	store->nb_keys = 0;
	store->nb_expiring = 0;
}

/* Free the oldest dropped entry. */
static void
dropped_free(struct leat_store *store)
{
	struct leat_store_entry *entry = TAILQ_FIRST(&store->dropped);

	TAILQ_REMOVE(&store->dropped, entry, link);
	store->nb_dropped--;
	if (entry->is_indexed)
		entry_unindex(store, entry);
	store_expiry_free(store, entry->expiry);
	store_value_release(store, entry);
	leat_heap_free(store->env.heap, entry);
}

/* Go on freeing the first object of the garbage. */
static void
garbage_free(struct leat_store *store, uint32_t *budget)
{
	struct store_object *object = store->garbage;
	bool is_done;

	if (object->type == LEAT_STORE_HASH)
		is_done = leat_dict_fini(&object->dict, &store->env, budget);
	else
		is_done = leat_zset_fini(&object->zset, &store->env, budget);
	if (!is_done)
		return;
	store->garbage = object->next;
	leat_heap_free(store->env.heap, object);
}

uint32_t
store_garbage_free(struct leat_store *store, uint32_t nb_max)
{
	uint32_t budget = nb_max;

	while (budget > 0 && (store->garbage != NULL || store->nb_dropped > 0)) {
		if (store->garbage != NULL) {
			garbage_free(store, &budget);
		} else {
			dropped_free(store);
			budget--;
		}
	}
	return nb_max - budget;
}

void
store_object_release(struct leat_store *store, struct store_object *object)
{
	uint32_t budget = STORE_RELEASE_MAX;

	object->next = store->garbage;
	store->garbage = object;
	garbage_free(store, &budget);
}

void
store_value_release(struct leat_store *store, const struct leat_store_entry *entry)
{
	if (entry->type == LEAT_STORE_STRING)
		store_string_release(store, leat_store_string(entry));
	else
		store_object_release(store, entry->value.object);
}

struct store_object *
store_object_alloc(struct leat_store *store, enum leat_store_type type)
{
	struct store_object *object = leat_heap_alloc(store->env.heap, sizeof(*object));
	int ret;

	if (object == NULL)
		return NULL;
	object->next = NULL;
	object->type = type;
	if (type == LEAT_STORE_HASH)
		ret = leat_dict_init(&object->dict, &store->env);
	else
		ret = leat_zset_init(&object->zset, &store->env);
	if (ret < 0) {
		leat_heap_free(store->env.heap, object);
		return NULL;
	}
	return object;
}

uint32_t
leat_store_run(struct leat_store *store, uint64_t now_us)
{
	uint32_t nb = 0;

	store_unpark(store);
	for (; nb < LEAT_STORE_EXPIRE_MAX; nb++) {
		struct leat_timer *timer = leat_timer_expire(&store->wheel, now_us);
		struct store_expiry *expiry;

		if (timer == NULL)
			break;
		expiry = LEAT_CONTAINER_OF(timer, struct store_expiry, timer);
		if (expiry->entry->epoch == store->epoch)
			store_entry_remove(store, expiry->entry);
	}
	return nb + store_garbage_free(store, LEAT_STORE_FREE_MAX);
}

uint64_t
leat_store_next_us(const struct leat_store *store)
{
	if (store->garbage != NULL || store->nb_dropped > 0 || store->parked.data != NULL)
		return 0;
	return leat_timer_next_us(&store->wheel);
}
