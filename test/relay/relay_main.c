/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * leat-relay: a bad link between two devices. One thread, which sleeps until a frame comes
 * or is due.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <leat_common.h>
#include <leat_error.h>
#include <leat_time.h>

#include "eal.h"
#include "relay_args.h"
#include "relay_frame.h"
#include "relay_link.h"
#include "relay_port.h"

#define RELAY_BURST     32u
#define RELAY_MEMORY_MB 128u
#define RELAY_NS_PER_S  UINT64_C(1000000000)
/* Frames leave so much before they are due, for to wake up takes as long. */
#define RELAY_EARLY_NS UINT64_C(50000)
/* How often to look where nothing tells that a frame has come. */
#define RELAY_LOOK_NS UINT64_C(100000)
/* A device that takes nothing has so many chances to take a frame. */
#define RELAY_TX_TRIES 16u

enum exit_status {
	EXIT_GOOD = 0,
	EXIT_RUN = 1,   /* it could not start */
	EXIT_USAGE = 2, /* it was told something wrong */
};

struct relay {
	struct relay_args args;
	struct relay_port ports[RELAY_SIDES];
	struct relay_link links[RELAY_SIDES]; /* of what comes in at that side */
	uint32_t nb_fds;                      /* the signals, then what wakes the ports */
	struct pollfd fds[1 + RELAY_SIDES * RELAY_WAKERS_MAX];
	bool must_look; /* a port has nothing that wakes */
};

static uint64_t
relay_now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* this clock is always there */
	return (uint64_t)ts.tv_sec * RELAY_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void
relay_push(struct relay_link *link, uint64_t due_ns, struct rte_mbuf *frame)
{
	if (!relay_link_push(link, due_ns, frame))
		rte_pktmbuf_free(frame);
}

/* The copy is made first: what is doubled arrives whole once. */
static void
relay_receive(struct relay *relay, enum relay_side side, struct rte_mbuf *frame, uint64_t now_ns)
{
	struct relay_link *link = &relay->links[side];
	struct rte_mbuf *copy = NULL;
	struct relay_fate fate;
	uint64_t due_ns;

	if (!relay_frame_take(frame, relay->args.vlan_ids[side])) {
		link->stats.nb_foreign++;
		rte_pktmbuf_free(frame);
		return;
	}
	due_ns = relay_link_admit(link, now_ns, frame->pkt_len, &fate);
	if (due_ns == RELAY_NEVER) {
		rte_pktmbuf_free(frame);
		return;
	}
	if (fate.is_doubled)
		copy = rte_pktmbuf_copy(frame, frame->pool, 0, UINT32_MAX);
	if (fate.is_corrupted && relay_frame_damage(frame, fate.bit_draw))
		link->stats.nb_corrupted++;
	relay_push(link, due_ns, frame);
	if (copy != NULL) {
		link->stats.nb_doubled++;
		relay_push(link, due_ns, copy);
	}
}

static void
relay_send(struct relay *relay, enum relay_side side, uint64_t now_ns)
{
	struct relay_link *link = &relay->links[side];
	enum relay_side out = side == RELAY_A ? RELAY_B : RELAY_A;
	struct rte_mbuf *burst[RELAY_BURST];
	uint16_t nb = 0, nb_sent = 0;

	while (nb < RELAY_BURST) {
		struct rte_mbuf *frame = relay_link_pop(link, now_ns + RELAY_EARLY_NS);

		if (frame == NULL)
			break;
		if (relay_frame_tag(frame, relay->args.vlan_ids[out])) {
			burst[nb++] = frame;
			continue;
		}
		link->stats.nb_refused++;
		rte_pktmbuf_free(frame);
	}
	for (uint32_t i = 0; i < RELAY_TX_TRIES && nb_sent < nb; i++)
		nb_sent += rte_eth_tx_burst(
			relay->ports[out].port_id, 0, burst + nb_sent, (uint16_t)(nb - nb_sent));
	link->stats.nb_forwarded += nb_sent;
	link->stats.nb_refused += (uint64_t)(nb - nb_sent);
	rte_pktmbuf_free_bulk(burst + nb_sent, nb - nb_sent);
}

/* Returns whether a frame came. */
static bool
relay_turn(struct relay *relay)
{
	struct rte_mbuf *burst[RELAY_BURST];
	bool is_busy = false;

	for (enum relay_side side = RELAY_A; side < RELAY_SIDES; side++) {
		uint16_t nb = rte_eth_rx_burst(
			relay->ports[side].port_id, 0, burst, (uint16_t)RELAY_BURST);
		uint64_t now_ns = relay_now_ns();

		for (uint16_t i = 0; i < nb; i++)
			relay_receive(relay, side, burst[i], now_ns);
		is_busy = is_busy || nb > 0;
	}
	for (enum relay_side side = RELAY_A; side < RELAY_SIDES; side++)
		relay_send(relay, side, relay_now_ns());
	return is_busy;
}

/* How long nothing is to be done unless a frame comes. */
static uint64_t
relay_idle_ns(const struct relay *relay)
{
	uint64_t due_ns = LEAT_MIN(
		relay_link_next(&relay->links[RELAY_A]), relay_link_next(&relay->links[RELAY_B]));
	uint64_t now_ns = relay_now_ns() + RELAY_EARLY_NS;
	uint64_t idle_ns = due_ns > now_ns ? due_ns - now_ns : 0;

	return LEAT_MIN(idle_ns, relay->must_look ? RELAY_LOOK_NS : RELAY_NS_PER_S);
}

/* Returns whether a signal has come. */
static bool
relay_wait(struct relay *relay, uint64_t wait_ns)
{
	struct timespec ts;

	ts.tv_sec = (time_t)(wait_ns / RELAY_NS_PER_S);
	ts.tv_nsec = (long)(wait_ns % RELAY_NS_PER_S);
	if (ppoll(relay->fds, relay->nb_fds, &ts, NULL) <= 0)
		return false;
	return relay->fds[0].revents != 0;
}

static void
relay_run(struct relay *relay)
{
	bool is_over = false;

	(void)prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul); /* else sleeps are 50 us longer */
	while (!is_over) {
		bool is_busy = relay_turn(relay);

		is_over = relay_wait(relay, is_busy ? 0 : relay_idle_ns(relay));
	}
	for (enum relay_side side = RELAY_A; side < RELAY_SIDES; side++) {
		struct rte_mbuf *frame;

		while ((frame = relay_link_pop(&relay->links[side], RELAY_NEVER)) != NULL)
			rte_pktmbuf_free(frame);
		relay->links[side].stats.nb_missed = relay_port_missed(&relay->ports[side]);
	}
}

static void
relay_print_link(const char *name, const struct relay_link_stats *s)
{
	const struct {
		const char *name;
		uint64_t value;
	} counters[] = {
		{ "received", s->nb_received },
		{ "forwarded", s->nb_forwarded },
		{ "lost", s->nb_lost },
		{ "duplicated", s->nb_doubled },
		{ "reordered", s->nb_reordered },
		{ "corrupted", s->nb_corrupted },
		{ "delayed", s->nb_delayed },
		{ "overflowed", s->nb_overflowed },
		{ "crowded", s->nb_crowded },
		{ "foreign", s->nb_foreign },
		{ "refused", s->nb_refused },
		{ "missed", s->nb_missed },
	};

	(void)printf(", \"%s\": {", name);
	for (size_t i = 0; i < LEAT_DIM(counters); i++)
		(void)printf("%s\"%s\": %" PRIu64, i > 0 ? ", " : "", counters[i].name,
			counters[i].value);
	(void)printf("}");
}

static void
relay_print(const struct relay *relay)
{
	(void)printf("{\"seed\": %" PRIu64, relay->args.seed);
	relay_print_link("a_to_b", &relay->links[RELAY_A].stats);
	relay_print_link("b_to_a", &relay->links[RELAY_B].stats);
	(void)printf("}\n");
}

/* Signals are polled for and not handled, so that none comes between a look and a sleep. */
static int
relay_open_signals(struct relay *relay, struct leat_error *error)
{
	sigset_t set;
	int fd;

	(void)signal(SIGPIPE, SIG_IGN); /* a driver's peer may go */
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGTERM);
	(void)sigaddset(&set, SIGINT);
	(void)sigprocmask(SIG_BLOCK, &set, NULL); /* before the EAL starts threads */
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	if (fd < 0)
		return leat_error_set(error, -errno, "signalfd: %s", strerror(errno));
	relay->fds[relay->nb_fds++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return 0;
}

static int
relay_open(struct relay *relay, struct leat_error *error)
{
	const char *const names[RELAY_SIDES] = { "a", "b" };
	enum relay_side side;
	int ret;

	for (side = RELAY_A; side < RELAY_SIDES; side++) {
		struct relay_port *port = &relay->ports[side];

		ret = relay_port_open(
			names[side], relay->args.devs[side], 2 * RELAY_FRAMES_MAX, port, error);
		if (ret < 0)
			goto close_ports;
		relay_link_init(
			&relay->links[side], &relay->args.links[side], relay->args.seed, side);
		relay->must_look = relay->must_look || port->nb_wakers == 0;
		for (uint32_t i = 0; i < port->nb_wakers; i++)
			relay->fds[relay->nb_fds++] =
				(struct pollfd){ .fd = port->wakers[i], .events = POLLIN };
	}
	return 0;

close_ports:
	while (side-- > RELAY_A)
		relay_port_close(&relay->ports[side]);
	return ret;
}

static void
relay_close(struct relay *relay)
{
	for (enum relay_side side = RELAY_A; side < RELAY_SIDES; side++)
		relay_port_close(&relay->ports[side]);
}

/* From the first frame to the signal that ends it. */
static int
relay_serve(struct relay *relay, struct leat_error *error)
{
	int ret = relay_open(relay, error);

	if (ret < 0)
		return ret;
	(void)printf("ready\n");
	(void)fflush(stdout);
	relay_run(relay);
	relay_print(relay);
	relay_close(relay);
	return 0;
}

int
main(int argc, char **argv)
{
	static struct relay relay; /* too large for a stack */
	const struct leat_eal_conf eal_conf = {
		.program = argv[0],
		.nb_workers = 1, /* the fewest that can be had; it is left asleep */
		.memory_mb = RELAY_MEMORY_MB,
		.no_huge = true,
	};
	struct leat_error error = { 0 };
	struct leat_eal eal;
	int ret;

	if (relay_args_parse(argc, argv, &relay.args, &error) < 0) {
		(void)fprintf(stderr, "leat-relay: %s\n", error.text);
		return EXIT_USAGE;
	}
	if (relay.args.is_help) {
		relay_args_help(stdout);
		return EXIT_GOOD;
	}
	ret = relay_open_signals(&relay, &error);
	if (ret == 0)
		ret = leat_eal_start(&eal_conf, &eal, &error);
	if (ret == 0) {
		ret = relay_serve(&relay, &error);
		leat_eal_stop(&eal);
	}
	if (ret < 0)
		(void)fprintf(stderr, "leat-relay: %s\n", error.text);
	return ret < 0 ? EXIT_RUN : EXIT_GOOD;
}
