// SPDX-License-Identifier: BSD-3-Clause

#include "sim_plan.h"

#include <algorithm>
#include <cstdarg>

namespace sim
{

namespace
{

constexpr uint64_t kTimeWaitUs = 240 * kSecondUs; // 2 MSL as RFC 9293 has it
// At such loss that all retransmissions of four minutes may be lost.
constexpr uint64_t kLongTimeWaitUs = 4000 * kSecondUs;
constexpr unsigned int kLossOfTimeWaitMax = 500;
constexpr uint32_t kHdrsLen = 40; // IPv4 and TCP
constexpr uint64_t kFloodSynsMax = 1500;

// One in three worlds has none; the others up to @p max, small figures more often.
unsigned int
DrawRate(Rng *rng, unsigned int max)
{
	if (rng->OneIn(3))
		return 0;
	return (unsigned int)rng->In(1, rng->OneIn(2) ? max : std::max(max / 10, 1u));
}

unsigned int
Chosen(int option, unsigned int drawn)
{
	return option == kDrawn ? drawn : (unsigned int)option;
}

// Up to three of them within the first 20 s, but not while neighbours are looked for.
Spans
DrawSpans(Rng *rng, uint64_t now_us, uint64_t len_max_us)
{
	Spans spans;

	for (uint64_t n = rng->In(1, 3); n > 0; n--) {
		uint64_t begin_us = now_us + rng->In(5 * kSecondUs, 20 * kSecondUs);

		spans.push_back({ begin_us, begin_us + rng->In(1000, len_max_us) });
	}
	return spans;
}

void
DrawLink(LinkPlan *link, const Options &options, bool is_clean, Rng *rng, uint64_t now_us)
{
	static const unsigned int loss_max[] = { 0, 100, 1000, 3000 };
	unsigned int loss = loss_max[rng->In(0, 3)];

	link->delay_us = rng->In(20, rng->OneIn(4) ? 200000 : 5000);
	if (is_clean)
		return;
	link->loss = Chosen(options.loss, loss > 0 ? rng->In32(1, loss) : 0);
	link->dup = Chosen(options.dup, DrawRate(rng, 1000));
	link->reorder = Chosen(options.reorder, DrawRate(rng, 2000));
	link->corrupt = Chosen(options.corrupt, DrawRate(rng, 300));
	link->jitter_us = rng->OneIn(2) ? 0 : rng->In(0, link->delay_us / 8);
	if (rng->OneIn(4)) {
		link->ns_per_byte = rng->In(8, 8000); // 1 Mbit/s to 1 Gbit/s
		link->queue_us = rng->In(50000, 200000);
	}
	if (rng->OneIn(4))
		link->strips = rng->In32(0, kStripTs | kStripSack | kStripWscale);
	if (rng->OneIn(10))
		link->outages = DrawSpans(rng, now_us, 30 * kSecondUs);
}

// Half of the routers are at one end only.
void
DrawRouter(LinkPlan *link, uint16_t mtu, Rng *rng)
{
	if (mtu <= LEAT_INET_MTU_MIN || rng->OneIn(2))
		return;
	link->router = Router::kSays;
	if (rng->OneIn(5))
		link->router = rng->OneIn(2) ? Router::kSilent : Router::kSaysNoMtu;
	link->path_mtu = (uint16_t)rng->In(LEAT_INET_MTU_MIN, mtu - 1u);
	// RFC 792 asks for 8 bytes, RFC 1812 for as much as fits into 576.
	link->quote_len = rng->OneIn(2) ? 8 : rng->In(8, 500);
}

// From the least that an engine takes to a few hundred segments; extremes often.
void
DrawWindow(NodePlan *node, Rng *rng)
{
	const uint32_t mss = node->mss;

	switch (rng->In(0, 3)) {
	case 0:
		node->wscale = 0;
		break;
	case 1:
		node->wscale = LEAT_TCP_WSCALE_MAX;
		break;
	default:
		node->wscale = (uint8_t)rng->In(1, 7);
		break;
	}
	// A window of less than a unit is told as none; then there must be room for an update.
	const uint32_t unit = 1u << node->wscale;
	const uint32_t least = std::max(2 * mss, unit + std::max(unit, mss));
	const uint32_t most =
		std::max(least, (uint32_t)std::min<uint64_t>(65535ull << node->wscale, 1 << 21));

	node->rcv_wnd_max = rng->OneIn(3) ? least : rng->In32(least, most);
	node->snd_len_max = rng->In32(rng->OneIn(4) ? 1 : 2 * mss, 131072);
}

// So many probes that loss alone does not end a connection, where there is any.
void
DrawKeepalive(NodePlan *node, bool is_clean, Rng *rng)
{
	node->keep.idle_s = rng->In32(10, rng->OneIn(4) ? 7200 : 60);
	node->keep.interval_s = rng->In32(3, 75);
	node->keep.nb_probes = (uint8_t)(is_clean ? rng->In(1, 9) : 40);
	node->keeps_by_listener = rng->OneIn(2);
}

// A port that cuts segments does all the rest too.
void
DrawOffloads(NodePlan *node, Rng *rng)
{
	node->trusts_offloads = rng->OneIn(2);
	node->offloads.tx_multi_seg = rng->OneIn(2);
	node->offloads.tx_ip_cksum = rng->OneIn(2);
	node->offloads.tx_tcp_cksum = rng->OneIn(2);
	node->offloads.rx_ip_cksum = rng->OneIn(2);
	node->offloads.rx_tcp_cksum = rng->OneIn(2);
	if (rng->OneIn(3)) {
		node->offloads.tx_multi_seg = true;
		node->offloads.tx_ip_cksum = true;
		node->offloads.tx_tcp_cksum = true;
		node->offloads.tx_tso = true;
	}
	if (rng->OneIn(4))
		node->nb_tx_segs_max = (uint16_t)rng->In(2, 12);
	if (rng->OneIn(4))
		node->nb_tso_segs_max = (uint16_t)rng->In(2, 24);
}

void
DrawNode(NodePlan *node, const Plan &plan, bool is_clean, Rng *rng, uint64_t now_us)
{
	const uint16_t mss_max = (uint16_t)(plan.mtu - kHdrsLen);

	DrawOffloads(node, rng);
	node->mss = rng->OneIn(8) ? (uint16_t)rng->In(LEAT_TCP_MSS_MIN, mss_max) : mss_max;
	DrawWindow(node, rng);
	if (rng->OneIn(3))
		node->congestion = LEAT_TCP_NEWRENO;
	if (rng->OneIn(3))
		DrawKeepalive(node, is_clean, rng);
	if (!is_clean && rng->OneIn(8))
		node->forged = DrawRate(rng, 1000);
	node->ack_delay_us = rng->OneIn(3) ? 0 : 40000;
	node->nb_reass_max = (uint16_t)(rng->OneIn(6) ? rng->In(0, 8) : 256);
	if (!is_clean && rng->OneIn(8))
		node->nb_mbufs = rng->In32(256, 1024);
	if (!is_clean && rng->OneIn(10))
		node->droughts = DrawSpans(rng, now_us, 5 * kSecondUs);
	node->isn = rng->In32(0, UINT32_MAX);
	if (plan.wraps)
		node->isn = UINT32_MAX - rng->In32(0, rng->OneIn(2) ? 3 : 60000);
	if (rng->OneIn(4)) // timestamps wrap while the world lasts
		node->ts_offset = 0u - (uint32_t)(now_us / 1000) - rng->In32(1, 2000);
	node->lends = node->ts_offset % 4 == 3; // not drawn: the worlds without stay as they were
}

// While most connections begin. Once in a while there are bursts of more than the queue of
// frames without a connection takes.
void
DrawFlood(FloodPlan *flood, Rng *rng, uint64_t now_us)
{
	uint64_t begin_us = now_us + rng->In(0, kSecondUs / 2);

	flood->target = (int)rng->In(0, 1);
	flood->span = { begin_us, begin_us + rng->In(kSecondUs / 2, 4 * kSecondUs) };
	flood->pause_us = rng->In(1000, 50000);
	flood->nb_burst = rng->In32(1, rng->OneIn(4) ? 100 : 10);
	flood->nb_on_link = rng->In32(0, rng->OneIn(2) ? 0 : 100);
	// Enough to fill the backlog and to be felt, not more than a test can wait for.
	flood->span.end_us = std::min(
		flood->span.end_us, begin_us + kFloodSynsMax / flood->nb_burst * flood->pause_us);
}

void
DrawVanish(Plan *plan, bool is_clean, Rng *rng, uint64_t now_us)
{
	plan->vanish.node = (int)rng->In(0, 1);
	plan->vanish.at_us = now_us + rng->In(1000, rng->OneIn(2) ? 2 * kSecondUs : 20 * kSecondUs);
	if (rng->OneIn(2))
		plan->vanish.back_us = plan->vanish.at_us +
				       rng->In(1000, rng->OneIn(2) ? kSecondUs : 100 * kSecondUs);
	for (NodePlan &node : plan->nodes) // else who has nothing to say waits for ever
		DrawKeepalive(&node, is_clean, rng);
}

bool
IsCleanLink(const LinkPlan &link)
{
	// Timestamps tell a late ACK from a lost segment; jitter alone puts frames in disorder.
	return link.loss == 0 && link.dup == 0 && link.reorder == 0 && link.corrupt == 0 &&
	       link.jitter_us == 0 && link.ns_per_byte == 0 && link.strips == 0 &&
	       link.outages.empty() && link.router == Router::kNone;
}

bool
IsCleanNode(const NodePlan &node)
{
	return node.droughts.empty() && node.nb_mbufs == kNbMbufs;
}

} // namespace

Plan::Plan(const Options &options, Rng *rng, uint64_t now_us)
{
	static const uint16_t mtus[] = { 576, 1500, 1500 };

	mtu = (uint16_t)Chosen(options.mtu,
		rng->OneIn(4) ? rng->In32(LEAT_INET_MTU_MIN, 2000) : mtus[rng->In(0, 2)]);
	vlan_id = (uint16_t)(rng->OneIn(4) ? rng->In(1, 4094) : 0);
	wraps = rng->OneIn(2);
	reuses_ports = rng->OneIn(3);
	if (rng->OneIn(8))
		cookies = LEAT_INET_COOKIES_ALWAYS;
	const bool is_clean = rng->OneIn(8);
	for (LinkPlan &link : links)
		DrawLink(&link, options, is_clean, rng, now_us);
	links[1].spares_others = true;
	for (NodePlan &node : nodes)
		DrawNode(&node, *this, is_clean, rng, now_us);
	if (!is_clean && rng->OneIn(6)) {
		for (LinkPlan &link : links)
			DrawRouter(&link, mtu, rng);
	}
	if (!is_clean && rng->OneIn(12))
		DrawFlood(&flood, rng, now_us);
	if (!is_clean && rng->OneIn(12))
		DrawVanish(this, false, rng, now_us);
	// Without timestamps a cookie cannot be told from what TIME-WAIT waits for.
	if (HasCookies() && ((links[0].strips | links[1].strips) & kStripTs))
		reuses_ports = false;
	time_wait_us = std::max(links[0].loss, links[1].loss) <= kLossOfTimeWaitMax
			       ? kTimeWaitUs
			       : kLongTimeWaitUs;
}

namespace
{

[[gnu::format(printf, 1, 2)]] std::string
Format(const char *fmt, ...)
{
	char text[512];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return text;
}

double
Seconds(uint64_t at_us)
{
	return (double)at_us / kSecondUs;
}

std::string
TextOf(const LinkPlan &link)
{
	static const char *const routers[] = { "", "says so", "says no MTU", "is silent" };
	std::string text = Format("; its link: loss %u dup %u reorder %u corrupt %u, %.3f+%.3f ms, "
				  "%u ns a byte, %zu outages, strips %u",
		link.loss, link.dup, link.reorder, link.corrupt, (double)link.delay_us / 1000,
		(double)link.jitter_us / 1000, (unsigned int)link.ns_per_byte, link.outages.size(),
		link.strips);

	if (link.router != Router::kNone)
		text += Format(
			", path MTU %u, its router %s", link.path_mtu, routers[(int)link.router]);
	return text;
}

std::string
TextOf(const NodePlan &node)
{
	std::string text = Format("MSS %u, window %u << %u, %u to send, %u mbufs, %zu droughts",
		node.mss, node.rcv_wnd_max >> node.wscale, node.wscale, node.snd_len_max,
		node.nb_mbufs, node.droughts.size());

	if (node.congestion == LEAT_TCP_NEWRENO)
		text += ", NewReno";
	if (node.lends)
		text += ", lends";
	if (node.offloads.tx_tso)
		text += Format(", TSO of %u%s", node.nb_tso_segs_max,
			node.trusts_offloads ? "" : " on trial");
	if (node.keep.idle_s != 0)
		text += Format(", keep-alive %u+%u*%u s%s", node.keep.idle_s, node.keep.nb_probes,
			node.keep.interval_s, node.keeps_by_listener ? " by listener" : "");
	if (node.forged != 0)
		text += Format(", forged %u", node.forged);
	return text;
}

} // namespace

std::string
Plan::Text() const
{
	std::string text = Format("MTU %u, VLAN %u%s%s%s", mtu, vlan_id,
		cookies == LEAT_INET_COOKIES_ALWAYS ? ", cookies" : "",
		wraps ? ", numbers wrap" : "", reuses_ports ? ", ports are reused" : "");

	if (flood.target >= 0)
		text += Format(", flood of node %d: %u SYNs (%u%% on link) each %.3f s until %.3f",
			flood.target, flood.nb_burst, flood.nb_on_link, Seconds(flood.pause_us),
			Seconds(flood.span.end_us));
	if (vanish.node >= 0)
		text += Format(", node %d vanishes at %.6f", vanish.node, Seconds(vanish.at_us));
	if (vanish.back_us != kNever)
		text += Format(" and is back at %.6f", Seconds(vanish.back_us));
	for (int i = 0; i < 2; i++)
		text += Format("; node %d: ", i) + TextOf(nodes[i]) + TextOf(links[i]);
	return text;
}

bool
Plan::IsClean() const
{
	return IsCleanLink(links[0]) && IsCleanLink(links[1]) && IsCleanNode(nodes[0]) &&
	       IsCleanNode(nodes[1]);
}

} // namespace sim
