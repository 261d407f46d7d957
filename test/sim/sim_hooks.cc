// SPDX-License-Identifier: BSD-3-Clause

#include "sim_hooks.h"

#include <utility>

#include "inet_priv.h"
#include "sim_rng.h"
#include "tcp_priv.h"

namespace sim
{

static std::function<uint32_t(const leat_inet *inet, uint64_t now_us)> isn_of;

Place
PlaceOf(const leat_inet_conn *sender, const leat_inet_conn *receiver)
{
	Place place;

	place.snd_una = sender != nullptr ? sender->tcb.snd_una : 0;
	place.rcv_nxt = receiver != nullptr ? receiver->tcb.rcv_nxt : 0;
	return place;
}

uint32_t
RtoUs(const leat_inet_conn *conn)
{
	return conn->tcb.rto_us;
}

std::string
TextOf(const leat_inet_conn *conn)
{
	char text[512];

	if (conn == nullptr)
		return " is over";
	const leat_tcb &tcb = conn->tcb;
	(void)snprintf(text, sizeof(text),
		" %s, %u of %u bytes in flight, window %u, cwnd %u, offers %u, RTO %.3f, "
		"retransmission or persist timer at %.3f",
		leat_tcp_state_name((leat_tcp_state)tcb.state), tcb.snd_max - tcb.snd_una,
		tcb.snd_len, tcb.snd_wnd, tcb.cwnd, tcb.rcv_adv - tcb.rcv_nxt,
		(double)tcb.rto_us / kSecondUs,
		tcb.rtx_at_us == UINT64_MAX ? 0.0 : (double)tcb.rtx_at_us / kSecondUs);
	return text;
}

bool
HasUnacked(const leat_inet_conn *conn)
{
	return conn->tcb.snd_una != conn->tcb.snd_max;
}

Numbers
NumbersOf(const leat_inet_conn *conn)
{
	const leat_tcb &tcb = conn->tcb;

	return { tcb.rcv_nxt, tcb.rcv_adv - tcb.rcv_nxt, tcb.snd_una, tcb.snd_max, tcb.snd_mss,
		tcb.ts_on, tcb.ts_recent };
}

void
Watch(const leat_inet_conn *conn, Features *features)
{
	const leat_tcb &tcb = conn->tcb;
	bool has_timer = tcb.rtx_at_us != TCP_NEVER;
	bool is_newreno = tcb.conf->congestion == LEAT_TCP_NEWRENO;

	features->SawIf(tcb.state == LEAT_TCP_CLOSING, Feature::kSimultaneousClose);
	features->SawIf(tcb.snd_una < tcb.iss && tcb.snd_una > 1, Feature::kSeqWrap);
	features->SawIf(tcb.in_recovery || tcb.in_loss,
		is_newreno ? Feature::kRtxNewReno : Feature::kRtxCubic);
	features->SawIf((tcb.in_recovery || tcb.in_loss) && tcb.tx_head != nullptr &&
				RTE_MBUF_HAS_EXTBUF(tcb.tx_head),
		Feature::kRtxLoan);
	features->SawIf(tcb.nb_retries > 0 && tcb.timer_kind == TCP_TIMER_RTX, Feature::kTimerRtx);
	features->SawIf(tcb.tlp_on, Feature::kTimerTlp);
	features->SawIf(has_timer && tcb.timer_kind == TCP_TIMER_REO, Feature::kTimerReo);
	features->SawIf(has_timer && tcb.timer_kind == TCP_TIMER_PERSIST && tcb.nb_probes > 0,
		Feature::kTimerPersist);
	features->SawIf(tcb.nb_keep_probes > 0, Feature::kKeepProbe);
}

void
WatchTimedOut(const leat_inet_conn *conn, Features *features)
{
	const leat_tcb &tcb = conn->tcb;

	features->SawIf(
		tcb.nb_keep_probes > 0 && tcb.nb_keep_probes >= tcb.conf->nb_keep_probes_max,
		Feature::kKeepEnd);
}

std::string
StatsOf(const leat_inet *inet)
{
	leat_stat_set sets[LEAT_INET_STAT_SETS];
	std::string text;

	leat_inet_stat_sets(inet, sets);
	for (const leat_stat_set &set : sets) {
		for (size_t i = 0; i < set.nb_defs; i++) {
			uint64_t value = leat_stat_read(&set, &set.defs[i]);

			if (value != 0)
				text += std::string(" ") + set.defs[i].name + " " +
					std::to_string(value);
		}
	}
	return text;
}

void
ReusePort(leat_inet *inet)
{
	inet->nb_ports_tried--;
}

void
SkipPorts(leat_inet *inet)
{
	inet->nb_ports_tried += 1000; // there are never so many connections
}

void
CheckIdle(const leat_inet *inet, const char *name)
{
	const leat_inet_conn *conn;
	uint32_t nb_free = 0;

	if (leat_inet_nb_conns(inet) != 0)
		Fail("%s: %u slots in use", name, leat_inet_nb_conns(inet));
	if (leat_inet_nb_time_waits(inet) != 0)
		Fail("%s: TIME-WAIT has not ended", name);
	if (inet->nb_half_open != 0 || !TAILQ_EMPTY(&inet->half_open))
		Fail("%s: half-open ones are left", name);
	if (leat_timer_next_us(&inet->wheel) != LEAT_TIMER_NEVER)
		Fail("%s: a timer is set", name);
	if (!STAILQ_EMPTY(&inet->ready) || !STAILQ_EMPTY(&inet->output) || inet->nb_ctl != 0)
		Fail("%s: something waits", name);
	STAILQ_FOREACH (conn, &inet->conns_free, link)
		nb_free++;
	STAILQ_FOREACH (conn, &inet->conns_limbo, link)
		nb_free++;
	if (nb_free != inet->conf.nb_conns_max)
		Fail("%s: %u of %u slots are free", name, nb_free, inet->conf.nb_conns_max);
	if (rte_hash_count(inet->flows) != 0)
		Fail("%s: %d flows are left", name, rte_hash_count(inet->flows));
}

void
SetIsn(std::function<uint32_t(const leat_inet *inet, uint64_t now_us)> isn)
{
	isn_of = std::move(isn);
}

} // namespace sim

// In place of inet_conn_iss(): the linker is asked to.
extern "C" uint32_t
__wrap_inet_conn_iss(leat_inet *inet, const inet_flow_key *, uint64_t now_us)
{
	return sim::isn_of(inet, now_us);
}
