/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * An idle lcore. Where the driver has a receive interrupt, or a socket that can be polled,
 * the lcore sleeps until it comes; elsewhere it sleeps in turns that are short enough for the first frame after a silence
 * and long enough to leave the core nearly idle.
 */

#include <poll.h>
#include <time.h>

#include <sys/epoll.h>
#include <sys/prctl.h>

#include <leat_time.h>

#include "dpdk_priv.h"

/* A frame waits for half of it; each wake-up costs some 10 us of the core. */
#define WAIT_SLEEP_US 150u
/* A tap's frame can be read only after its signal, which another thread may have to handle. */
#define WAIT_NAPS_MAX 32u

static struct timespec
wait_timespec(uint32_t us)
{
	struct timespec ts = {
		.tv_sec = us / LEAT_US_PER_S,
		.tv_nsec = (long)(us % LEAT_US_PER_S) * LEAT_NS_PER_US,
	};

	return ts;
}

static void
wait_sleep(struct dpdk_queue *queue, uint32_t timeout_us)
{
	struct timespec ts = wait_timespec(LEAT_MIN(timeout_us, WAIT_SLEEP_US));

	queue->stats.idle_sleeps++;
	(void)clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL); /* to wake early is allowed */
}

/*
 * Frames that came before the interrupt was on raise none, so the queue is asked once
 * more. The descriptor is watched for edges and never read: its kind (event counter, tap)
 * is the driver's secret.
 */
static void
wait_frames(struct dpdk_queue *queue, uint32_t timeout_us)
{
	struct timespec ts = wait_timespec(timeout_us);
	struct pollfd pfd = { .fd = queue->epoll_fd, .events = POLLIN };
	struct epoll_event event;

	/* -ENOTSUP: the descriptor is readable by itself, as that of a tap or a socket */
	(void)rte_eth_dev_rx_intr_enable(queue->port_id, queue->queue_id);
	queue->nb_stash =
		rte_eth_rx_burst(queue->port_id, queue->queue_id, queue->stash, DPDK_BURST);
	if (queue->nb_stash == 0) {
		queue->stats.idle_waits++;
		if (ppoll(&pfd, 1, &ts, NULL) > 0) { /* to wake early is allowed */
			(void)epoll_wait(queue->epoll_fd, &event, 1, 0); /* takes the edge */
			queue->nb_naps = WAIT_NAPS_MAX;
		}
	}
	(void)rte_eth_dev_rx_intr_disable(queue->port_id, queue->queue_id); /* as above */
}

void
dpdk_wait(struct leat_transport *xp, uint32_t timeout_us)
{
	struct dpdk_queue *queue = dpdk_queue_of(xp);
	uint64_t deadline_us = leat_inet_deadline(queue->inet);

	if (!queue->is_slack_set) {
		/* else the kernel adds up to 50 us to each sleep of this thread */
		(void)prctl(PR_SET_TIMERSLACK, 1ul, 0ul, 0ul, 0ul);
		queue->is_slack_set = true;
	}
	if (deadline_us <= queue->now_us || queue->nb_stash > 0)
		return;
	timeout_us = (uint32_t)LEAT_MIN((uint64_t)timeout_us, deadline_us - queue->now_us);
	if (queue->epoll_fd >= 0 && queue->nb_backlog == 0 && queue->nb_naps == 0) {
		wait_frames(queue, timeout_us);
		return;
	}
	queue->nb_naps -= queue->nb_naps > 0;
	wait_sleep(queue, timeout_us);
}
