# SPDX-License-Identifier: BSD-3-Clause
"""The link: whom a port says that it is, with which frames, and which it hears."""

from __future__ import annotations

import subprocess
import time

from scapy.layers.l2 import ARP, Dot1Q, Ether

from dts.framework.lab import SRV_ADDR, SRV_ADDR6, SRV_IFACE, Lab
from dts.framework.leatd import RESP_PORT, LeatdConf, port_option
from dts.framework.raw import RawStation
from dts.framework.resp import RespClient, Status
from dts.framework.run import out_dir, serve
from dts.framework.telemetry import Telemetry

OTHER_ADDR = "10.77.0.9"
OTHER_ADDR6 = "fd77::9"
VLAN_ID = 7
ANSWER_S = 0.5
FRAME_LEN_MIN = 60
_ETH_P_ALL = 3
_MAC = "02:00:00:00:77:09"


def _fields(name: str, wanted: str, *fields: str) -> list[list[str]]:
    argv = ["tshark", "-r", str(out_dir() / f"{name}.pcapng"), "-Y", wanted, "-T", "fields"]
    for field in fields:
        argv += ["-e", field]
    text = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in text.splitlines()]


def _listens(*addrs: str) -> list[str]:
    return [word for addr in addrs for word in ("--listen", f"resp,dpdk,{addr},{RESP_PORT}")]


def test_every_address_is_announced_and_answers(lab: Lab) -> None:
    """A port with two addresses of each family.

    Steps:
        Capture from before the start; PING each address.

    Verify:
        One gratuitous ARP request for each IPv4 address (RFC 5227 section 2.3) and one
        unsolicited advertisement, with the override flag, for each IPv6 address, the link-local
        one too (RFC 4861 section 7.2.6). Each address answers, and no frame of the daemon's is
        shorter than Ethernet allows.
    """
    addrs = f"{SRV_ADDR}/24,addr={OTHER_ADDR}/24,addr={SRV_ADDR6}/64,addr={OTHER_ADDR6}/64"
    port = port_option("net_af_packet0", addrs, f"iface={SRV_IFACE}")
    extra = _listens(OTHER_ADDR, SRV_ADDR6, OTHER_ADDR6)
    with serve(lab, LeatdConf(port=port, extra=extra), "link_addrs"):
        for addr in (SRV_ADDR, OTHER_ADDR, SRV_ADDR6, OTHER_ADDR6):
            client = RespClient(lab.connect(RESP_PORT, addr))
            assert client.command("PING") == Status("PONG")
            client.close()
    told = _fields(
        "link_addrs",
        "arp.opcode == 1 and arp.src.proto_ipv4 == arp.dst.proto_ipv4 and "
        f"arp.src.proto_ipv4 in {{{SRV_ADDR}, {OTHER_ADDR}}}",
        *("eth.src", "eth.dst", "arp.src.hw_mac", "arp.src.proto_ipv4"),
    )
    mac = told[0][0]
    assert sorted(told) == sorted(
        [mac, "ff:ff:ff:ff:ff:ff", mac, addr] for addr in (SRV_ADDR, OTHER_ADDR)
    )
    told = _fields(
        "link_addrs",
        f"icmpv6.type == 136 and ipv6.dst == ff02::1 and eth.src == {mac}",
        *("icmpv6.nd.na.target_address", "icmpv6.nd.na.flag.o", "icmpv6.nd.na.flag.s"),
    )
    targets = [one[0] for one in told]
    assert len(targets) == 3
    assert {SRV_ADDR6, OTHER_ADDR6} < set(targets)
    assert [one for one in targets if one.startswith("fe80::")]
    assert all(one[1:] == ["1", "0"] for one in told), told
    assert _fields("link_addrs", f"eth.src == {mac} and frame.len < {FRAME_LEN_MIN}", "frame") == []
    assert _fields("link_addrs", f"eth.src == {mac} and frame.len == {FRAME_LEN_MIN}", "frame.len")


def test_frames_of_other_vlans_are_not_heard(lab: Lab) -> None:
    """A port on one VLAN.

    Steps:
        Ask for its address by ARP: without a tag, with another VLAN's, and with its own.

    Verify:
        One reply, to the last one; the others are counted. All frames of the daemon's have its tag.
    """
    port = port_option("net_af_packet0", f"{SRV_ADDR}/24,vlan={VLAN_ID}", f"iface={SRV_IFACE}")
    with serve(lab, LeatdConf(port=port), "link_vlan") as leatd:
        station = RawStation(lab, _ETH_P_ALL)
        ether = Ether(src=_MAC, dst="ff:ff:ff:ff:ff:ff")
        ask = ARP(op=1, hwsrc=_MAC, psrc=OTHER_ADDR, pdst=SRV_ADDR)
        for frame in (
            ether / ask,
            ether / Dot1Q(vlan=VLAN_ID + 1) / ask,
            ether / Dot1Q(vlan=VLAN_ID) / ask,
        ):
            station.send(frame)
            time.sleep(ANSWER_S)
        station.close()
        with Telemetry(leatd) as telemetry:
            stats = telemetry.stats()["inet"]
        assert stats["rx_arp_requests"] == 1
        assert stats["rx_eth_vlan"] >= 2  # Linux may have said something too
    replies = _fields("link_vlan", "arp.opcode == 2", "eth.src", "eth.dst", "vlan.id")
    assert [one[1:] for one in replies] == [[_MAC, str(VLAN_ID)]]
    mac = replies[0][0]
    assert _fields("link_vlan", f"eth.src == {mac} and not vlan.id == {VLAN_ID}", "frame") == []
