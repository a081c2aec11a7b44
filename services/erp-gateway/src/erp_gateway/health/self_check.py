"""Health check of the container image: ask the process in the container for its state; exit 0 if it is
healthy.

Run as: python -m erp_gateway.health.self_check

Images of earlier versions run this path, so the module stays here and not in `operations/health`.

With `STANDBY`, a waiting process is healthy although its service port is closed. The check therefore asks
`METRICS_PORT` first, and the service port only if the process serves. It ignores proxy variables. It imports
no other module of the service, because it runs every ten seconds.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Final
from urllib.request import ProxyHandler, build_opener

_TIMEOUT_S: Final = 2
_YES: Final = frozenset({"true", "1", "yes", "on"})
_OF_ALL: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - a client address, not a bind


def host(environ: Mapping[str, str]) -> str:
    """Return the host to connect to, as written in a URL."""
    address = environ.get("HOST", "")
    address = _OF_ALL.get(address, address)
    return f"[{address}]" if ":" in address else address


def state(environ: Mapping[str, str]) -> str:
    """Return the state of the process: `serving` or `standby`.

    Raises:
        OSError: the process does not respond.
        ValueError: the response is not valid.
    """
    here = f"http://{host(environ)}"
    metrics_port = environ.get("METRICS_PORT")
    if environ.get("STANDBY", "").strip().lower() in _YES and metrics_port:
        reply = json.loads(_ask(f"{here}:{metrics_port}/ready"))
        if reply == {"state": "standby"}:
            return "standby"
    _ask(f"{here}:{environ.get('PORT') or 3000}/api/health")
    return "serving"


def _ask(url: str) -> bytes:
    with build_opener(ProxyHandler({})).open(url, timeout=_TIMEOUT_S) as answer:
        content: bytes = answer.read()
        return content


def main() -> int:
    """Print the state and return 0, or print the error and return 1."""
    try:
        sys.stdout.write(f"{state(os.environ)}\n")
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
