"""The bridge of the pods and its routes."""

import json
import pathlib

from layout import API_PORT, SERVICES
from processes import tool, works


def hardware_address(address):
    """Returns "10.213.1.1" as 02:00:0a:d5:01:01, a locally administered address."""
    return ":".join(f"{byte:02x}" for byte in (2, 0, *map(int, address.split("."))))


def _rules(chosen):
    bridge, network = chosen["bridge"], chosen["network"]
    return (
        # Maps the service address of the API server, because there is no kube-proxy.
        ("nat", "PREROUTING", "-i", bridge, "-d", f"{SERVICES[1]}/32", "-p", "tcp", "--dport", "443",
         "-j", "DNAT", "--to-destination", f"{chosen['address']}:{API_PORT}"),
        # Routes requests to package registries through this machine.
        ("nat", "POSTROUTING", "-s", network, "!", "-d", network, "-j", "MASQUERADE"),
        ("filter", "FORWARD", "-i", bridge, "-j", "ACCEPT"),
        ("filter", "FORWARD", "-o", bridge, "-j", "ACCEPT"),
    )


def _iptables(action, rule):
    table, chain, *words = rule
    return works("iptables", "-w", "-t", table, action, chain, *words)


def _raise(setting, least):
    """Changes a setting of the machine permanently, because others may rely on it."""
    path = pathlib.Path("/proc/sys") / setting
    if int(path.read_text()) < least:
        path.write_text(str(least))


def up(chosen):
    """Creates the bridge before the first pod, so that servers can listen on its address."""
    links = tool("ip", "-o", "link", "show", "type", "bridge")
    if f" {chosen['bridge']}:" not in links:
        # With a fixed MAC address. Otherwise it changes with the ports, and packets of other pods are lost for 50
        # seconds until they resolve it again.
        tool("ip", "link", "add", chosen["bridge"], "address", hardware_address(chosen["address"]), "type", "bridge")
        tool("ip", "addr", "add", f"{chosen['address']}/24", "dev", chosen["bridge"])
        tool("ip", "link", "set", chosen["bridge"], "up")
    _raise("net/ipv4/ip_forward", 1)
    # Every kubelet and containerd watches files. The default of 128 is too small.
    _raise("fs/inotify/max_user_instances", 1024)
    for rule in _rules(chosen):
        if not _iptables("-C", rule):
            table, chain, *words = rule
            tool("iptables", "-w", "-t", table, "-I", chain, *words)


def down(chosen):
    for rule in _rules(chosen):
        while _iptables("-D", rule):
            pass
    works("ip", "link", "delete", chosen["bridge"])


def write_plugins(folder, chosen):
    """Writes the CNI configuration of containerd, with addresses allocated in this cluster's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    bridge = {
        "type": "bridge", "bridge": chosen["bridge"], "isGateway": True, "isDefaultGateway": True,
        "ipam": {"type": "host-local", "dataDir": str(folder / "addresses"),
                 "ranges": [[{"subnet": chosen["network"], "gateway": chosen["address"]}]]},
    }
    plugins = {"cniVersion": "1.0.0", "name": chosen["bridge"], "plugins": [bridge, {"type": "loopback"}]}
    (folder / "10-bridge.conflist").write_text(json.dumps(plugins))
