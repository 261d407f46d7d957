/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef INET_PRIV_H
#define INET_PRIV_H

#include <sys/queue.h>

#include <rte_hash.h>

#include <leat_arp.h>
#include <leat_be.h>
#include <leat_cksum.h>
#include <leat_eth.h>
#include <leat_icmp.h>
#include <leat_ipv4.h>
#include <leat_ipv6.h>
#include <leat_nd.h>
#include <leat_record.h>
#include <leat_siphash.h>
#include <leat_tcp_cookie.h>
#include <leat_time.h>
#include <leat_timer.h>

#include "leat_inet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Ethernet, IP and TCP headers at their longest. */
#define INET_HDRS_LEN_MAX                                                                          \
	(LEAT_ETH_HDR_LEN_MAX + LEAT_IPV6_HDR_LEN + LEAT_IPV6_EXT_LEN_MAX + LEAT_TCP_HDR_LEN +     \
		LEAT_TCP_OPT_LEN_MAX)

#define INET_HOP_LIMIT LEAT_IPV6_HOP_LIMIT /* of what may leave our link */

static_assert(INET_HOP_LIMIT == LEAT_IPV4_TTL, "both families go as far");
static_assert(LEAT_IPV4_HDR_LEN_MAX <= LEAT_IPV6_HDR_LEN + LEAT_IPV6_EXT_LEN_MAX,
	"IPv4 headers are no longer");

/* Our addresses, the link-local one included. */
#define INET_ADDRS_MAX (LEAT_INET_ADDRS_MAX + 1)

/* Cookies that are known to have opened a connection. */
#define INET_COOKIES_USED 4096u

/* Both ends of a connection, ports in host order: the key of the flow table. */
struct inet_flow_key {
	struct leat_ip_addr laddr;
	struct leat_ip_addr raddr;
	uint16_t lport;
	uint16_t rport;
	uint32_t zero; /* beside the ports, with which it is hashed */
};

static_assert(sizeof(struct inet_flow_key) == 40, "no padding may enter the hash");

enum inet_nbr_state {
	INET_NBR_FREE,
	INET_NBR_INCOMPLETE, /* asked, no answer yet */
	INET_NBR_REACHABLE,
	INET_NBR_PROBE, /* known, aged, asked again; used meanwhile */
};

/* A neighbour: an address on the link and, once it answered, its MAC address. */
struct inet_nbr {
	struct leat_ip_addr addr;
	uint8_t mac[LEAT_ETH_ADDR_LEN];
	uint8_t state; /* enum inet_nbr_state */
	uint8_t nb_tries;
	uint8_t nb_queued;
	bool is_needed; /* something of ours went there, or was to */
	bool is_claimed;
	uint8_t claim[LEAT_ETH_ADDR_LEN]; /* where somebody says it is now, if is_claimed */
	uint32_t nb_conns;                /* whose next hop it is */
	uint32_t generation;              /* of the entry: another one when it is freed */
	uint64_t confirmed_us;            /* last sign of life */
	/* INCOMPLETE, PROBE: when to ask again or give up; later it tells when it was asked last */
	uint64_t retry_us;
	struct rte_mbuf *queue[LEAT_INET_ARP_QUEUE_MAX];
	TAILQ_ENTRY(inet_nbr) link;          /* nbrs_free, or one of those in use */
	TAILQ_ENTRY(inet_nbr) asking_link;   /* INCOMPLETE, PROBE */
	LIST_HEAD(, leat_inet_conn) waiting; /* in SYN-SENT, to end if there is no answer */
};

TAILQ_HEAD(inet_nbrs, inet_nbr);

/* What is kept of a connection in TIME-WAIT. */
struct inet_time_wait {
	struct inet_flow_key key;
	uint64_t expires_us;              /* 0: not in use */
	TAILQ_ENTRY(inet_time_wait) link; /* tws_free, or tws in the order of expires_us */
	struct leat_tcp_time_wait tcp;
};

static_assert(sizeof(struct inet_time_wait) <= 80, "a TIME-WAIT is compact");

TAILQ_HEAD(inet_time_waits, inet_time_wait);

/* The user's private bytes lie in front of it. */
struct leat_inet_conn {
	struct leat_tcb tcb;

	struct inet_flow_key key;
	struct inet_nbr *nbr;    /* the next hop; a hint, see inet_nbr_of_conn() */
	uint32_t nbr_generation; /* of nbr, when it was found */
	int32_t error;           /* overrides the engine's in CLOSED; 0: does not */
	uint32_t opened_ms;      /* when it began, modulo 2^32 */
	uint32_t heard_ms;       /* the last segment of its peer's came */
	uint32_t in_len;         /* sequence numbers behind its SYN, modulo 2^32 */
	uint16_t nb_in_wraps;    /* how often these went round */
	uint16_t nb_out_wraps;   /* likewise of ours, counted from iss */
	uint16_t priv_len;
	bool is_used : 1;
	bool in_flow : 1;   /* found by its key; else its life on the wire is over */
	bool half_open : 1; /* in the list of them, and counted in nb_half_open */
	bool is_known : 1;  /* the user has it: OPEN was emitted, or he connected */
	bool is_over : 1;   /* CLOSED was emitted, or never will be */
	bool in_ready : 1;
	bool in_output : 1;
	bool is_waiting : 1;               /* for nbr */
	struct leat_timer timer;           /* fires at tcb's deadline, or before */
	STAILQ_ENTRY(leat_inet_conn) link; /* conns_free, conns_limbo or ready */
	STAILQ_ENTRY(leat_inet_conn) output_link;
	union {
		LIST_ENTRY(leat_inet_conn) waiting_link;    /* is_waiting, in SYN-SENT */
		TAILQ_ENTRY(leat_inet_conn) half_open_link; /* half_open, in SYN-RECEIVED */
	};
	void *listener;
};

STAILQ_HEAD(inet_conns, leat_inet_conn);
TAILQ_HEAD(inet_half_open, leat_inet_conn);

static_assert(sizeof(struct leat_inet_conn) - sizeof(struct leat_tcb) <= 144,
	"an idle connection shall fit 512 bytes, its place in the flow table included");

struct inet_listener {
	struct leat_ip_addr addr; /* or any of its family */
	uint16_t port;
	void *user;
	const struct leat_tcp_conf *tcp; /* of its connections */
};

/* Tokens that come in with time, up to a limit. */
struct inet_bucket {
	uint32_t nb_tokens;
	uint32_t rate; /* tokens per second */
	uint32_t burst;
	uint64_t last_us;
};

/* What is above a good IP header, of either family, has to know of it. */
struct inet_ip {
	struct leat_ip_addr src;
	struct leat_ip_addr dst;
	uint32_t len; /* of the payload */
	uint8_t proto;
	uint8_t hop_limit; /* of IPv4, its time to live */
};

/* One TCP frame of the burst, parsed; IP header and checksums are good. */
struct inet_tcp_frame {
	struct rte_mbuf *mbuf; /* NULL: no text, freed already */
	struct inet_flow_key key;
	struct leat_tcp_seg seg;
	uint8_t src_mac[LEAT_ETH_ADDR_LEN];
	/* For the recorder, where it is on. */
	uint32_t frame_len;
	uint8_t hdr_len;
	uint8_t hdr[LEAT_RECORD_HDR_LEN];
};

struct inet_burst {
	uint16_t nb;
	struct inet_tcp_frame frames[LEAT_INET_BURST_MAX];
	const struct inet_flow_key *flow_keys[LEAT_INET_BURST_MAX];
	const void *keys[LEAT_INET_BURST_MAX]; /* where the table's keys are: in flow_keys */
	hash_sig_t sigs[LEAT_INET_BURST_MAX];
	void *data[LEAT_INET_BURST_MAX];
	uint64_t hits;
	uint64_t nb_flow_changes; /* when it was looked up */
};

enum inet_family {
	INET_IPV4,
	INET_IPV6,
	INET_FAMILIES,
};

/* The offloads for sending, in the order of their trials. */
enum inet_offload {
	INET_OFFLOAD_TX_TCP_CKSUM,
	INET_OFFLOAD_TX_IP_CKSUM,
	INET_OFFLOAD_TX_MULTI_SEG,
	INET_OFFLOAD_TX_TSO,
	INET_OFFLOADS,
};

/* One segment that uses an offload nobody knows to be kept, until the peer has it. */
struct inet_trial {
	uint8_t offload; /* enum inet_offload; INET_OFFLOADS: all of the family are decided */
	uint8_t nb_lost; /* in a row */
	bool was_sent_again;
	const struct leat_inet_conn *conn; /* whose segment it is; NULL: none yet */
	uint32_t seq;
	uint32_t seq_end;
};

/* Who may take a frame when few are left, by the right to the last one. */
enum inet_class {
	INET_CLASS_CONTROL,     /* ARP, neighbour discovery, ICMP, RST */
	INET_CLASS_ESTABLISHED, /* a segment, ACK or text, of one mbuf */
	INET_CLASS_TEXT,        /* mbufs that attach text to it, which may be copied as well */
	INET_CLASS_COOKIE,      /* SYN-ACKs that keep nothing here */
	INET_CLASS_NEW,         /* handshakes */
	INET_CLASSES,
};

/* What is left of the mbufs to receive with. */
enum inet_rx_level {
	INET_RX_LAST,   /* for what holds none: ACKs, ARP and the like */
	INET_RX_SCARCE, /* for the text of those that have used up what they got */
	INET_RX_LOW,    /* not for text out of order, nor for much of one connection */
	INET_RX_PLENTY,
};

struct inet_buffers {
	uint32_t nb_frames;              /* free at the last look, less those taken since */
	uint32_t reserves[INET_CLASSES]; /* frames that a class leaves to those before it */
	uint32_t nb_held;                /* frames that wait for neighbours */
	uint32_t nb_held_max;
	uint8_t rx_level; /* enum inet_rx_level, at the last look */
	bool is_text_low;
};

struct leat_inet {
	struct leat_inet_conf conf;
	struct inet_buffers buffers;
	struct leat_inet_offloads offloads[INET_FAMILIES]; /* in use */
	struct leat_inet_offloads given_up[INET_FAMILIES]; /* promised, and found not to be done */
	struct inet_trial trials[INET_FAMILIES];
	uint32_t nb_tx_segs_max; /* mbufs of text in one frame, and in one that the port cuts */
	uint32_t nb_tso_segs_max;
	uint32_t tso_frame_len_max;
	uint32_t nb_rx_ip_good; /* frames that the port called so */
	uint32_t nb_rx_tcp_good[INET_FAMILIES];
	uint32_t notices; /* enum leat_inet_notice */
	char name[LEAT_INET_NAME_MAX + 1];
	uint64_t now_us; /* of the last call that brought the time */
	struct leat_siphash_key flow_hash_key;
	struct leat_siphash_key isn_key;
	struct leat_siphash_key port_key;
	struct leat_siphash_key ends_key; /* of the ends that a cookie is bound to */
	struct leat_siphash_key cookie_key;

	/* Those of conf, and the link-local one if any is IPv6. */
	struct leat_inet_addr addrs[INET_ADDRS_MAX];
	struct leat_ip_addr broadcasts[INET_ADDRS_MAX]; /* of their subnets, or none */
	uint8_t nb_addrs;
	uint8_t nb_groups;
	uint8_t groups[LEAT_INET_GROUPS_MAX][LEAT_ETH_ADDR_LEN]; /* multicast MAC addresses */
	struct leat_tcp_conf tcp6;                               /* conf.tcp over IPv6 */

	/* What every frame out starts with: Ethernet header, destination open. */
	uint8_t eth_hdr[LEAT_ETH_HDR_LEN_MAX];
	uint8_t eth_hdr_len;

	/* Data of the flow table: a connection, or an inet_time_wait with bit 0 set. */
	struct rte_hash *flows;
	uint64_t nb_flow_changes; /* a miss of the past holds while it stands still */

	struct inet_listener listeners[LEAT_INET_LISTENERS_MAX];
	uint8_t nb_listeners;
	/* conf.tcp with other keep-alives; connections may outlive their listener. */
	struct leat_tcp_conf keep_confs[LEAT_INET_LISTENERS_MAX];
	uint8_t nb_keep_confs;

	uint8_t *conn_mem;
	size_t conn_stride;
	size_t conn_off; /* of the connection in its element: the private bytes */
	uint32_t nb_conns;
	uint32_t nb_half_open;
	uint32_t nb_half_open_max;
	struct inet_half_open half_open;          /* oldest first */
	uint64_t cookies_until_us;                /* so long an ACK may carry a cookie */
	uint64_t cookies_used[INET_COOKIES_USED]; /* hashes of the last ones */
	uint32_t nb_ports_tried;
	struct inet_conns conns_free;
	struct inet_conns conns_limbo; /* free, but their CLOSED is still being looked at */
	struct inet_conns ready;       /* have events */
	struct inet_conns output;      /* have something to send */
	struct leat_timer_wheel wheel;

	uint32_t relief_idx;  /* slots looked at in this pass of leat_inet_relieve() */
	uint32_t relief_len;  /* bytes that its choice holds; 0: none yet */
	uint32_t relief_slot; /* its choice */

	struct inet_time_wait *tw_mem;
	struct inet_time_waits tws_free;
	struct inet_time_waits tws;
	uint32_t nb_time_waits;
	uint32_t nb_reass_left; /* the engine's reass_budget */
	void *tcp_pool;         /* the engine's pool */

	struct rte_hash *nbr_hash;
	struct inet_nbr *nbr_mem;
	struct inet_nbrs nbrs_free;
	/* Entries in use: INCOMPLETE; of those who only asked; the others. */
	struct inet_nbrs nbrs_unknown;
	struct inet_nbrs nbrs_heard;
	struct inet_nbrs nbrs_used;
	struct inet_nbrs nbrs_asking; /* in the order of retry_us */
	uint32_t nb_neighbours;       /* entries in use */
	uint8_t nb_announced;         /* addresses told to the link */

	struct inet_bucket echo_bucket;
	struct inet_bucket rst_bucket;
	struct inet_bucket ack_bucket;
	struct inet_bucket icmp_error_bucket;

	/* A ring of control frames, complete. */
	uint32_t ctl_head;
	uint32_t nb_ctl;
	struct rte_mbuf *ctl[LEAT_INET_CTL_MAX];

	struct leat_record record;
	struct leat_record frozen;             /* valid where is_frozen; of the same size */
	struct leat_record_cause freeze_cause; /* of what is frozen, or due */
	bool is_freeze_due;                    /* when the frames of the turn have left */
	bool is_frozen;                        /* until leat_inet_record() took it */
	struct leat_record_seg *record_mem;    /* of both */

	struct leat_inet_stats stats;
	struct inet_burst burst;
};

/* inet_mbuf.c: chains, whatever their cuts. */

/* Sum @p len bytes from @p off on; they exist. */
void inet_mbuf_cksum(
	const struct rte_mbuf *chain, uint32_t off, uint32_t len, struct leat_cksum *cksum);
/* Copy @p len bytes from @p off on; they exist. */
void inet_mbuf_copy(const struct rte_mbuf *chain, uint32_t off, uint32_t len, uint8_t *out);
/*
 * Keep @p len bytes from @p off on, at least one, and no empty segment. Takes the chain.
 * Returns its new head.
 */
struct rte_mbuf *inet_mbuf_cut(struct rte_mbuf *chain, uint32_t off, uint32_t len);

/* inet_bucket.c */
bool inet_bucket_take(struct inet_bucket *bucket, uint64_t now_us);

/* inet_flow.c */
/* The comparison of the table, for rte_hash_set_cmp_func(). */
int inet_flow_cmp(const void *a, const void *b, size_t len);
hash_sig_t inet_flow_sig(const struct leat_inet *inet, const struct inet_flow_key *key);
void *inet_flow_find(const struct leat_inet *inet, const struct inet_flow_key *key);
void inet_flow_find_burst(struct leat_inet *inet, struct inet_burst *burst);
/* Add a flow that is not there; its key stays where it is until it is removed. 0 or -ENOBUFS. */
int inet_flow_add(struct leat_inet *inet, const struct inet_flow_key *key, void *data);
void inet_flow_remove(struct leat_inet *inet, const struct inet_flow_key *key);

static inline bool
inet_flow_key_is_equal(const struct inet_flow_key *a, const struct inet_flow_key *b)
{
	return leat_ip_addr_is_equal(a->raddr, b->raddr) && a->lport == b->lport &&
	       a->rport == b->rport && leat_ip_addr_is_equal(a->laddr, b->laddr);
}

/* The one bit that tells the two kinds of flow data apart. */
static inline bool
inet_flow_is_time_wait(const void *data)
{
	return ((uintptr_t)data & 1) != 0;
}

static inline struct inet_time_wait *
inet_flow_time_wait(void *data)
{
	return (struct inet_time_wait *)(void *)((char *)data - 1);
}

/* inet_buffer.c */
void inet_buffers_init(struct leat_inet *inet);
/* Look how many frames are left; then, how many mbufs to receive with and of text. */
void inet_buffers_look(struct leat_inet *inet);
void inet_buffers_look_rx(struct leat_inet *inet);
/* Whether there is enough for one more connection; counts when there is not. */
bool inet_buffers_may_begin(struct leat_inet *inet);
/* Take text off a segment, as if only that had been lost, if it must not be kept. */
void inet_buffers_limit_text(
	struct leat_inet *inet, const struct leat_tcb *tcb, struct inet_tcp_frame *frame);

static inline bool
inet_class_has(const struct leat_inet *inet, enum inet_class who, uint32_t nb)
{
	return inet->buffers.nb_frames >= inet->buffers.reserves[who] + nb;
}

/* inet_offload.c */
void inet_offload_init(struct leat_inet *inet);
/*
 * A segment of the connection is about to be built. Returns whether it is the one of a
 * trial: the offload is on until inet_offload_tried().
 */
bool inet_offload_try(struct leat_inet *inet, enum inet_family family,
	const struct leat_inet_conn *conn, const struct leat_tcp_out *out);
void inet_offload_tried(struct leat_inet *inet, enum inet_family family);
/* The connection whose segment is on trial has taken an ACK. */
void inet_offload_check(struct leat_inet *inet, const struct leat_inet_conn *conn);
/* The connection is no more. */
void inet_offload_forget(struct leat_inet *inet, const struct leat_inet_conn *conn);
/* The port called a frame good that is not. */
void inet_offload_rx_ip_lie(struct leat_inet *inet);
void inet_offload_rx_tcp_lie(struct leat_inet *inet, enum inet_family family);

static inline enum inet_family
inet_family(struct leat_ip_addr addr)
{
	return leat_ip_addr_is_ipv4(addr) ? INET_IPV4 : INET_IPV6;
}

static inline bool
inet_offload_is_on_trial(const struct leat_inet *inet, const struct leat_inet_conn *conn)
{
	return inet->trials[INET_IPV4].conn == conn || inet->trials[INET_IPV6].conn == conn;
}

/* Whether the frame that comes after @p nb_good others that the port called good is believed. */
static inline bool
inet_offload_is_believed(const struct leat_inet *inet, uint32_t nb_good)
{
	return inet->conf.trust_offloads ||
	       (nb_good >= LEAT_INET_RX_CHECKS && nb_good % LEAT_INET_RX_CHECK_EVERY != 0);
}

/* inet_tcp_input.c */
/*
 * Parse the segment at @p off of a frame, whose first bytes from there on are @p in.
 * Takes the frame: its text goes to the next of the burst, or it is dropped.
 */
void inet_tcp_parse(struct leat_inet *inet, struct rte_mbuf *mbuf, struct leat_slice in,
	uint32_t off, const struct inet_ip *ip, const struct leat_eth_hdr *eth);
/* One segment of the burst, looked up. Takes its mbuf. */
void inet_tcp_input(struct leat_inet *inet, struct inet_burst *burst, uint16_t idx);
/* A segment of this connection. Takes its mbuf. */
void inet_tcp_conn_input(
	struct leat_inet *inet, struct leat_inet_conn *conn, struct inet_tcp_frame *frame);
/* Refuse a segment; @p tcb is the connection that does, or NULL where there is none. */
void inet_tcp_reset(
	struct leat_inet *inet, const struct inet_tcp_frame *frame, const struct leat_tcb *tcb);

/* inet_listen.c */
/* The listener for the address itself goes before that for any; NULL: there is none. */
const struct inet_listener *inet_listener_find(
	const struct leat_inet *inet, const struct inet_flow_key *key);
/* A segment to a listener that belongs to no connection; may take its mbuf. */
void inet_listen_input(
	struct leat_inet *inet, const struct inet_listener *listener, struct inet_tcp_frame *frame);
/* A SYN that may replace @p tw. Returns whether it did. */
bool inet_listen_reopen(
	struct leat_inet *inet, struct inet_time_wait *tw, const struct inet_tcp_frame *frame);

/* The slot @p idx, in use or not. */
static inline struct leat_inet_conn *
inet_conn_at(const struct leat_inet *inet, uint32_t idx)
{
	return (struct leat_inet_conn *)(void *)(inet->conn_mem + idx * inet->conn_stride +
						 inet->conn_off);
}

/* inet_conn.c */
struct leat_inet_conn *inet_conn_alloc(struct leat_inet *inet, const struct inet_flow_key *key);
/* To be called after each call of the engine: takes over what it changed. */
void inet_conn_settle(struct leat_inet *inet, struct leat_inet_conn *conn);
/* After a call that can do no more than make output wanted. */
void inet_conn_owe(struct leat_inet *inet, struct leat_inet_conn *conn);
/* After output, which changes neither state nor events. */
void inet_conn_sent(struct leat_inet *inet, struct leat_inet_conn *conn);
void inet_conn_fail(struct leat_inet *inet, struct leat_inet_conn *conn, int error);
void inet_conn_release(struct leat_inet *inet, struct leat_inet_conn *conn);
void inet_conn_reclaim(struct leat_inet *inet);
uint32_t inet_conn_iss(struct leat_inet *inet, const struct inet_flow_key *key, uint64_t now_us);

/* inet_time_wait.c */
/* The connection's flow leads to what is kept of it from now on, or nowhere. */
void inet_time_wait_add(struct leat_inet *inet, const struct leat_inet_conn *conn);
void inet_time_wait_input(
	struct leat_inet *inet, struct inet_time_wait *tw, const struct inet_tcp_frame *frame);
void inet_time_wait_remove(struct leat_inet *inet, struct inet_time_wait *tw);
void inet_time_wait_timers(struct leat_inet *inet, uint64_t now_us);

/* inet_record.c: all but the last two where the recorder is on. */
void inet_record_rx(struct leat_inet *inet, const struct inet_tcp_frame *frame,
	enum leat_record_class class_of);
/* @p state_before is that which the segment found. */
void inet_record_rx_conn(struct leat_inet *inet, const struct inet_tcp_frame *frame,
	const struct leat_tcb *tcb, uint8_t state_before);
void inet_record_tx_conn(
	struct leat_inet *inet, const struct rte_mbuf *frame, const struct leat_tcb *tcb);
/* A control frame leaves; those that are no segments are not recorded. */
void inet_record_tx_ctl(struct leat_inet *inet, const struct rte_mbuf *frame);
/* Copy all where is_freeze_due. */
void inet_record_freeze(struct leat_inet *inet);
/* A connection has ended: freeze soon, if it ended badly. */
void inet_record_end(struct leat_inet *inet, const struct leat_inet_conn *conn);

static inline bool
inet_record_is_on(const struct leat_inet *inet)
{
	return inet->record.nb_segs > 0;
}

/*
 * Keep the @p hdr_len bytes of headers at @p hdr, of @p mbuf or of a copy of
 * INET_HDRS_LEN_MAX bytes, until its class is known.
 */
static inline void
inet_record_rx_prepare(struct inet_tcp_frame *frame, const struct rte_mbuf *mbuf,
	const uint8_t *hdr, uint32_t hdr_len)
{
	frame->frame_len = mbuf->pkt_len;
	frame->hdr_len = (uint8_t)LEAT_MIN(hdr_len, LEAT_RECORD_HDR_LEN);
	if (LEAT_LIKELY(mbuf->buf_len - mbuf->data_off >= (int)LEAT_RECORD_HDR_LEN))
		memcpy(frame->hdr, hdr, LEAT_RECORD_HDR_LEN); /* of one length, so no call */
	else
		memcpy(frame->hdr, hdr, frame->hdr_len);
}

/* inet_output.c */
/* An empty mbuf for a control frame; counts when there is none. */
struct rte_mbuf *inet_frame_alloc(struct leat_inet *inet);
/* Send a complete frame with the next burst. Takes it. */
void inet_ctl_send(struct leat_inet *inet, struct rte_mbuf *frame);
/* Send a packet, its MAC address open, to a neighbour. Takes it. */
void inet_ctl_send_ip(struct leat_inet *inet, struct leat_ip_addr dst, struct rte_mbuf *frame);
/* Send a segment without text that belongs to no connection, or to one that ends. */
void inet_ctl_send_tcp(
	struct leat_inet *inet, const struct inet_flow_key *key, const struct leat_tcp_out *out);
/*
 * Answer a frame whose source may be forged. A neighbour that is not known is not asked for:
 * the packet, its MAC address open, goes to @p src_mac, that of the frame. Takes it.
 */
void inet_ctl_reply(struct leat_inet *inet, struct leat_ip_addr dst, const uint8_t *src_mac,
	struct rte_mbuf *reply);
/* The same with a segment. */
void inet_ctl_reply_tcp(
	struct leat_inet *inet, const struct inet_tcp_frame *frame, const struct leat_tcp_out *out);

#ifdef __cplusplus
}
#endif

#include "inet_ip.h"

#endif /* INET_PRIV_H */
