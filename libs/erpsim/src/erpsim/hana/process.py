"""Runs the simulated HANA as a process and talks to its control port."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from attrs import frozen

USER = "SYSTEM"
PASSWORD = "erpsim"  # noqa: S105 - the simulator's documented password, no secret
_PATIENCE_S = 10.0


@frozen
class HanaProcess:
    """A running server.

    Attributes:
        port: port of the database.
        control_port: port of its control.
    """

    port: int
    control_port: int

    def journal(self) -> list[dict[str, Any]]:
        """Return the journal, oldest first; fields of `erpsim.hana.faults.Entry`."""
        answer: list[dict[str, Any]] = self._ask("GET", "/journal")
        return answer

    def fault(self, **fields: Any) -> None:
        """Add a fault; fields of `erpsim.hana.faults.Fault`."""
        self._ask("POST", "/faults", fields)

    def reset(self) -> None:
        """Clear the journal and all faults."""
        self._ask("POST", "/reset", {})

    def cut(self) -> int:
        """Close every connection at once and return their number."""
        cut: int = self._ask("POST", "/cut", {})["cut"]
        return cut

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        url = f"http://127.0.0.1:{self.control_port}{path}"
        request = urllib.request.Request(url, data, method=method)
        with urllib.request.urlopen(request, timeout=_PATIENCE_S) as answer:  # noqa: S310 - loopback
            text = answer.read()
        return json.loads(text) if text else None


@contextmanager
def run_hana(*arguments: str) -> Iterator[HanaProcess]:
    """Run ``python -m erpsim.hana`` with more arguments on free ports while the context lasts.

    Raises:
        RuntimeError: it did not start.
    """
    command = [sys.executable, "-m", "erpsim.hana", "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own module
        try:
            ready = process.stdout.readline() if process.stdout is not None else ""
            if not ready:
                raise RuntimeError("the simulated HANA did not start")
            yield HanaProcess(**json.loads(ready))
        finally:
            process.terminate()
            process.wait(_PATIENCE_S)
