"""Seconds from starting the gateway's process to its first healthy answer, with the ERP out of reach."""

import statistics
import time
from pathlib import Path

from tools.stack.addresses import Addresses
from tools.stack.stack import gateway_process

from bench import servers
from servicekit.testing.ports import free_port

STARTS = 5


def measure(folder: Path) -> float:
    """Start it several times on a fresh store and return the median."""
    seconds = []
    for number in range(STARTS):
        own = folder / f"startup-{number}"
        own.mkdir()
        addresses = Addresses(
            origin=0, gateway=free_port(), metrics=free_port(), erpsim=free_port(), control=0
        )
        started = time.perf_counter()
        with gateway_process(own, addresses, servers.gateway_settings(1)) as child:
            child.wait_until_it_answers(addresses.gateway, "/api/health")
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)
