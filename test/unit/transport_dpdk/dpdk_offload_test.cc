// SPDX-License-Identifier: BSD-3-Clause

// A device that promises offloads and does them or not: a ring whose capabilities are
// added to on the way to the driver, and whose frames are finished by callbacks.

#include <rte_ethdev.h>
#include <rte_malloc.h>

#include <leat_be.h>
#include <leat_cksum.h>

#include "dpdk_echo.h"

namespace
{

constexpr size_t kIpOff = 14, kIpCksumOff = 10, kTcpOff = 34, kTcpCksumOff = 16;

// What the device promises, beside what it has.
uint64_t tx_promised, rx_promised;

struct Device {
	bool does_ip = true, does_tcp = true; // else the field leaves as zero
	uint64_t rx_flags = 0;                // what it calls every frame that arrives
	unsigned int corrupt_every = 0;       // on the way to it
	uint64_t tx_flags_seen = 0;
	unsigned int nb_tcp_left_undone = 0;
	unsigned int nb_frames = 0;
	unsigned int never_takes = 0; // the frame of this number, until it is dropped
	unsigned int nb_sent = 0;
	const rte_mbuf *not_taken = nullptr;
	const leat_transport *xp = nullptr;
};

bool
IsTcp(const rte_mbuf *m)
{
	const uint8_t *frame = rte_pktmbuf_mtod(m, const uint8_t *);

	return leat_be16_get(frame + 12) == 0x0800 && frame[kIpOff + 9] == 6;
}

void
FinishTcp(rte_mbuf *m)
{
	uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);
	leat_cksum sum = {};

	// The field holds the sum of the pseudo header.
	ASSERT_EQ(1, m->nb_segs);
	leat_cksum_add(&sum, frame + kTcpOff, m->data_len - kTcpOff);
	leat_be16_put(frame + kTcpOff + kTcpCksumOff, leat_cksum_value(&sum));
}

uint16_t
TransmitDone(uint16_t, uint16_t, rte_mbuf **frames, uint16_t nb, void *arg)
{
	auto device = static_cast<Device *>(arg);

	for (uint16_t i = 0; i < nb; i++) {
		rte_mbuf *m = frames[i];
		uint8_t *frame = rte_pktmbuf_mtod(m, uint8_t *);

		if (m != device->not_taken && ++device->nb_sent == device->never_takes)
			device->not_taken = m;
		if (m == device->not_taken && Told(device->xp, "dpdk", "tx_stuck") == 0)
			return i;
		device->tx_flags_seen |= m->ol_flags;
		if ((m->ol_flags & RTE_MBUF_F_TX_L4_MASK) == RTE_MBUF_F_TX_TCP_CKSUM) {
			if (device->does_tcp) {
				FinishTcp(m);
			} else {
				leat_be16_put(frame + kTcpOff + kTcpCksumOff, 0);
				device->nb_tcp_left_undone++;
			}
		}
		if ((m->ol_flags & RTE_MBUF_F_TX_IP_CKSUM) != 0 && device->does_ip) {
			leat_cksum sum = {};

			leat_cksum_add(&sum, frame + kIpOff, 20);
			leat_be16_put(frame + kIpOff + kIpCksumOff, leat_cksum_value(&sum));
		}
		m->ol_flags &= ~RTE_MBUF_F_TX_OFFLOAD_MASK;
	}
	return nb;
}

uint16_t
ReceiveDone(uint16_t, uint16_t, rte_mbuf **frames, uint16_t nb, uint16_t, void *arg)
{
	auto device = static_cast<Device *>(arg);

	for (uint16_t i = 0; i < nb; i++) {
		frames[i]->ol_flags |= device->rx_flags;
		if (device->corrupt_every == 0 || !IsTcp(frames[i]) || frames[i]->pkt_len < 200)
			continue;
		if (++device->nb_frames % device->corrupt_every == 0)
			rte_pktmbuf_mtod(frames[i], uint8_t *)[100] ^= 4;
	}
	return nb;
}

class DpdkOffload : public WireEcho
{
      protected:
	void OpenDevices()
	{
		refused.tx_multi_seg = true; // so that whole frames can be summed and damaged
		ASSERT_NO_FATAL_FAILURE(Open(256));
		for (int i = 0; i < 2; i++) {
			uint16_t id = leat_dpdk_port_info(ports[i])->port_id;

			devices[i].xp = xps[i];
			tx_done[i] = rte_eth_add_tx_callback(id, 0, TransmitDone, &devices[i]);
			rx_done[i] = rte_eth_add_rx_callback(id, 0, ReceiveDone, &devices[i]);
			ASSERT_NE(nullptr, tx_done[i]);
			ASSERT_NE(nullptr, rx_done[i]);
		}
	}

	// The next port of this number would have them too.
	void CloseDevices()
	{
		for (int i = 0; i < 2; i++) {
			if (ports[i] == nullptr)
				continue;
			uint16_t id = leat_dpdk_port_info(ports[i])->port_id;

			(void)rte_eth_remove_tx_callback(id, 0, tx_done[i]);
			(void)rte_eth_remove_rx_callback(id, 0, rx_done[i]);
			rte_free(const_cast<rte_eth_rxtx_callback *>(tx_done[i]));
			rte_free(const_cast<rte_eth_rxtx_callback *>(rx_done[i]));
		}
	}

	void TearDown() override
	{
		CloseDevices();
		WireEcho::TearDown();
		tx_promised = 0;
		rx_promised = 0;
	}

	void ExpectWhole(int nb_turns)
	{
		Run(nb_turns);
		EXPECT_TRUE(got == to_send) << got.size() << " of " << to_send.size() << " bytes";
		EXPECT_TRUE(is_client_closed);
		EXPECT_EQ(0, client_error);
	}

	Device devices[2];
	const rte_eth_rxtx_callback *tx_done[2] = {};
	const rte_eth_rxtx_callback *rx_done[2] = {};
};

} // namespace

// The linker puts these between the driver and ethdev, whose rings refuse what they lack.
extern "C" {
int __real_rte_eth_dev_info_get(uint16_t, rte_eth_dev_info *);
int __real_rte_eth_dev_configure(uint16_t, uint16_t, uint16_t, const rte_eth_conf *);
int __real_rte_eth_rx_queue_setup(
	uint16_t, uint16_t, uint16_t, unsigned int, const rte_eth_rxconf *, rte_mempool *);
int __real_rte_eth_tx_queue_setup(
	uint16_t, uint16_t, uint16_t, unsigned int, const rte_eth_txconf *);

int
__wrap_rte_eth_dev_info_get(uint16_t id, rte_eth_dev_info *info)
{
	int ret = __real_rte_eth_dev_info_get(id, info);

	info->tx_offload_capa |= tx_promised;
	info->rx_offload_capa |= rx_promised;
	return ret;
}

int
__wrap_rte_eth_dev_configure(uint16_t id, uint16_t nb_rx, uint16_t nb_tx, const rte_eth_conf *conf)
{
	rte_eth_conf less = *conf;

	less.txmode.offloads &= ~tx_promised;
	less.rxmode.offloads &= ~rx_promised;
	return __real_rte_eth_dev_configure(id, nb_rx, nb_tx, &less);
}

int
__wrap_rte_eth_rx_queue_setup(uint16_t id, uint16_t queue, uint16_t nb_desc, unsigned int socket,
	const rte_eth_rxconf *conf, rte_mempool *pool)
{
	rte_eth_rxconf less = *conf;

	less.offloads &= ~rx_promised;
	return __real_rte_eth_rx_queue_setup(id, queue, nb_desc, socket, &less, pool);
}

int
__wrap_rte_eth_tx_queue_setup(uint16_t id, uint16_t queue, uint16_t nb_desc, unsigned int socket,
	const rte_eth_txconf *conf)
{
	rte_eth_txconf less = *conf;

	less.offloads &= ~tx_promised;
	return __real_rte_eth_tx_queue_setup(id, queue, nb_desc, socket, &less);
}
}

TEST_F(DpdkOffload, ADeviceThatKeepsItsPromisesIsUsed)
{
	tx_promised = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;
	rx_promised = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM;
	to_send = Pattern(100000);
	ASSERT_NO_FATAL_FAILURE(OpenDevices());
	EXPECT_STREQ("rx-ip-cksum rx-tcp-cksum tx-ip-cksum tx-tcp-cksum",
		leat_dpdk_port_info(ports[0])->offloads_text);
	for (Device &device : devices)
		device.rx_flags = RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	ExpectWhole(2000);
	for (int i = 0; i < 2; i++) {
		EXPECT_NE(0u, devices[i].tx_flags_seen & RTE_MBUF_F_TX_IP_CKSUM) << i;
		EXPECT_NE(0u, devices[i].tx_flags_seen & RTE_MBUF_F_TX_TCP_CKSUM) << i;
		EXPECT_EQ(0u, leat_dpdk_notices(xps[i])) << i;
		EXPECT_EQ(0u, Told(xps[i], "inet", "tx_trials_lost")) << i;
	}
}

TEST_F(DpdkOffload, FramesWithoutTheTcpChecksumThatWasPromisedAreFewAndThenNone)
{
	tx_promised = RTE_ETH_TX_OFFLOAD_TCP_CKSUM;
	to_send = Pattern(100000);
	ASSERT_NO_FATAL_FAILURE(OpenDevices());
	devices[1].does_tcp = false;
	ExpectWhole(20000);
	EXPECT_EQ(LEAT_INET_NOTICE_TX_TCP_CKSUM, leat_dpdk_notices(xps[1]));
	EXPECT_EQ(0u, leat_dpdk_notices(xps[0]));
	EXPECT_EQ(LEAT_INET_TRIALS_MAX, devices[1].nb_tcp_left_undone);
}

TEST_F(DpdkOffload, FramesWithoutTheIpChecksumThatWasPromisedEndItsUseAlone)
{
	tx_promised = RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_TCP_CKSUM;
	to_send = Pattern(100000);
	ASSERT_NO_FATAL_FAILURE(OpenDevices());
	devices[1].does_ip = false;
	ExpectWhole(20000);
	EXPECT_EQ(LEAT_INET_NOTICE_TX_IP_CKSUM, leat_dpdk_notices(xps[1]));
	EXPECT_EQ(LEAT_INET_TRIALS_MAX, Told(xps[0], "inet", "rx_ipv4_cksum"));
	EXPECT_NE(0u, devices[1].tx_flags_seen & RTE_MBUF_F_TX_TCP_CKSUM);
}

TEST_F(DpdkOffload, ADamagedFrameThatIsCalledGoodIsNotDelivered)
{
	rx_promised = RTE_ETH_RX_OFFLOAD_IPV4_CKSUM | RTE_ETH_RX_OFFLOAD_TCP_CKSUM;
	to_send = Pattern(100000);
	ASSERT_NO_FATAL_FAILURE(OpenDevices());
	devices[1].rx_flags = RTE_MBUF_F_RX_IP_CKSUM_GOOD | RTE_MBUF_F_RX_L4_CKSUM_GOOD;
	devices[1].corrupt_every = 10;
	ExpectWhole(20000);
	EXPECT_EQ(LEAT_INET_NOTICE_RX_TCP_CKSUM, leat_dpdk_notices(xps[1]));
	EXPECT_EQ(1u, Told(xps[1], "inet", "rx_tcp_cksum_lies"));
	EXPECT_LT(5u, Told(xps[1], "inet", "rx_tcp_cksum"));
}

TEST_F(DpdkOffload, AFrameThatTheDeviceNeverTakesIsDropped)
{
	to_send = Pattern(100000);
	ASSERT_NO_FATAL_FAILURE(OpenDevices());
	devices[1].never_takes = 20;
	ExpectWhole(20000);
	EXPECT_EQ(1u, Told(xps[1], "dpdk", "tx_stuck"));
	EXPECT_LE(100u, Told(xps[1], "dpdk", "tx_full")) << "a turn a millisecond";
}
