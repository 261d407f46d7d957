// SPDX-License-Identifier: BSD-3-Clause

#ifndef PERF_INET_H
#define PERF_INET_H

// One of two stacks on one link, as the daemon opens it on a port that sends chains.

#include <cstdint>

#include <leat_inet.h>

namespace perf_inet
{

constexpr uint16_t kMtu = 1500;

inline leat_ip_addr
Addr(int idx)
{
	return leat_ip_addr_from_ipv4(0x0a4d0001u + (uint32_t)idx);
}

// Without a name, pools and how many connections it has; port_sums: the port has checksums done.
inline leat_inet_conf
Conf(int idx, bool port_sums, uint64_t now_us)
{
	leat_inet_conf conf = {};

	conf.mac[0] = 2;
	conf.mac[5] = (uint8_t)(1 + idx);
	conf.mtu = kMtu;
	conf.nb_addrs = 1;
	conf.addrs[0] = { Addr(idx), 24 };
	conf.offloads.tx_ip_cksum = port_sums;
	conf.offloads.tx_tcp_cksum = port_sums;
	conf.offloads.rx_ip_cksum = port_sums;
	conf.offloads.rx_tcp_cksum = port_sums;
	conf.offloads.tx_multi_seg = true;
	conf.trust_offloads = true; // the trials are over
	conf.nb_neighbours_max = 16;
	conf.seed[0] = 1;
	conf.seed[1] = (uint64_t)idx;
	conf.now_us = now_us;
	leat_tcp_conf_init(&conf.tcp, kMtu - 40);
	return conf;
}

} // namespace perf_inet

#endif // PERF_INET_H
