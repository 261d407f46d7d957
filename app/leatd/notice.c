/* SPDX-License-Identifier: BSD-3-Clause */

/* What the datapath found out about a port and cannot say itself: each once a port. */

#include "leatd_priv.h"
#include "log.h"

struct notice {
	enum leat_inet_notice bit;
	const char *text;
};

static const struct notice notices[] = {
	{ LEAT_INET_NOTICE_CKSUM_PARTIAL,
		"a local peer leaves its TCP checksums to hardware that is not there, so that its "
		"segments are dropped: have its kernel compute them with `ethtool -K PEER tx off` "
		"on the peer's interface" },
	{ LEAT_INET_NOTICE_CONFLICT,
		"another host says that it has an address of this port, so that peers may reach "
		"either: give the address to one of them only" },
	{ LEAT_INET_NOTICE_TX_TCP_CKSUM,
		"the device promises TCP checksums and frames with them do not come through: leat "
		"computes them itself (no-offload = tx-tcp-cksum does so from the start)" },
	{ LEAT_INET_NOTICE_TX_IP_CKSUM,
		"the device promises IPv4 checksums and frames with them do not come through: leat "
		"computes them itself (no-offload = tx-ip-cksum does so from the start)" },
	{ LEAT_INET_NOTICE_TX_MULTI_SEG,
		"the device promises to send frames in pieces and they do not come through: leat "
		"copies each into one (no-offload = tx-multi-seg does so from the start)" },
	{ LEAT_INET_NOTICE_TX_TSO,
		"the device promises to cut text into segments and they do not come through: leat "
		"does it itself (no-offload = tx-tso does so from the start)" },
	{ LEAT_INET_NOTICE_TX_TCP_CKSUM6,
		"the device promises TCP checksums and frames over IPv6 with them do not come "
		"through: leat computes them itself (no-offload = tx-tcp-cksum does so from the "
		"start, over IPv4 too)" },
	{ LEAT_INET_NOTICE_TX_MULTI_SEG6,
		"the device promises to send frames in pieces and those over IPv6 do not come "
		"through: leat copies each into one (no-offload = tx-multi-seg does so from the "
		"start, over IPv4 too)" },
	{ LEAT_INET_NOTICE_TX_TSO6,
		"the device promises to cut text into segments and over IPv6 they do not come "
		"through: leat does it itself (no-offload = tx-tso does so from the start, over "
		"IPv4 too)" },
	{ LEAT_INET_NOTICE_RX_IP_CKSUM,
		"the device calls a wrong IPv4 checksum good: leat checks them all itself "
		"(no-offload = rx-ip-cksum does so from the start)" },
	{ LEAT_INET_NOTICE_RX_TCP_CKSUM,
		"the device calls a wrong TCP checksum good: leat checks them all itself "
		"(no-offload = rx-tcp-cksum does so from the start)" },
	{ LEAT_INET_NOTICE_RX_TCP_CKSUM6,
		"the device calls a wrong TCP checksum over IPv6 good: leat checks them all itself "
		"(no-offload = rx-tcp-cksum does so from the start, over IPv4 too)" },
};

void
leatd_tell_notices(struct leatd *d)
{
	for (uint32_t p = 0; p < d->nb_ports; p++) {
		uint32_t found = 0;

		for (uint32_t i = 0; i < d->nb_workers; i++)
			found |= leat_dpdk_notices(d->workers[i].transports[p]);
		for (uint32_t i = 0; i < LEAT_DIM(notices); i++) {
			if ((found & ~d->told[p] & notices[i].bit) != 0)
				leatd_log(LEATD_LOG_WARNING, "port %s: %s", d->conf->ports[p].name,
					notices[i].text);
		}
		d->told[p] |= found;
	}
}
