#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# A lab is two network namespaces joined by a veth pair; the network of the host is not touched:
#
#   leat-INSTANCE-srv   veth "leat0", no address: leatd answers for 10.77.0.1 and fd77::1 here
#   leat-INSTANCE-cli   veth "peer0", 10.77.0.2/24 and fd77::2/64: Linux, the clients run here

set -euo pipefail

usage() {
	echo "usage: lab.sh up|down [INSTANCE] | exec srv|cli INSTANCE COMMAND..." >&2 && exit 2
}

up() {
	for ns in "$srv" "$cli"; do
		ip netns add "$ns"
		# Router solicitations and the like would be noise in the captures.
		ip netns exec "$ns" sysctl -eqw net.{ipv4.ip_forward=0,ipv6.conf.{all,default}.disable_ipv6=1}
	done
	ip -n "$cli" link set lo up
	ip -n "$cli" link add peer0 numrxqueues 1 numtxqueues 1 type veth \
		peer name leat0 netns "$srv" numrxqueues 1 numtxqueues 1
	# A veth hands over checksums that nobody has completed, and segments larger than the MTU.
	ip netns exec "$cli" ethtool -K peer0 tx off tso off gso off gro off >/dev/null
	ip netns exec "$srv" ethtool -K leat0 tx off tso off gso off gro off >/dev/null
	# Without an address and without ARP the kernel is silent on the side of leatd.
	ip -n "$srv" link set leat0 arp off up
	ip -n "$cli" address add 10.77.0.2/24 dev peer0
	ip netns exec "$cli" sysctl -eqw net.ipv6.conf.peer0.{router_solicitations,disable_ipv6}=0
	ip -n "$cli" address add fd77::2/64 dev peer0 nodad
	ip -n "$cli" link set peer0 up
}

down() {
	for ns in "$srv" "$cli"; do
		[[ ! -e "/run/netns/$ns" ]] || ip netns delete "$ns" # takes the veth pair along
	done
}

action="${1:-}"
case "$action" in
up | down) instance="${2:-lab}" ;;
exec)
	[[ $# -ge 4 && "$2" =~ ^(srv|cli)$ ]] || usage
	exec ip netns exec "leat-$3-$2" "${@:4}"
	;;
*) usage ;;
esac
[[ "$instance" =~ ^[a-z0-9]{1,16}$ ]] || usage
srv="leat-$instance-srv" cli="leat-$instance-cli"
if [[ "$action" == down ]]; then
	down
elif ! ip -n "$cli" link show peer0 >/dev/null 2>&1; then # else it is up already
	down
	trap down ERR
	set -E # the trap holds in functions too
	up
fi
