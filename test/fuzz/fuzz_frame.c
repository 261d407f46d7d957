/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Frames into a stack with live connections. The input is a program: frames arrive that
 * are built by the rules, for a connection, a listener or nobody, and then changed at will,
 * with their checksums put right again or not; raw bytes arrive as they are; the user
 * sends, consumes, shuts down and aborts; time passes. What the stack sends is read, so
 * that the peer knows the numbers and gets past the first checks.
 */

#include <errno.h>
#include <string.h>

#include <rte_mbuf.h>

#include <leat_be.h>
#include <leat_eth.h>
#include <leat_inet.h>
#include <leat_ipv4.h>
#include <leat_ipv6.h>

#include "fuzz_wire.h"

#define NB_MBUFS  511u
#define NB_CONNS  6u
#define NB_RECS   64u
#define NB_PEERS  4u /* the first was connected to, two have connected, one may */
#define NB_IPV4   2u /* the others speak IPv6 */
#define STEPS_MAX 256u
#define TURNS_MAX 64u

#define OUR_PORT  7u
#define PEER_PORT 40000u
#define VLAN_ID   77u
#define START_US  1000000000u

enum step {
	STEP_TCP,
	STEP_TCP_TEXT,
	STEP_RAW,
	STEP_NEIGHBOUR,
	STEP_ECHO,
	STEP_UNREACHABLE,
	STEP_SEND,
	STEP_CONSUME,
	STEP_SHUTDOWN,
	STEP_ABORT,
	STEP_TIME,
	STEP_CONNECT,
	STEPS,
};

/* What a peer knows of one connection, by its own port. */
struct peer {
	uint16_t our_port;
	uint32_t seq; /* we expect it */
	uint32_t ack; /* one past all that we have sent */
};

struct user {
	struct leat_inet_conn *conn; /* NULL: none */
	uint32_t nb_unread;
};

static struct {
	struct leat_inet *inet;
	struct leat_inet_conf conf;
	uint64_t now_us;
	struct peer peers[NB_PEERS];
	struct user users[NB_CONNS];
	struct frame sent; /* the last segment, for ICMP to quote */
} world;

static struct rte_mempool *pool;

/* The stack's side. */

/* As a port hands it over: in pieces of @p piece bytes. */
static struct rte_mbuf *
frame_mbuf(const struct frame *frame, uint32_t piece)
{
	struct rte_mbuf *head = NULL;

	for (uint32_t off = 0, n; off < frame->len; off += n) {
		struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);

		n = LEAT_MIN(frame->len - off, piece);
		if (mbuf == NULL || (head != NULL && head->nb_segs == UINT8_MAX)) {
			rte_pktmbuf_free(mbuf);
			rte_pktmbuf_free(head);
			return NULL;
		}
		memcpy(rte_pktmbuf_append(mbuf, (uint16_t)n), frame->bytes + off, n);
		if (head == NULL)
			head = mbuf;
		else
			LEAT_VERIFY(rte_pktmbuf_chain(head, mbuf) == 0);
	}
	return head;
}

/* The segment of a frame that the stack has sent; no data if it holds another thing. */
static struct leat_slice
sent_tcp(const struct frame *frame)
{
	uint32_t off = wire_ip_off(frame);
	struct leat_slice in = { frame->bytes + off, frame->len - off };
	struct leat_slice none = { NULL, 0 };
	struct leat_ipv4_hdr ipv4;
	struct leat_ipv6_hdr ipv6;
	ssize_t len;

	if (wire_type(frame) == LEAT_ETH_TYPE_IPV6) {
		len = leat_ipv6_parse(in, in.len, &ipv6);
		LEAT_VERIFY(len > 0);
		in = (struct leat_slice){ in.data + len, ipv6.payload_len };
		return ipv6.next == LEAT_IPV4_PROTO_TCP ? in : none;
	}
	if (wire_type(frame) != LEAT_ETH_TYPE_IPV4)
		return none;
	len = leat_ipv4_parse(in, in.len, &ipv4);
	LEAT_VERIFY(len > 0);
	in = (struct leat_slice){ in.data + len, (size_t)ipv4.total_len - (size_t)len };
	return ipv4.proto == LEAT_IPV4_PROTO_TCP ? in : none;
}

/* The peer learns its numbers from what the stack sends. */
static void
peer_learn(const struct frame *frame)
{
	struct leat_slice in = sent_tcp(frame);
	struct leat_tcp_ports ports;
	struct leat_tcp_seg seg;
	struct peer *peer;
	ssize_t len;

	if (in.data == NULL)
		return;
	world.sent = *frame;
	len = leat_tcp_hdr_parse(in, &ports, &seg);
	LEAT_VERIFY(len > 0);
	if (ports.dst < PEER_PORT || ports.dst >= PEER_PORT + NB_PEERS ||
		(seg.flags & LEAT_TCP_RST) != 0)
		return;
	peer = &world.peers[ports.dst - PEER_PORT];
	peer->our_port = ports.src;
	peer->ack = seg.seq + (uint32_t)(in.len - (size_t)len) + ((seg.flags & LEAT_TCP_SYN) != 0) +
		    ((seg.flags & LEAT_TCP_FIN) != 0);
	if ((seg.flags & LEAT_TCP_ACK) != 0)
		peer->seq = seg.ack;
}

static void
world_output(void)
{
	struct rte_mbuf *mbufs[LEAT_INET_BURST_MAX];
	struct frame frame;
	unsigned int nb_turns = 0;
	uint16_t n;

	do {
		n = leat_inet_output(world.inet, world.now_us, mbufs, LEAT_DIM(mbufs));
		for (uint16_t i = 0; i < n; i++) {
			frame.len = 0;
			LEAT_VERIFY(mbufs[i]->pkt_len <= LEAT_ETH_HDR_LEN_MAX + WIRE_MTU);
			for (struct rte_mbuf *seg = mbufs[i]; seg != NULL; seg = seg->next)
				memcpy(wire_add(&frame, seg->data_len),
					rte_pktmbuf_mtod(seg, uint8_t *), seg->data_len);
			rte_pktmbuf_free(mbufs[i]);
			peer_learn(&frame);
		}
		LEAT_VERIFY(nb_turns++ < TURNS_MAX);
	} while (n == LEAT_DIM(mbufs));
}

static struct user *
user_of(const struct leat_inet_conn *conn)
{
	for (unsigned int i = 0; i < NB_CONNS; i++) {
		if (world.users[i].conn == conn)
			return &world.users[i];
	}
	return NULL;
}

static void
world_events(void)
{
	struct leat_inet_event events[8];
	struct user *user;
	uint16_t n;

	do {
		n = leat_inet_events(world.inet, events, LEAT_DIM(events));
		for (uint16_t i = 0; i < n; i++) {
			user = user_of(events[i].conn);
			if (user == NULL) { /* accepted */
				LEAT_VERIFY(events[i].type == LEAT_INET_OPEN);
				user = user_of(NULL);
				LEAT_VERIFY(user != NULL);
				*user = (struct user){ .conn = events[i].conn };
			}
			LEAT_VERIFY((events[i].mbuf != NULL) == (events[i].type == LEAT_INET_DATA));
			if (events[i].mbuf != NULL)
				user->nb_unread += events[i].mbuf->pkt_len;
			rte_pktmbuf_free(events[i].mbuf);
			if (events[i].type == LEAT_INET_CLOSED)
				user->conn = NULL;
		}
	} while (n == LEAT_DIM(events));
}

static void
world_input(const struct frame *frame, uint32_t piece)
{
	struct rte_mbuf *mbuf = frame_mbuf(frame, piece);

	if (mbuf != NULL)
		leat_inet_input(world.inet, world.now_us, &mbuf, 1);
}

/* Steps. */

static void
peer_begin(struct frame *frame, unsigned int idx, uint32_t len)
{
	const struct wire wire = { .vlan_id = world.conf.vlan_id, .is_ipv6 = idx >= NB_IPV4 };

	wire_begin_ip(frame, &wire, LEAT_IPV4_PROTO_TCP, len);
}

/* A segment of one of the peers, near the numbers that matter. */
static void
tcp_build(struct frame *frame, struct fuzz_in *in, uint32_t text_len)
{
	uint8_t idx = fuzz_u8(in);
	const struct peer *peer = &world.peers[idx % NB_PEERS];
	uint32_t opts_len = (idx & 0x80) != 0 ? fuzz_u8(in) % 11 * 4u : 0;
	uint32_t hdr_len = LEAT_TCP_HDR_LEN + opts_len;
	uint8_t *tcp;

	peer_begin(frame, idx % NB_PEERS, hdr_len + text_len);
	tcp = wire_add(frame, hdr_len + text_len);
	leat_be16_put(tcp, (uint16_t)(PEER_PORT + idx % NB_PEERS));
	leat_be16_put(tcp + 2, (idx & 0x40) != 0 ? fuzz_u16(in) : peer->our_port);
	leat_be32_put(tcp + 4, fuzz_near(in, peer->seq));
	leat_be32_put(tcp + 8, fuzz_near(in, peer->ack));
	tcp[12] = (uint8_t)(hdr_len / 4 << 4);
	tcp[13] = fuzz_u8(in);
	leat_be16_put(tcp + 14, (idx & 0x20) != 0 ? fuzz_u16(in) : UINT16_MAX);
	for (uint32_t i = LEAT_TCP_HDR_LEN; i < hdr_len; i++)
		tcp[i] = fuzz_u8(in);
}

static void
frame_step(enum step step, struct fuzz_in *in)
{
	struct frame frame;
	uint8_t piece = fuzz_u8(in);

	switch (step) {
	case STEP_TCP:
		tcp_build(&frame, in, 0);
		break;
	case STEP_TCP_TEXT:
		tcp_build(&frame, in, 1 + fuzz_u16(in) % 1400);
		break;
	case STEP_NEIGHBOUR:
		wire_neighbour(&frame, world.conf.vlan_id, in);
		break;
	case STEP_ECHO:
		wire_echo(&frame, world.conf.vlan_id, in);
		break;
	case STEP_UNREACHABLE:
		wire_unreachable(&frame, world.conf.vlan_id, in, &world.sent);
		break;
	default: /* raw */
		wire_raw(&frame, in);
		break;
	}
	if (step != STEP_RAW)
		wire_mutate(&frame, in);
	if (frame.len > 0)
		world_input(&frame, piece < 16 ? WIRE_FRAME_MAX : piece);
}

static void
send_step(struct leat_inet_conn *conn, struct fuzz_in *in)
{
	struct rte_mbuf *mbuf = rte_pktmbuf_alloc(pool);
	uint16_t len = 1 + fuzz_u16(in) % 2000;
	int ret;

	if (mbuf == NULL)
		return;
	memset(rte_pktmbuf_append(mbuf, len), 'x', len);
	ret = leat_inet_send(world.inet, conn, mbuf);
	if (ret < 0) {
		LEAT_VERIFY(ret == -ENOBUFS || ret == -EPIPE);
		rte_pktmbuf_free(mbuf);
	}
}

static void
user_step(enum step step, struct fuzz_in *in)
{
	struct user *user = &world.users[fuzz_u8(in) % NB_CONNS];

	if (user->conn == NULL)
		return;
	switch (step) {
	case STEP_SEND:
		send_step(user->conn, in);
		break;
	case STEP_CONSUME:
		leat_inet_consumed(world.inet, user->conn, user->nb_unread);
		user->nb_unread = 0;
		break;
	case STEP_SHUTDOWN:
		leat_inet_shutdown(world.inet, user->conn);
		break;
	default: /* abort */
		leat_inet_abort(world.inet, user->conn);
		break;
	}
}

static void
connect_step(void)
{
	struct leat_inet_conn *conn;
	struct user *user;

	if (leat_inet_connect(world.inet, leat_ip_addr_from_ipv4(WIRE_PEER_ADDR), PEER_PORT,
		    world.now_us, &conn) < 0)
		return;
	user = user_of(NULL);
	LEAT_VERIFY(user != NULL);
	*user = (struct user){ .conn = conn };
}

static void
time_step(struct fuzz_in *in)
{
	uint64_t at_us = leat_inet_deadline(world.inet);
	uint8_t how = fuzz_u8(in);

	if ((how & 0x80) != 0 && at_us != UINT64_MAX && at_us > world.now_us)
		world.now_us = at_us;
	else
		world.now_us += (uint64_t)fuzz_u16(in) << how % 16;
	leat_inet_timers(world.inet, world.now_us);
}

static void
world_step(struct fuzz_in *in)
{
	enum step step = (enum step)(fuzz_u8(in) % STEPS);

	switch (step) {
	case STEP_SEND:
	case STEP_CONSUME:
	case STEP_SHUTDOWN:
	case STEP_ABORT:
		user_step(step, in);
		break;
	case STEP_TIME:
		time_step(in);
		break;
	case STEP_CONNECT:
		connect_step();
		break;
	default: /* frames */
		frame_step(step, in);
		break;
	}
	world_events();
	world_output();
	LEAT_VERIFY(leat_inet_nb_conns(world.inet) <= NB_CONNS);
}

/* A handshake's second or third segment, from what the stack has sent. */
static void
handshake_step(unsigned int idx, uint8_t flags)
{
	struct frame frame;
	uint8_t *tcp;

	peer_begin(&frame, idx, LEAT_TCP_HDR_LEN);
	tcp = wire_add(&frame, LEAT_TCP_HDR_LEN);
	leat_be16_put(tcp, (uint16_t)(PEER_PORT + idx));
	leat_be16_put(tcp + 2, world.peers[idx].our_port);
	leat_be32_put(tcp + 4, world.peers[idx].seq);
	leat_be32_put(tcp + 8, world.peers[idx].ack);
	tcp[12] = LEAT_TCP_HDR_LEN / 4 << 4;
	tcp[13] = flags;
	leat_be16_put(tcp + 14, UINT16_MAX);
	wire_sum(&frame);
	world_input(&frame, WIRE_FRAME_MAX);
	world_events();
	world_output();
}

/* A neighbour of @p how, see wire_neighbour(). */
static void
neighbour_step(uint8_t how)
{
	struct fuzz_in in = { &how, 1 };
	struct frame frame;

	wire_neighbour(&frame, world.conf.vlan_id, &in);
	world_input(&frame, WIRE_FRAME_MAX);
	world_output();
}

/*
 * Live connections, opened by each side, and over IPv6. The ARP reply comes as one was asked
 * for; the IPv6 neighbour asks himself.
 */
static void
world_connect(void)
{
	connect_step();
	world_output();
	neighbour_step(3);
	handshake_step(0, LEAT_TCP_SYN | LEAT_TCP_ACK);
	handshake_step(1, LEAT_TCP_SYN);
	handshake_step(1, LEAT_TCP_ACK);
	neighbour_step(4);
	handshake_step(2, LEAT_TCP_SYN);
	handshake_step(2, LEAT_TCP_ACK);
	LEAT_VERIFY(leat_inet_nb_conns(world.inet) == 3);
}

static void
world_open(uint8_t how)
{
	memset(&world, 0, sizeof(world));
	world.now_us = START_US;
	world.conf = (struct leat_inet_conf){
		.name = "fuzz",
		.mtu = WIRE_MTU,
		.vlan_id = (how & 1) != 0 ? VLAN_ID : 0,
		.nb_addrs = 2,
		.addrs = { { wire_addr(false, true), 24 }, { wire_addr(true, true), 64 } },
		.offloads = { .tx_multi_seg = (how & 2) != 0 },
		.nb_conns_max = NB_CONNS,
		.nb_time_waits_max = 4,
		.nb_neighbours_max = 3,
		.pool = pool,
		.seed = { 1, 2 },
		.now_us = START_US,
	};
	memcpy(world.conf.mac, wire_our_mac, LEAT_ETH_ADDR_LEN);
	if ((how & 4) != 0)
		world.conf.cookies = LEAT_INET_COOKIES_ALWAYS;
	else if ((how & 128) != 0)
		world.conf.cookies = LEAT_INET_COOKIES_NEVER;
	if ((how & 8) != 0)
		world.conf.nb_record_segs = NB_RECS;
	leat_tcp_conf_init(&world.conf.tcp, WIRE_MTU - 40);
	world.conf.tcp.congestion = (how & 16) != 0 ? LEAT_TCP_NEWRENO : LEAT_TCP_CUBIC;
	world.conf.tcp.keep_idle_s = (how & 32) != 0 ? 10 : 0;
	if ((how & 64) != 0) /* the limit of text out of order is soon reached */
		world.conf.tcp.nb_reass_max = 4;
	LEAT_VERIFY(leat_inet_open(&world.conf, &world.inet, NULL) == 0);
	LEAT_VERIFY(leat_inet_listen(world.inet, leat_ip_addr_from_ipv4(0), OUR_PORT, NULL) == 0);
	LEAT_VERIFY(leat_inet_listen(world.inet, leat_ip_addr_none(), OUR_PORT, NULL) == 0);
	for (unsigned int i = 0; i < NB_PEERS; i++)
		world.peers[i] = (struct peer){ .our_port = OUR_PORT, .seq = 0xffffff00u };
	world_connect();
}

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc; /* libFuzzer reads its own arguments */
	(void)argv; /* and these with them */
	pool = fuzz_pool_init(NB_MBUFS);
	return pool != NULL ? 0 : -1;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct fuzz_in in = { data, len };

	world_open(fuzz_u8(&in));
	for (unsigned int i = 0; i < STEPS_MAX && fuzz_more(&in); i++)
		world_step(&in);
	leat_inet_close(world.inet);
	LEAT_VERIFY(rte_mempool_avail_count(pool) == NB_MBUFS);
	return 0;
}
