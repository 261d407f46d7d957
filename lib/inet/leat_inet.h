/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_INET_H
#define LEAT_INET_H

/**
 * @file
 * One worker's stack on one port: Ethernet, ARP, IPv4, ICMP, IPv6 with neighbour
 * discovery and ICMPv6, and TCP over bursts of frames. No I/O: frames and time go in;
 * frames and events come out. The dpdk driver puts it on an ethdev, test/sim on a seeded
 * link.
 *
 * A stack that has an IPv6 address has the link-local one of its MAC address too. One
 * without hears no IPv6 at all.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#include <leat_common.h>
#include <leat_error.h>
#include <leat_ip.h>
#include <leat_record.h>
#include <leat_stats.h>
#include <leat_tcp.h>

#include "leat_inet_offload.h"
#include "leat_inet_stats.h"

#ifdef __cplusplus
extern "C" {
#endif

struct leat_inet;
struct leat_inet_conn;

#define LEAT_INET_ADDRS_MAX 8 /**< addresses of one port, of both families */
/** Multicast MAC addresses of one port: all nodes, and one for each address at most. */
#define LEAT_INET_GROUPS_MAX    (LEAT_INET_ADDRS_MAX + 2)
#define LEAT_INET_LISTENERS_MAX 32
#define LEAT_INET_MTU_MIN       576u /**< with an IPv6 address LEAT_IPV6_MTU_MIN */
#define LEAT_INET_MTU_MAX       9216u
#define LEAT_INET_BURST_MAX     32   /**< frames of one burst */
#define LEAT_INET_NAME_MAX      16   /**< bytes of conf.name, without its terminating zero */
#define LEAT_INET_PRIV_LEN_MAX  4096 /**< bytes of the user in front of each connection */
#define LEAT_INET_CONNS_MAX     (1u << 24)
#define LEAT_INET_NBRS_MAX      (1u << 16)

/** Control frames (ARP, ND, ICMP, RST) that wait for leat_inet_output(). */
#define LEAT_INET_CTL_MAX 128u
/**
 * Connections in SYN-RECEIVED: one of so many slots, at least one; those of unknown
 * neighbours: one of so many neighbours.
 */
#define LEAT_INET_HALF_OPEN_SHARE 4u
#define LEAT_INET_HALF_OPEN_MAX   4096u
/** Connections that one leat_inet_relieve() looks at. */
#define LEAT_INET_RELIEF_SLOTS 128u
/** Text up to this length is copied behind the headers; longer text leaves as it lies. */
#define LEAT_INET_TX_COPY_MAX 256u
/** Pieces of text in one frame; text in more pieces is copied. */
#define LEAT_INET_TX_SEGS_MAX 8u
/** The same, and bytes of text, in one frame that the port cuts into segments. */
#define LEAT_INET_TSO_SEGS_MAX 20u
#define LEAT_INET_TSO_LEN_MAX  32768u

/** Unread text of one connection, over which no more is kept while mbufs run low. */
#define LEAT_INET_UNREAD_LOW_MAX 16384u

#define LEAT_INET_PORT_MIN       32768u /**< ephemeral ports, as Linux has them */
#define LEAT_INET_PORT_MAX       60999u

#define LEAT_INET_ARP_QUEUE_MAX  4u /**< frames that wait for one neighbour */
#define LEAT_INET_ARP_TRIES_MAX  3u /**< questions before a neighbour is unreachable */
/** Between two of them, RFC 1122 section 2.3.2.1 and RFC 4861 section 10. */
#define LEAT_INET_ARP_RETRY_US 1000000u
/** A neighbour that no traffic confirmed for so long is asked again. */
#define LEAT_INET_ARP_AGE_US (20u * 60u * 1000000u)
/** The same of an IPv6 neighbour: REACHABLE_TIME of RFC 4861 section 10. */
#define LEAT_INET_ND_AGE_US (30u * 1000000u)

/** Replies per second, and at once after silence, before further ones are not sent. */
#define LEAT_INET_ECHO_RATE  50000u
#define LEAT_INET_ECHO_BURST 5000u
#define LEAT_INET_RST_RATE   20000u
#define LEAT_INET_RST_BURST  5000u
#define LEAT_INET_ACK_RATE   5000u /**< of ACKs out of TIME-WAIT */
#define LEAT_INET_ACK_BURST  1000u
/** ICMP errors looked at. */
#define LEAT_INET_ICMP_ERROR_RATE  1000u
#define LEAT_INET_ICMP_ERROR_BURST 1000u

/** When a SYN is answered without keeping anything of it, see leat_tcp_cookie.h. */
enum leat_inet_cookies {
	LEAT_INET_COOKIES_AUTO, /**< when there is no room for it among the half-open ones */
	LEAT_INET_COOKIES_ALWAYS,
	LEAT_INET_COOKIES_NEVER, /**< the oldest half-open connection makes room */
	LEAT_INET_COOKIES,
};

struct leat_inet_addr {
	struct leat_ip_addr addr;
	uint8_t prefix_len; /**< 0 to 32, of IPv6 0 to 128 */
};

/** Settings of one stack; const while it is open. */
struct leat_inet_conf {
	const char *name; /**< unique in the process, 1 to LEAT_INET_NAME_MAX bytes; copied */
	int socket_id;    /**< NUMA node of its memory */
	uint8_t mac[6];
	uint16_t mtu;     /**< of IP packets, LEAT_INET_MTU_MIN to LEAT_INET_MTU_MAX */
	uint16_t vlan_id; /**< 1 to 4094; 0: untagged. Frames of others are dropped */
	uint8_t nb_addrs; /**< 1 to LEAT_INET_ADDRS_MAX */
	struct leat_inet_addr addrs[LEAT_INET_ADDRS_MAX];
	struct leat_ip_addr gateway;  /**< IPv4, or none */
	struct leat_ip_addr gateway6; /**< IPv6, or none; may be a link-local address */
	struct leat_inet_offloads offloads;
	uint16_t nb_tx_segs_max;  /**< mbufs of a frame that the port takes, 0: any number */
	uint16_t nb_tso_segs_max; /**< likewise, of one that it cuts */
	/** bytes of a frame that the port makes by cutting, from Ethernet on; 0: any, or >= mtu */
	uint16_t tso_frame_len_max;
	bool tso_ipv4_only;  /**< what the port promises to cut it cuts of IPv4 alone */
	bool tx_even_segs;   /**< each mbuf of a chain but the last must have an even length */
	bool trust_offloads; /**< they are known to be kept: use them without a trial */
	/**
	 * mss is at most mtu - 40; over IPv6 it is at most mtu - 60, and mss_default the one
	 * of IPv6. Without a reass_budget all connections together keep a
	 * quarter of the mbufs of @p rx_pool out of order; without a ts_offset it is drawn
	 * from @p seed. Its pool is the stack's own: a record for each mbuf of @p text_pool.
	 */
	struct leat_tcp_conf tcp;
	enum leat_inet_cookies cookies;
	uint32_t nb_conns_max;      /**< 1 to LEAT_INET_CONNS_MAX */
	uint32_t nb_time_waits_max; /**< 0 to LEAT_INET_CONNS_MAX; 0: no TIME-WAIT is kept */
	uint32_t nb_neighbours_max; /**< 1 to LEAT_INET_NBRS_MAX */
	/** Of the user, in front of each connection, zero at OPEN; LEAT_INET_PRIV_LEN_MAX */
	uint16_t conn_priv_len;
	/** Segments of each class that the flight recorder keeps, LEAT_RECORD_SEGS_MAX; 0: none */
	uint32_t nb_record_segs;
	/** For headers, copies and control frames; an mbuf holds a frame of the MTU. Borrowed. */
	struct rte_mempool *pool;
	/**
	 * Whose mbufs arrive, and those of text to be sent: watched, so that who would begin
	 * is turned away and who holds text waits while they run low. Borrowed; NULL: @p pool,
	 * and not watched.
	 */
	struct rte_mempool *rx_pool;
	struct rte_mempool *text_pool;
	uint64_t seed[2]; /**< secret: for hashes, sequence numbers and ports */
	uint64_t now_us;
};

/** As struct leat_transport_event, and under the same order per connection. */
enum leat_inet_event_type {
	LEAT_INET_OPEN,     /**< accepted, or a connect that succeeded */
	LEAT_INET_DATA,     /**< text, at most one event per connection and burst */
	LEAT_INET_WRITABLE, /**< a leat_inet_send() that failed may be tried again */
	LEAT_INET_EOF,      /**< the peer sends no more */
	LEAT_INET_CLOSED,   /**< the user is done with it, whatever goes on on the wire */
};

struct leat_inet_event {
	enum leat_inet_event_type type;
	/**
	 * CLOSED: 0, -ECONNRESET, -ECONNREFUSED, -ETIMEDOUT, -ECONNABORTED (by us),
	 * -EHOSTUNREACH (the next hop does not answer a connect, or a router says so and
	 * nothing else is heard until the end), -ENETUNREACH (as the latter), -ENOBUFS
	 * (leat_inet_relieve())
	 */
	int32_t error;
	struct leat_inet_conn *conn;
	/** DATA: in-order text, a packet without empty segments, the caller's; else NULL */
	struct rte_mbuf *mbuf;
};

/**
 * Take all memory and build a stack. The first leat_inet_output() announces its
 * addresses (RFC 5227 section 2.3).
 *
 * @param conf
 *   Copied.
 * @param out
 *   Written on success.
 * @param error
 *   The sentence on failure; may be NULL.
 * @return
 *   - 0: built.
 *   - -EINVAL: a setting that cannot be.
 *   - -ENOMEM or another of rte_hash_create(): no memory, or the name is in use.
 */
int leat_inet_open(
	const struct leat_inet_conf *conf, struct leat_inet **out, struct leat_error *error);

/** Free everything, mbufs too; no event and no frame follows. NULL is allowed. */
void leat_inet_close(struct leat_inet *inet);

/** @return bytes of the flight recorder of a stack of @p conf. */
size_t leat_inet_record_len(const struct leat_inet_conf *conf);

/**
 * The multicast MAC addresses that a stack listens to, for the port to let through.
 *
 * @param conf
 *   Of it mac, nb_addrs and addrs are read.
 * @param macs
 *   Filled, each once.
 * @return
 *   How many; 0 without an IPv6 address.
 */
uint8_t leat_inet_multicast(
	const struct leat_inet_conf *conf, uint8_t macs[LEAT_INET_GROUPS_MAX][6]);

/** @return bytes of memory that a stack of @p conf takes, its pool aside, roughly. */
size_t leat_inet_mem_len(const struct leat_inet_conf *conf);

/**
 * @return
 *   Bytes that one idle connection takes: its slot with the user's private bytes, and its
 *   place in the flow table.
 */
size_t leat_inet_conn_len(const struct leat_inet_conf *conf);

/** @return bytes that one connection in TIME-WAIT takes, its place in the flow table included. */
size_t leat_inet_time_wait_len(const struct leat_inet_conf *conf);

/**
 * Accept connections from now on.
 *
 * @param addr
 *   One of ours, or 0.0.0.0 or "::": any of ours of that family. The listener of an
 *   address goes before that of any.
 * @param port
 *   Not 0.
 * @param listener
 *   Handed out by leat_inet_conn_listener(), never read.
 * @return
 *   - 0: listening.
 *   - -EADDRINUSE: there is a listener for this address and port already.
 *   - -EADDRNOTAVAIL: the address is not ours, or the port is 0.
 *   - -ENOSPC: there are LEAT_INET_LISTENERS_MAX.
 */
int leat_inet_listen(
	struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port, void *listener);

/** Keep-alives of a listener's connections, RFC 9293 section 3.8.4. */
struct leat_inet_keepalive {
	uint32_t idle_s;     /**< silence before the first, 0: none; LEAT_TCP_KEEP_MAX_S */
	uint32_t interval_s; /**< between two of them, 1 to LEAT_TCP_KEEP_MAX_S */
	uint8_t nb_probes;   /**< without an answer before the end, at least 1 */
};

/**
 * Set the keep-alives of connections that a listener will accept from now on, those that
 * are half open already aside. Without this call they are as in conf.tcp.
 *
 * @return
 *   - 0: set.
 *   - -EINVAL: a number that cannot be.
 *   - -ENOENT: no such listener.
 *   - -ENOSPC: LEAT_INET_LISTENERS_MAX different settings have been in use.
 */
int leat_inet_set_keepalive(struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port,
	const struct leat_inet_keepalive *keepalive);

/** Accept no more; what is open or half open stays. @return 0, or -ENOENT: no such listener. */
int leat_inet_unlisten(struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port);

/**
 * Active open, from an address on the next hop's link and a port that nobody can guess.
 * OPEN, or CLOSED with the error, follows.
 *
 * @param out
 *   Written on success; its private bytes are zero.
 * @return
 *   - 0: a SYN will leave with leat_inet_output().
 *   - -ENOBUFS: all slots are in use.
 *   - -ENETUNREACH: no host's address, one of ours, or off our links without a gateway.
 *   - -EADDRNOTAVAIL: all ephemeral ports to this peer are in use, or @p port is 0.
 */
int leat_inet_connect(struct leat_inet *inet, struct leat_ip_addr addr, uint16_t port,
	uint64_t now_us, struct leat_inet_conn **out);

/**
 * A burst of frames has arrived. The stack takes all mbufs; segments may be cut
 * anywhere, and a tag may be stripped (RTE_MBUF_F_RX_VLAN_STRIPPED) or not.
 *
 * @param nb
 *   0 to LEAT_INET_BURST_MAX.
 */
void leat_inet_input(
	struct leat_inet *inet, uint64_t now_us, struct rte_mbuf **frames, uint16_t nb);

/**
 * mbufs run short: end a connection that holds many, so that others live. Each call looks
 * at LEAT_INET_RELIEF_SLOTS slots; the one that ends all slots aborts the connection with
 * the most text in mbufs, sent or received, of those that were seen. CLOSED with -ENOBUFS
 * follows.
 *
 * @param any
 *   Whether a connection that makes progress may be chosen too. Else only one whose peer
 *   takes nothing, see leat_tcp_is_stalled().
 * @return
 *   Whether that was the one that ends all slots.
 */
bool leat_inet_relieve(struct leat_inet *inet, uint64_t now_us, bool any);

/** Run timers that are due. */
void leat_inet_timers(struct leat_inet *inet, uint64_t now_us);

/**
 * @return
 *   When leat_inet_timers() has something to do next, or before that; perhaps in the
 *   past; UINT64_MAX: never. What waits for leat_inet_output() does not count.
 */
uint64_t leat_inet_deadline(const struct leat_inet *inet);

/**
 * Take up to @p nb events, oldest connection first; the rest stays for the next call.
 * A connection of a CLOSED event and its private bytes may still be read until the next
 * leat_inet_input() or leat_inet_timers(). Until then the functions below do nothing with
 * it, so that a user who handles the events one by one may act on those before CLOSED.
 *
 * @return
 *   How many.
 */
uint16_t leat_inet_events(struct leat_inet *inet, struct leat_inet_event *events, uint16_t nb);

/**
 * Build frames that are to be sent: control frames first, then what connections owe.
 * Called until it returns less than @p nb. While too few mbufs are left the rest stays owed.
 *
 * @param frames
 *   Filled; the caller's. Short text was copied; longer text is attached as indirect
 *   mbufs where offloads.tx_multi_seg allows. TX flags and lengths are set where
 *   offloads leave a checksum to the port, whose field then holds what DPDK asks for.
 *   None is shorter than LEAT_ETH_FRAME_LEN_MIN: zeros follow, since virtual ports do not pad.
 * @return
 *   How many.
 */
uint16_t leat_inet_output(
	struct leat_inet *inet, uint64_t now_us, struct rte_mbuf **frames, uint16_t nb);

/*
 * One connection, from its OPEN event or leat_inet_connect() until its CLOSED event.
 * Nothing is sent before the next leat_inet_output().
 */

/**
 * Queue text.
 *
 * @param chain
 *   A packet of at least one byte, no empty segment. The stack's on success; its bytes
 *   must not change.
 * @return
 *   - 0: taken.
 *   - -ENOBUFS: over conf.tcp.snd_len_max; WRITABLE will follow.
 *   - -EPIPE: shut down, or ended.
 */
int leat_inet_send(struct leat_inet *inet, struct leat_inet_conn *conn, struct rte_mbuf *chain);

/** Whether the peer has acknowledged all text. If not WRITABLE will follow when it has. */
bool leat_inet_is_acked(struct leat_inet_conn *conn);

/** The user is done with @p len bytes of text, of those that it took: opens the window. */
void leat_inet_consumed(struct leat_inet *inet, struct leat_inet_conn *conn, uint32_t len);

/** Close our side in order after what was sent. Text may still arrive. */
void leat_inet_shutdown(struct leat_inet *inet, struct leat_inet_conn *conn);

/** End it at once with a RST, which is lost if the pool is dry; CLOSED follows. */
void leat_inet_abort(struct leat_inet *inet, struct leat_inet_conn *conn);

/** The conn_priv_len bytes of the user, aligned to 16. */
void *leat_inet_conn_priv(struct leat_inet_conn *conn);
/** The connection whose private bytes are at @p priv; the inverse. */
struct leat_inet_conn *leat_inet_conn_of_priv(const struct leat_inet *inet, void *priv);
/** The pointer given to leat_inet_listen(), NULL after an active open. */
void *leat_inet_conn_listener(const struct leat_inet_conn *conn);
/** Both ends; ports in host order. */
void leat_inet_conn_ends(const struct leat_inet_conn *conn, struct leat_ip_addr *laddr,
	uint16_t *lport, struct leat_ip_addr *raddr, uint16_t *rport);

/** @return enum leat_inet_notice bits; none is ever taken back. */
uint32_t leat_inet_notices(const struct leat_inet *inet);
/** The counters, which live as long as the stack. */
const struct leat_inet_stats *leat_inet_stats(const struct leat_inet *inet);

/**
 * "inet", the counters; "now", what is in use; "tcp_pool", what connections in motion have
 * lent; and the offloads that were promised, are used and were given up, 1 each that is,
 * the latter two for IPv4 and, with a 6 behind their names, for IPv6.
 */
#define LEAT_INET_STAT_SETS 8

/** All of them, by name, for as long as the stack lives. From any thread. */
void leat_inet_stat_sets(
	const struct leat_inet *inet, struct leat_stat_set sets[LEAT_INET_STAT_SETS]);

#define LEAT_INET_CONN_STATS_MAX 24

/** One connection, for a person. */
struct leat_inet_conn_info {
	struct leat_ip_addr laddr;
	struct leat_ip_addr raddr;
	uint16_t lport; /**< host order */
	uint16_t rport;
	const char *state; /**< the RFC's name */
	void *listener;    /**< NULL: an active open, or TIME-WAIT */
	uint32_t nb_stats;
	struct leat_stat stats[LEAT_INET_CONN_STATS_MAX];
};

/**
 * Tell of the connection at a place: first the slots of connections, then those of
 * TIME-WAIT, so that one that goes there during a walk in rising order is not missed.
 *
 * @return
 *   1: @p info is filled; 0: the place is empty; -ENOENT: it lies behind the last.
 */
int leat_inet_conn_at(
	const struct leat_inet *inet, uint32_t place, struct leat_inet_conn_info *info);

/** One neighbour, for a person. */
struct leat_inet_nbr_info {
	struct leat_ip_addr addr;
	uint8_t mac[6];
	const char *state; /**< "INCOMPLETE", "REACHABLE" or "PROBE" */
	uint32_t nb_queued;
	uint64_t confirmed_us; /**< since its last sign of life */
};

/** As leat_inet_conn_at(), for neighbours. */
int leat_inet_nbr_at(const struct leat_inet *inet, uint32_t place, struct leat_inet_nbr_info *info);

/**
 * Copy the flight recorder. It freezes by itself when a connection ends by a RST of its peer,
 * by time-out or by leat_inet_relieve(), and then until the copy is taken.
 *
 * @param copy
 *   Initialised for at least conf.nb_record_segs. Filled if the return value is 1.
 * @param cause
 *   NULL: copy what there is now. Else copy what is frozen, let it go, and fill this in.
 * @return
 *   1: copied; 0: the recorder is off, or nothing is frozen; -ENOSPC: @p copy is too small.
 */
int leat_inet_record(
	struct leat_inet *inet, struct leat_record *copy, struct leat_record_cause *cause);

/** Slots in use, of conf.nb_conns_max. */
uint32_t leat_inet_nb_conns(const struct leat_inet *inet);
/** Connections kept in TIME-WAIT, of conf.nb_time_waits_max; they use no slot. */
uint32_t leat_inet_nb_time_waits(const struct leat_inet *inet);

#ifdef __cplusplus
}
#endif

#endif /* LEAT_INET_H */
