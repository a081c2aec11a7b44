"""A stack that runs already, such as the containers: where it is, told by the environment."""

import ssl
from collections.abc import Mapping

from stack.addresses import Addresses

ORIGIN = "E2E_ORIGIN_PORT"
ERPSIM = "E2E_ERPSIM_PORT"
CONTROL = "E2E_CONTROL_PORT"
WHY_NOT = "it starts or looks into processes of its own; here a stack is given that runs already"
"""Why a test is left out there."""


def existing_addresses(environ: Mapping[str, str]) -> Addresses | None:
    """Return the ports of a running stack; None where none is named.

    All three must be there: the origin, the simulated ERP itself (HTTPS), its control port. The services' own
    ports are not known then.

    Raises:
        ValueError: one of them is missing, or no number.
    """
    if ORIGIN not in environ:
        return None
    missing = [name for name in (ERPSIM, CONTROL) if name not in environ]
    if missing:
        raise ValueError(f"with {ORIGIN} there must be {' and '.join(missing)}")
    ports = {name: int(environ[name]) for name in (ORIGIN, ERPSIM, CONTROL)}
    return Addresses(origin=ports[ORIGIN], gateway=0, metrics=0, erpsim=ports[ERPSIM], control=ports[CONTROL])


def erp_tls(environ: Mapping[str, str]) -> ssl.SSLContext | None:
    """Return how to speak to the simulated ERP itself: HTTPS in a stack that is given, else HTTP."""
    return trusting_anybody() if ORIGIN in environ else None


def trusting_anybody() -> ssl.SSLContext:
    """Return how a test on loopback speaks to a server whose certificate names it as containers do."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
