/* SPDX-License-Identifier: BSD-3-Clause */

#ifndef LEAT_INET_STATS_H
#define LEAT_INET_STATS_H

/**
 * @file
 * What a stack counts; included by leat_inet.h.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** One counter per thing that can happen to a frame; names as the members. */
struct leat_inet_stats {
	uint64_t rx_frames;
	uint64_t rx_bytes;
	uint64_t tx_frames;
	uint64_t tx_bytes;

	/* Ethernet: dropped. */
	uint64_t rx_eth_malformed;
	uint64_t rx_eth_vlan;      /**< of another VLAN */
	uint64_t rx_eth_multicast; /**< multicast and broadcast that is not for us */
	uint64_t rx_eth_not_ours;  /**< to another host */
	uint64_t rx_eth_type;      /**< neither ARP nor IP */

	/* ARP. */
	uint64_t rx_arp_requests; /**< for one of our addresses */
	uint64_t rx_arp_replies;
	uint64_t rx_arp_malformed;
	uint64_t rx_arp_not_ours; /**< requests for others */
	uint64_t rx_arp_conflict; /**< somebody else says that he has our address */
	uint64_t tx_arp_requests;
	uint64_t tx_arp_replies;

	/* Neighbour discovery. */
	uint64_t rx_nd_solicits; /**< for one of our addresses */
	uint64_t rx_nd_adverts;
	uint64_t rx_nd_malformed;
	uint64_t rx_nd_hop_limit; /**< not from our link: the hop limit is not 255 */
	uint64_t rx_nd_not_ours;  /**< solicitations for others */
	uint64_t rx_nd_unasked;   /**< advertisements of whom we do not know */
	uint64_t rx_nd_conflict;  /**< somebody else says that he has our address */
	uint64_t rx_nd_router;    /**< of and for routers, and redirects; ignored */
	uint64_t tx_nd_solicits;
	uint64_t tx_nd_adverts;

	/* Neighbours of both families. */
	uint64_t nbr_full;          /**< no room for a neighbour; its frames are dropped */
	uint64_t nbr_evicted;       /**< one not in use made room for another */
	uint64_t nbr_unreachable;   /**< did not answer LEAT_INET_ARP_TRIES_MAX requests */
	uint64_t nbr_queue_full;    /**< frames over LEAT_INET_ARP_QUEUE_MAX, dropped */
	uint64_t nbr_moved;         /**< has another MAC address now */
	uint64_t nbr_claims;        /**< who was in use was said to be elsewhere, and is asked */
	uint64_t nbr_claims_denied; /**< he answered: still where he was */

	/* IPv4: dropped. */
	uint64_t rx_ipv4_malformed; /**< version or a length */
	uint64_t rx_ipv4_cksum;
	uint64_t rx_ipv4_cksum_lies; /**< of them: the port had called it good */
	uint64_t rx_ipv4_not_ours;   /**< to an address that is not ours, broadcast too */
	uint64_t rx_ipv4_src_own;    /**< from one of our own addresses */
	uint64_t rx_ipv4_src_bad;    /**< from one that no host can have */
	uint64_t rx_ipv4_fragment;
	uint64_t rx_ipv4_proto; /**< neither ICMP nor TCP */

	/* IPv6: dropped. */
	uint64_t rx_ipv6_malformed; /**< version, a length, or over a limit of extension headers */
	uint64_t rx_ipv6_option;    /**< an option or a route that we would have to know */
	uint64_t rx_ipv6_fragment;
	uint64_t rx_ipv6_not_ours; /**< to an address or a group that is not ours */
	uint64_t rx_ipv6_src_own;  /**< from one of our own addresses */
	uint64_t rx_ipv6_src_bad;  /**< from one that no host can have */
	uint64_t rx_ipv6_proto;    /**< neither ICMPv6 nor TCP */
	uint64_t tx_no_route;      /**< not sent: off our links, and no gateway */

	/* ICMP and ICMPv6. */
	uint64_t rx_icmp_echo;
	uint64_t rx_icmp_malformed;
	uint64_t rx_icmp_cksum;
	uint64_t rx_icmp_ignored;     /**< neither echo nor an error that says something to TCP */
	uint64_t rx_icmp_errors;      /**< of a segment from one of our addresses, or said to be */
	uint64_t rx_icmp_error_stale; /**< of none that is in flight, RFC 5927 */
	uint64_t rx_icmp_error_limited; /**< over LEAT_INET_ICMP_ERROR_RATE, not looked at */
	uint64_t rx_icmp_limited;       /**< echo over LEAT_INET_ECHO_RATE, not answered */
	uint64_t rx_icmp_too_long;      /**< echo over our MTU, not answered */

	/* TCP. */
	uint64_t rx_tcp_segs; /**< whole and with a good checksum */
	uint64_t rx_tcp_malformed;
	uint64_t rx_tcp_cksum;
	uint64_t rx_tcp_cksum_lies;     /**< of them: the port had called it good */
	uint64_t rx_tcp_cksum_partial;  /**< of a local peer who leaves the sum to hardware */
	uint64_t rx_tcp_dropped;        /**< segments that changed nothing */
	uint64_t rx_tcp_no_conn;        /**< to a closed port */
	uint64_t rx_tcp_listen_ignored; /**< to a listener, neither SYN nor ACK */
	uint64_t tcp_half_open_evicted; /**< half-open ones that made room for another peer */
	uint64_t tcp_cookies_sent;      /**< SYNs answered by a cookie */
	uint64_t tcp_cookies_accepted;  /**< connections opened by one */
	uint64_t tcp_cookies_refused;   /**< ACKs without a connection and without a good one */
	uint64_t tcp_conns_full;        /**< SYNs, cookies and connects without a free slot */
	uint64_t tcp_opens_passive;
	uint64_t tcp_opens_active;
	uint64_t tcp_pmtu_lowered; /**< connections told of a smaller path MTU, each time */
	uint64_t tcp_unreachable;  /**< connections told that their peer cannot be reached */
	uint64_t tcp_closed;       /**< CLOSED events */
	uint64_t tcp_relieved;     /**< connections aborted because mbufs ran short */
	uint64_t tx_tcp_segs;
	uint64_t tx_rst;           /**< to closed ports and for refused segments */
	uint64_t tx_rst_limited;   /**< RSTs over LEAT_INET_RST_RATE, not sent */
	uint64_t tx_text_copied;   /**< segments whose text was copied behind the headers */
	uint64_t tx_text_attached; /**< segments whose text left as it lies */
	uint64_t time_wait_added;
	uint64_t time_wait_evicted;     /**< left early: the table was full */
	uint64_t time_wait_rst_ignored; /**< RFC 1337 */
	uint64_t time_wait_reopened;    /**< RFC 6191 */
	uint64_t time_wait_ack_limited; /**< ACKs over LEAT_INET_ACK_RATE, not sent */

	/* What the port does for us. */
	uint64_t tx_tso;         /**< frames that the port cut into segments */
	uint64_t tx_cut;         /**< texts of several segments that we cut for it */
	uint64_t tx_trials;      /**< segments that tried an offload */
	uint64_t tx_trials_lost; /**< of them: came through without it only */

	/* The flight recorder. */
	uint64_t record_frozen;  /**< copies that were frozen for an end */
	uint64_t record_skipped; /**< ends without one, since another was frozen */

	/* Our own means. */
	uint64_t tx_no_mbuf;         /**< a connection's segment stays owed: too few frames */
	uint64_t tx_no_mbuf_control; /**< ARP, ICMP, RST: not sent, not one frame is left */
	uint64_t tx_no_mbuf_text;    /**< text that was copied: too few frames to attach it */
	uint64_t tx_no_mbuf_new;     /**< handshakes that wait: too few frames for them */
	uint64_t tcp_begin_refused;  /**< SYNs, cookies: buffers of any kind run low */
	uint64_t tcp_begin_starved;  /**< of these: for what others hold, received or to be sent */
	uint64_t rx_text_refused;    /**< text dropped: too few mbufs to receive with */
	uint64_t tx_ctl_full;        /**< control frames over LEAT_INET_CTL_MAX, dropped */
};

#ifdef __cplusplus
}
#endif

#endif /* LEAT_INET_STATS_H */
