/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef RELAY_FRAME_H
#define RELAY_FRAME_H

/**
 * @file
 * What the relay does to the bytes of a frame. A frame is one mbuf segment.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_mbuf.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Bring a received frame into the form that it has between the two sides: without the
 * tag that its side has, and with every other tag in its bytes.
 *
 * @param vlan_id
 *   Of that side's tag; 0: the side has none.
 * @return
 *   false: it has not the tag that it must have, is no whole frame in one segment, or has
 *   no headroom; drop it.
 */
bool relay_frame_take(struct rte_mbuf *frame, uint16_t vlan_id);

/**
 * Give a frame the tag of the side that it leaves by.
 *
 * @param vlan_id
 *   As above.
 * @return
 *   false: it has no headroom; drop it.
 */
bool relay_frame_tag(struct rte_mbuf *frame, uint16_t vlan_id);

/**
 * Flip one bit behind the Ethernet header of an IPv4 or IPv6 packet. Other protocols, ARP
 * above all, have no checksum of their own: there the port's would have found the damage.
 *
 * @param drawn
 *   As for relay_flip_bit().
 * @return
 *   true: the frame is damaged; false: it is no IP packet and is as it was.
 */
bool relay_frame_damage(struct rte_mbuf *frame, uint64_t drawn);

#ifdef __cplusplus
}
#endif

#endif /* RELAY_FRAME_H */
