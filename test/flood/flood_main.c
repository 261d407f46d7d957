/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * leat-flood: frames of one kind at a steady pace. It sends what is due and sleeps for a
 * moment, so that it takes of a core no more than the frames cost.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/if_ether.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <leat_common.h>
#include <leat_error.h>

#include "flood_args.h"
#include "flood_frame.h"

#define FLOOD_BURST    64u
#define FLOOD_TICK_NS  UINT64_C(500000)
#define FLOOD_NS_PER_S UINT64_C(1000000000)
/* Who was held up for longer does not make up for it in one burst. */
#define FLOOD_LATE_NS (20 * FLOOD_TICK_NS)

enum exit_status {
	EXIT_GOOD = 0,
	EXIT_RUN = 1,   /* it could not send */
	EXIT_USAGE = 2, /* it was told something wrong */
};

struct flood {
	struct flood_args args;
	int fd;
	uint64_t nb_made;
	uint64_t nb_sent;
	uint64_t nb_refused; /* the kernel did not take them */
	uint64_t late_ns;    /* time that was given up */
	struct mmsghdr msgs[FLOOD_BURST];
	struct iovec pieces[FLOOD_BURST];
	uint8_t frames[FLOOD_BURST][FLOOD_FRAME_MAX];
};

static uint64_t
flood_now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* this clock is always there */
	return (uint64_t)ts.tv_sec * FLOOD_NS_PER_S + (uint64_t)ts.tv_nsec;
}

static int
flood_open(struct flood *flood, struct leat_error *error)
{
	const char *iface = flood->args.iface;
	struct sockaddr_ll addr = { .sll_family = AF_PACKET };
	struct ifreq ifr = { 0 };
	int one = 1;
	int ret;

	addr.sll_ifindex = (int)if_nametoindex(iface);
	if (addr.sll_ifindex == 0)
		return leat_error_set(error, -ENODEV,
			"there is no interface %s in this network namespace", iface);
	flood->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0); /* it receives nothing */
	if (flood->fd < 0)
		return leat_error_set(error, -errno, "a packet socket: %s", strerror(errno));
	(void)strncpy(ifr.ifr_name, iface, IFNAMSIZ - 1); /* there is one of that name */
	if (bind(flood->fd, (const struct sockaddr *)&addr, sizeof(addr)) < 0 ||
		ioctl(flood->fd, SIOCGIFHWADDR, &ifr) < 0 ||
		setsockopt(flood->fd, SOL_PACKET, PACKET_QDISC_BYPASS, &one, sizeof(one)) < 0) {
		ret = leat_error_set(error, -errno, "interface %s: %s", iface, strerror(errno));
		(void)close(flood->fd); /* nothing was written */
		return ret;
	}
	memcpy(flood->args.conf.src_mac, ifr.ifr_hwaddr.sa_data, 6);
	for (uint32_t i = 0; i < FLOOD_BURST; i++) {
		flood->pieces[i].iov_base = flood->frames[i];
		flood->msgs[i].msg_hdr.msg_iov = &flood->pieces[i];
		flood->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

/* Frames that the kernel refuses are not sent again: a flood has no end to reach. */
static void
flood_burst(struct flood *flood, uint32_t nb)
{
	int sent;

	for (uint32_t i = 0; i < nb; i++)
		flood->pieces[i].iov_len =
			flood_frame_make(&flood->args.conf, flood->nb_made++, flood->frames[i]);
	sent = sendmmsg(flood->fd, flood->msgs, nb, 0);
	if (sent < 0)
		sent = 0;
	flood->nb_sent += (uint64_t)sent;
	flood->nb_refused += nb - (uint64_t)sent;
}

static void
flood_run(struct flood *flood)
{
	uint64_t begin_ns = flood_now_ns();
	uint64_t len_ns = flood->args.seconds * FLOOD_NS_PER_S;
	uint64_t next_ns = FLOOD_TICK_NS;
	uint64_t due;

	(void)prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul); /* else sleeps are 50 us longer */
	while (next_ns <= len_ns) {
		uint64_t at_ns = flood_now_ns() - begin_ns;
		struct timespec ts;

		if (at_ns > next_ns + FLOOD_LATE_NS) {
			flood->late_ns += at_ns - next_ns;
			begin_ns += at_ns - next_ns;
			len_ns -= LEAT_MIN(at_ns - next_ns, len_ns);
		} else if (at_ns < next_ns) {
			ts.tv_sec = (time_t)((begin_ns + next_ns) / FLOOD_NS_PER_S);
			ts.tv_nsec = (long)((begin_ns + next_ns) % FLOOD_NS_PER_S);
			(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
		}
		due = next_ns / 1000 * flood->args.rate / 1000000;
		while (flood->nb_made < due)
			flood_burst(flood, (uint32_t)LEAT_MIN(due - flood->nb_made, FLOOD_BURST));
		next_ns += FLOOD_TICK_NS;
	}
}

int
main(int argc, char **argv)
{
	static struct flood flood; /* too large for a stack */
	struct leat_error error = { 0 };

	if (flood_args_parse(argc, argv, &flood.args, &error) < 0) {
		(void)fprintf(stderr, "leat-flood: %s\n", error.text);
		return EXIT_USAGE;
	}
	if (flood.args.is_help) {
		flood_args_help(stdout);
		return EXIT_GOOD;
	}
	if (flood_open(&flood, &error) < 0) {
		(void)fprintf(stderr, "leat-flood: %s\n", error.text);
		return EXIT_RUN;
	}
	flood_run(&flood);
	(void)printf("{\"kind\": \"%s\", \"sent\": %" PRIu64 ", \"refused\": %" PRIu64
		     ", \"late_ms\": %" PRIu64 "}\n",
		flood_kind_name(flood.args.conf.kind), flood.nb_sent, flood.nb_refused,
		flood.late_ns / 1000000);
	(void)close(flood.fd); /* all is sent */
	return EXIT_GOOD;
}
