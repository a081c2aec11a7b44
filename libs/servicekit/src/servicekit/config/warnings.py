"""Unsafe but allowed settings: one list for `check-config`, the start and `doctor`.

A settings class yields its own in a method `warnings(self)`, like problems in `problems(self)`.
"""

from collections.abc import Iterator, Mapping, Sequence
from ipaddress import IPv6Network, collapse_addresses
from typing import Any, Final

import structlog

from servicekit.config.declare import Group, declarations
from servicekit.config.load import cut_values
from servicekit.config.parsers import Network
from servicekit.config.problems import Problem

_HALF_OF_IPV4: Final = 2**31
_PUBLIC_IPV6: Final = IPv6Network("2000::/3")


def find_warnings(settings: Any, environ: Mapping[str, str]) -> tuple[Problem, ...]:
    """Return the unsafe settings of a loaded configuration, those of the file first.

    Args:
        settings: the loaded settings.
        environ: the environment from which they were loaded.
    """
    return (*cut_values(type(settings), environ), *_warnings_of(settings))


def log_warnings(problems: Sequence[Problem]) -> None:
    """Log each warning at startup."""
    log = structlog.get_logger(__name__)
    for each in problems:
        log.warning("unsafe_setting", setting=each.name, reason=each.text)


def trusts_everybody(networks: Sequence[Network]) -> bool:
    """Return whether networks together cover half of all IPv4 addresses, or all public IPv6 addresses."""
    ipv4 = [each for each in networks if each.version == 4]  # noqa: PLR2004 - a version
    if sum(each.num_addresses for each in collapse_addresses(ipv4)) >= _HALF_OF_IPV4:
        return True
    ipv6 = collapse_addresses(each for each in networks if isinstance(each, IPv6Network))
    return any(each.supernet_of(_PUBLIC_IPV6) for each in ipv6)


def _warnings_of(settings: Any) -> Iterator[Problem]:
    for name, declared in declarations(type(settings)):
        value = getattr(settings, name)
        if isinstance(declared, Group) and value is not None:
            yield from _warnings_of(value)
    if hasattr(type(settings), "warnings"):
        yield from settings.warnings()
