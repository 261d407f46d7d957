/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_INET_H
#define LEAT_INET_H

/**
 * @file
 * One worker's stack on one port: Ethernet, ARP, IPv4, ICMP and TCP over bursts of
 * frames. No I/O: frames and time go in; frames and events come out. The dpdk driver
 * puts it on an ethdev, test/sim on a seeded link.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include <leat_common.h>
#include <leat_error.h>
#include <leat_tcp.h>

#ifdef __cplusplus
extern "C" {
#endif

struct leat_inet;
struct leat_inet_conn;

#define LEAT_INET_ADDRS_MAX     8 /**< addresses of one port */
#define LEAT_INET_LISTENERS_MAX 32
#define LEAT_INET_MTU_MIN       576u
#define LEAT_INET_BURST_MAX     32 /**< frames of one burst */

struct leat_inet_addr {
	uint32_t addr;      /**< host order */
	uint8_t prefix_len; /**< 0 to 32 */
};

/** Work that the port's hardware does for us; what it does not, the stack does itself. */
struct leat_inet_offloads {
	bool tx_ip_cksum;
	bool tx_tcp_cksum;
	bool rx_ip_cksum; /**< mbuf ol_flags tell; RTE_MBUF_F_RX_IP_CKSUM_UNKNOWN is still checked */
	bool rx_tcp_cksum;
	bool tx_multi_seg; /**< the port sends chains; without it every frame is one segment */
};

struct leat_inet_conf {
	const char *name; /**< unique in the process, at most 16 bytes */
	int socket_id;
	uint8_t mac[6];
	uint16_t mtu;     /**< of IP packets, LEAT_INET_MTU_MIN or more */
	uint16_t vlan_id; /**< 0: untagged */
	uint8_t nb_addrs;
	struct leat_inet_addr addrs[LEAT_INET_ADDRS_MAX];
	uint32_t gateway; /**< host order, 0: none */
	struct leat_inet_offloads offloads;
	struct leat_tcp_conf tcp;
	uint32_t nb_conns_max;
	uint32_t nb_time_waits_max;
	uint32_t nb_neighbours_max;
	uint16_t
		conn_priv_len; /**< bytes in front of each connection for the user, zeroed at OPEN */
	struct rte_mempool *pool; /**< for headers, copies and control frames */
	uint64_t seed[2];
	uint64_t now_us;
};

enum leat_inet_event_type {
	LEAT_INET_OPEN,
	LEAT_INET_DATA,
	LEAT_INET_WRITABLE,
	LEAT_INET_EOF,
	LEAT_INET_CLOSED,
};

/** As struct leat_transport_event, and under the same order per connection. */
struct leat_inet_event {
	enum leat_inet_event_type type;
	int32_t error;
	struct leat_inet_conn *conn;
	struct rte_mbuf *mbuf; /**< DATA: in-order text, a chain, the caller's */
};

/** @return 0, or -EINVAL, -ENOMEM with the sentence in @p error. */
int leat_inet_open(
	const struct leat_inet_conf *conf, struct leat_inet **out, struct leat_error *error);

/** Free everything; no event and no frame follows. */
void leat_inet_close(struct leat_inet *inet);

/** Bytes of memory that a stack of @p conf takes, its pool aside. */
size_t leat_inet_mem_len(const struct leat_inet_conf *conf);

/**
 * Accept connections to @p port of @p addr (0: any of ours); @p listener is handed
 * out by leat_inet_conn_listener(). @return 0, -EADDRINUSE, -EADDRNOTAVAIL, -ENOSPC.
 */
int leat_inet_listen(struct leat_inet *inet, uint32_t addr, uint16_t port, void *listener);

/** Accept no more; what is open stays. @return 0 or -ENOENT. */
int leat_inet_unlisten(struct leat_inet *inet, uint32_t addr, uint16_t port);

/** Active open. @return 0, -ENOBUFS, -ENETUNREACH, -EADDRNOTAVAIL (no free port). */
int leat_inet_connect(struct leat_inet *inet, uint32_t addr, uint16_t port, uint64_t now_us,
	struct leat_inet_conn **out);

/**
 * A burst of frames has arrived. The stack takes all mbufs.
 *
 * @param nb
 *   0 to LEAT_INET_BURST_MAX.
 */
void leat_inet_input(
	struct leat_inet *inet, uint64_t now_us, struct rte_mbuf **frames, uint16_t nb);

/** Run timers that are due. */
void leat_inet_timers(struct leat_inet *inet, uint64_t now_us);

/** When leat_inet_timers() has something to do next; UINT64_MAX: never. */
uint64_t leat_inet_deadline(const struct leat_inet *inet);

/** Take up to @p nb events, oldest connection first. @return how many. */
uint16_t leat_inet_events(struct leat_inet *inet, struct leat_inet_event *events, uint16_t nb);

/**
 * Build frames that are to be sent: ACKs, text, ARP, ICMP. Called until it returns
 * less than @p nb. The frames are the caller's, with TX offload flags set where
 * conf.offloads allows. When the pool is dry the rest stays owed.
 */
uint16_t leat_inet_output(
	struct leat_inet *inet, uint64_t now_us, struct rte_mbuf **frames, uint16_t nb);

/** An empty mbuf with room for headers, for text to be sent; NULL when the pool is dry. */
struct rte_mbuf *leat_inet_tx_alloc(struct leat_inet *inet);

/* One connection; see the operations of the same names in leat_transport.h. */
int leat_inet_send(struct leat_inet *inet, struct leat_inet_conn *conn, struct rte_mbuf *chain);
void leat_inet_consumed(struct leat_inet *inet, struct leat_inet_conn *conn, uint32_t len);
void leat_inet_shutdown(struct leat_inet *inet, struct leat_inet_conn *conn);
void leat_inet_abort(struct leat_inet *inet, struct leat_inet_conn *conn);

/** The conn_priv_len bytes of the user, aligned to 16. */
void *leat_inet_conn_priv(struct leat_inet_conn *conn);
/** The connection whose private bytes are at @p priv; the inverse. */
struct leat_inet_conn *leat_inet_conn_of_priv(const struct leat_inet *inet, void *priv);
/** The pointer given to leat_inet_listen(), NULL after an active open. */
void *leat_inet_conn_listener(const struct leat_inet_conn *conn);
/** Both ends, host order. */
void leat_inet_conn_ends(const struct leat_inet_conn *conn, uint32_t *laddr, uint16_t *lport,
	uint32_t *raddr, uint16_t *rport);

/** One counter per thing that can happen to a frame; names as the members. */
struct leat_inet_stats {
	uint64_t rx_frames;
	uint64_t tx_frames;
	/* its author adds one for every drop and error reason */
};

const struct leat_inet_stats *leat_inet_stats(const struct leat_inet *inet);
uint32_t leat_inet_nb_conns(const struct leat_inet *inet);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_INET_H */
