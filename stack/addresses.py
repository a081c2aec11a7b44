"""Ports of the stack's processes."""

from dataclasses import dataclass

from servicekit.testing.ports import free_port


@dataclass(frozen=True, kw_only=True)
class Addresses:
    """Loopback port of each process; 0 for one that does not run."""

    origin: int
    gateway: int
    metrics: int
    erpsim: int
    control: int
    returns: int = 0
    returns_metrics: int = 0
    returns_origin: int = 0
    report_gateway: int = 0
    tax_documents: int = 0
    hana: int = 0


def any_addresses(*, origin: int | None = None) -> Addresses:
    """Choose a free port for each process, and optionally the given one for the origin."""
    return Addresses(
        origin=origin or free_port(),
        gateway=free_port(),
        metrics=free_port(),
        erpsim=free_port(),
        control=free_port(),
        returns=free_port(),
        returns_metrics=free_port(),
        returns_origin=free_port(),
        report_gateway=free_port(),
        tax_documents=free_port(),
        hana=free_port(),
    )
