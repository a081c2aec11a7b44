"""A stack that already runs, such as containers, described by the environment."""

import ssl
from collections.abc import Mapping

from stack.addresses import Addresses

ORIGIN = "E2E_ORIGIN_PORT"
ERPSIM = "E2E_ERPSIM_PORT"
CONTROL = "E2E_CONTROL_PORT"
WHY_NOT = "it starts or looks into processes of its own; here a stack is given that runs already"
"""Reason why a test is skipped on an existing stack."""


def existing_addresses(environ: Mapping[str, str]) -> Addresses | None:
    """Return the ports of a running stack, or None if the environment names none.

    All three must be set: the origin, the simulated ERP itself (HTTPS), and its control port. The services'
    own ports are unknown then.

    Raises:
        ValueError: one of them is missing, or is not a number.
    """
    if ORIGIN not in environ:
        return None
    missing = [name for name in (ERPSIM, CONTROL) if name not in environ]
    if missing:
        raise ValueError(f"with {ORIGIN} there must be {' and '.join(missing)}")
    ports = {name: int(environ[name]) for name in (ORIGIN, ERPSIM, CONTROL)}
    return Addresses(origin=ports[ORIGIN], gateway=0, metrics=0, erpsim=ports[ERPSIM], control=ports[CONTROL])


def erp_tls(environ: Mapping[str, str]) -> ssl.SSLContext | None:
    """Return the TLS context for the simulated ERP: for an existing stack only, or None for HTTP."""
    return trusting_anybody() if ORIGIN in environ else None


def trusting_anybody() -> ssl.SSLContext:
    """Return a context without checks, for a test on loopback whose server has a container's certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
