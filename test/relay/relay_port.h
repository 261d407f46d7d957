/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RELAY_PORT_H
#define RELAY_PORT_H

/**
 * @file
 * An end of the relay: a port of the dpdk transport's, with promiscuous receive and
 * what wakes its user when a frame comes.
 */

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include <leat_error.h>
#include <leat_transport_dpdk.h>

#define RELAY_WAKERS_MAX 8u

/** One end. */
struct relay_port {
	struct leat_dpdk_port *port;
	uint16_t port_id;
	uint32_t nb_wakers; /**< 0: nobody wakes, so look often */
	int wakers[RELAY_WAKERS_MAX];
};

/**
 * Open a device for frames to and from anybody.
 *
 * @param name
 *   "a" or "b", for people.
 * @param nb_frames_max
 *   Received frames that may be held back.
 * @return
 *   As leat_dpdk_port_open().
 */
int relay_port_open(const char *name, const char *dev, uint32_t nb_frames_max,
	struct relay_port *port, struct leat_error *error);

/** Close it; its frames have been freed. */
void relay_port_close(struct relay_port *port);

/** @return frames that the kernel dropped since the port was opened; counts once. */
uint64_t relay_port_missed(const struct relay_port *port);

#endif /* RELAY_PORT_H */
