/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef CONTROL_PRIV_H
#define CONTROL_PRIV_H

#include <pthread.h>

#include <rte_telemetry.h>

#include <leat_ip.h>
#include <leat_record.h>

#include "leat_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Telemetry sends 16 KiB at most and drops what is over without a word. */
#define CONTROL_REPLY_LEN_MAX 16000u
#define CONTROL_NAME_LEN      48u /* of "worker0/p0/tcp_conns_full" and the like, zero included */

/* control_dict.c: a dictionary of a reply that knows how long its JSON will be. */
struct control_dict {
	struct rte_tel_data *data;
	size_t len;
	uint32_t nb_entries;
};

/* Begin one on telemetry's own @p data, or, where that is NULL, on new memory: 0 or -ENOMEM. */
int control_dict_open(struct control_dict *dict, struct rte_tel_data *data);
/*
 * Each returns whether it found room; if not, nothing is changed. Of a name, what telemetry
 * does not take becomes _.
 */
bool control_dict_u64(struct control_dict *dict, const char *name, uint64_t value);
bool control_dict_text(struct control_dict *dict, const char *name, const char *text);
/* Takes @p child, also where there is no room. */
bool control_dict_add(struct control_dict *dict, const char *name, struct control_dict *child);
/* Free one that was opened on new memory and not added. */
void control_dict_free(struct control_dict *dict);

/* control_filter.c */
#define CONTROL_FILTER_STATE_MAX 16 /* bytes of a state's name, the zero included */

struct control_net {
	bool is_set;
	struct leat_ip_addr addr;
	uint8_t prefix_len;
};

/* Connections for which each term that is set holds. */
struct control_filter {
	char state[CONTROL_FILTER_STATE_MAX];    /* "": any */
	char protocol[CONTROL_FILTER_STATE_MAX]; /* "": any */
	uint16_t port;                           /* of either end; 0: any */
	struct control_net local;
	struct control_net peer;
};

/* Read "state=established,peer=10.0.0.0/8"; "" lets everything through. 0 or -EINVAL. */
int control_filter_parse(const char *text, struct control_filter *filter, struct leat_error *error);
bool control_filter_matches(const struct control_filter *filter, const struct leat_conn_info *info,
	const char *protocol);

/* control_walk.c: a walk over the places of all transports of all workers. */
#define CONTROL_WALK_BATCH      64    /* found in one letter to a worker */
#define CONTROL_WALK_PLACES_MAX 2048u /* looked at in one letter: some 100 us of the lcore */
#define CONTROL_WALK_ASKS_MAX   256u  /* letters for one reply */

struct control_found {
	uint64_t id; /* worker, transport and place */
	const char *transport;
	union {
		struct {
			struct leat_conn_info info;
			const char *protocol;
		} conn;
		struct leat_neighbour_info neighbour;
	};
};

struct control_kind {
	const char *name; /* in the reply */
	/* On the lcore: as conn_info() of the transport. */
	int (*look)(const struct leat_transport *xp, uint32_t place,
		const struct control_filter *filter, struct control_found *found);
	void (*tell)(const struct control_found *found, struct control_dict *dict);
};

/* The work of one letter, and where the walk is. */
struct control_walk {
	const struct control_kind *kind;
	const struct control_filter *filter;
	uint16_t worker_idx;
	uint16_t transport_idx;
	uint32_t place;
	bool is_end; /* of this worker */
	uint32_t nb_found;
	struct control_found found[CONTROL_WALK_BATCH];
};

struct leat_control {
	struct leat_control_conf conf;
	/* What follows belongs to whoever holds the mutex of control.c. */
	struct control_walk walk; /* of the command that is being answered */
	void *copy_mem;
	struct leat_record copy; /* of a flight recorder, in copy_mem */
	uint32_t nb_files;       /* numbers of files */
	uint32_t nb_records;     /* of them, those that nobody asked for */
	bool has_failed;         /* the last of these */

	/* The thread that writes them, where there is one. */
	pthread_t thread;
	bool has_thread;
	pthread_cond_t wake; /* with the mutex: is_ending has changed */
	bool is_ending;      /* the workers have returned */
};

/* Commands: params is never NULL. 0, or -errno with the sentence. */
int control_conn(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error);
int control_neighbours(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error);
int control_stats(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error);
int control_pools(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error);

int control_record(struct leat_control *control, const char *params, struct control_dict *reply,
	struct leat_error *error);

/* Write the first frozen recorder to a file. @return whether there was one. */
bool control_record_frozen(struct leat_control *control);

#ifdef __cplusplus
}
#endif

#endif /* CONTROL_PRIV_H */
