"""What the image's health check runs: asks the process beside it what it is; exit 0 when it is well.

Run as: python -m erp_gateway.health.self_check

With `STANDBY` a process that waits has no service port and is well all the same: its state is asked at
`METRICS_PORT`, and the service port only where it serves. No proxy of the environment is asked. It imports
nothing of the service, so that it costs little every ten seconds.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Final
from urllib.request import ProxyHandler, build_opener

_TIMEOUT_S: Final = 2
_YES: Final = frozenset({"true", "1", "yes", "on"})
_OF_ALL: Final = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - asked only


def host(environ: Mapping[str, str]) -> str:
    """Return where the process listens, by its own settings, as a URL names it."""
    named = environ.get("HOST", "")
    named = _OF_ALL.get(named, named)
    return f"[{named}]" if ":" in named else named


def state(environ: Mapping[str, str]) -> str:
    """Return what the process is, by its own settings: `serving` or `standby`.

    Raises:
        OSError: it does not answer where it should.
        ValueError: what it answers is no state.
    """
    here = f"http://{host(environ)}"
    metrics_port = environ.get("METRICS_PORT")
    if environ.get("STANDBY", "").strip().lower() in _YES and metrics_port:
        told = json.loads(_ask(f"{here}:{metrics_port}/ready"))
        if told == {"state": "standby"}:
            return "standby"
    _ask(f"{here}:{environ.get('PORT') or 3000}/api/health")
    return "serving"


def _ask(url: str) -> bytes:
    with build_opener(ProxyHandler({})).open(url, timeout=_TIMEOUT_S) as answer:
        content: bytes = answer.read()
        return content


def main() -> int:
    """Ask once, print the state; return 0, or 1 and say why on standard error."""
    try:
        sys.stdout.write(f"{state(os.environ)}\n")
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
