"""The golden record: effects of each request of the tour, comparable between runs.

For v1 and v2 of the Service Layer there are two texts in `tests-e2e/golden`. One has the client's side
(status, headers and body of each response, with its log lines and audit records), the other one the calls to
the ERP. Times, random ids and secrets are replaced by a word for their kind. The rest of a long line is
replaced by a digest; `build/golden` has the current texts in full.

Run as: python -m tools.golden [--write] [v1] [v2]
"""

import argparse
import contextlib
import difflib
import hashlib
import io
import json
import re
import sqlite3
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from demo import modules
from demo.__main__ import GATEWAY_SETTINGS, RETURNS_SETTINGS
from demo.client import Client
from demo.company import add_trace_field, lose_next_answer
from demo.pdf import read_pdf
from demo.steps import STEPS
from demo.tour import Tour, run_steps
from stack.addresses import Addresses, any_addresses
from stack.exchange import Answer, exchange
from stack.processes import LOOPBACK
from stack.stack import local_stack
from typing_extensions import override

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "tests-e2e" / "golden"
SEEN: Final = ROOT / "build" / "golden"
"""Folder with the current texts in full."""
VERSIONS: Final = ("v1", "v2")

# Number of characters of a line that are kept.
_LINE: Final = 400
# Heading of effects without a request of the tour.
_BY_ITSELF: Final = ""
_MASKS: Final = tuple(
    (re.compile(pattern), word)
    for pattern, word in (
        (r"golden-\d{3}", "…"),
        (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", "<time>"),
        (r'("(?:token|huella|head|chain)": ?")[^"]+', r"\1…"),
        (r'("(?:ms|upstream_ms|queue_ms|erp_ms|bytes|size|took_s|waited_s|expiresIn)": ?)[\d.]+', r"\1…"),
        (r"(dp_sid=)[\w-]+", r"\1…"),
        (r"(127\.0\.0\.1:)\d+", r"\1…"),
        (r"ODEV-(\d+)-(\d+)-[0-9a-f]{8}", r"ODEV-\1-\2-…"),
        (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?", "<time>"),
        (r"\d{4}-\d\d-\d\d|\b\d\d[-/]\d\d[-/]\d{4}|(?<=')20\d{6}(?=')", "<date>"),
        (r"\d\d\\2d \d\d\\2d \d{4}\\20 \d\d\\3a \d\d", "<time in CSS>"),
        (r"\b\d{1,2} de [a-z]+ de \d{4}", "<date>"),
        (r"(?<=<date> )\d\d:\d\d|\b\d\d:\d\d:\d\d\b", "<clock>"),
        (r"((?:batch|changeset)[_-])[0-9a-f-]+", r"\1…"),
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uuid>"),
        (r"\b[0-9a-f]{32}([0-9a-f]{32})?\b", "<digest>"),
        (r"01[0-9A-HJKMNP-TV-Z]{24}\b", "<number of a write>"),
        (r"PRUEBA-[0-9a-f]{16}", "PRUEBA-…"),
    )
)
Exchanges: TypeAlias = dict[str, tuple[str, object, Answer]]
"""Method and path, body and answer of each request, by its id."""
_MASKED_HEADERS: Final = ("date", "server-timing", "content-length", "traceparent", "retry-after")
_LEFT_OUT_FACTS: Final = ("timestamp", "port", "path")
# Events that depend on the speed of the machine.
_LEFT_OUT_EVENTS: Final = ("upstream_call_slow",)


class RecordingClient(Client):
    """The tour's client, which stores every exchange by its request id.

    A request that is repeated until its response changes counts once, with the last response.

    Args:
        port: of the origin.
        exchanges: receives the exchanges by request id.
    """

    def __init__(self, port: int, exchanges: Exchanges) -> None:
        super().__init__(port)
        self._exchanges = exchanges
        self._repeated = ""

    @override
    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> Answer:
        """Send a request like the tour does, and store it."""
        line = f"{method} {path}"
        if method != "GET" or line != self._repeated:
            self._number = f"golden-{len(self._exchanges) + 1:03}"
        self._repeated = line
        sent = {**(headers or {}), "X-Request-ID": self._number}
        answer = super().call(method, path, body, headers=sent, **options)
        self._exchanges[self._number] = (line, body, answer)
        return answer


def record(folder: Path, version: str) -> dict[str, str]:
    """Run the tour once on real processes.

    Args:
        folder: an existing, empty one for the processes' files.
        version: of the Service Layer, `v1` or `v2`.

    Returns:
        the texts by file name.

    Raises:
        ChildFailedError: a process did not come up.
        RuntimeError: a step of the tour failed.
    """
    at = any_addresses()
    root = f"http://{LOOPBACK}:{at.erpsim}/b1s/{version}"
    gateway = {**GATEWAY_SETTINGS, **modules.database_settings(folder), "ERP_SL_URL": root}
    # Responses from memory must not depend on the speed of the machine.
    gateway |= {"REFERENCE_FRESH_S": "3600"}
    with local_stack(
        folder, addresses=at, gateway_settings=gateway, returns_settings={**RETURNS_SETTINGS, "SL_URL": root}
    ):
        add_trace_field(at.erpsim)
        exchanges: Exchanges = {}
        clients = RecordingClient(at.origin, exchanges), RecordingClient(at.returns_origin, exchanges)
        lose_answer = partial(lose_next_answer, at.control)
        tour = Tour(*clients, folder / "out", lose_answer, modules.is_database_live())
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            if run_steps(STEPS, tour, narrated=True):
                raise RuntimeError(f"the tour did not hold:\n{output.getvalue()}")
        requested = _erp_calls(at)
        metrics = _metrics(at)
    left = _left_by_requests(folder)
    return {
        f"{version}-client.txt": _client_text(exchanges, left, metrics),
        f"{version}-erp.txt": _erp_text(exchanges, requested),
    }


def _client_text(exchanges: Exchanges, left: Mapping[str, list[str]], metrics: Iterable[str]) -> str:
    lines: list[str] = []
    for request, (line, body, answer) in exchanges.items():
        lines += [f"== {_masked(line)}", *([_masked(_json(body))] if body is not None else [])]
        lines += [f"-- {answer.status}", *_header_lines(answer), _content(answer), *left.get(request, ())]
    lines += ["== by themselves", *sorted(set(left.get(_BY_ITSELF, ()))), "== metrics", *metrics]
    return "\n".join(lines) + "\n"


def _erp_text(exchanges: Exchanges, asked: Mapping[str, list[str]]) -> str:
    lines: list[str] = []
    for request, (line, _, _) in exchanges.items():
        if request in asked:
            lines += [f"== {_masked(line)}", *asked[request]]
    return "\n".join([*lines, "== by themselves", *sorted(asked.get(_BY_ITSELF, ()))]) + "\n"


def _header_lines(answer: Answer) -> list[str]:
    return sorted(
        f"{name}: {'…' if name.lower() in _MASKED_HEADERS else _masked(value)}"
        for name, value in answer.headers.items()
    )


def _content(answer: Answer) -> str:
    if answer.headers.get_content_type() == "application/pdf":
        return f"PDF of {len(read_pdf(answer.content))} pages"
    return _masked(answer.content.decode()).replace("\n", "⏎")


def _left_by_requests(folder: Path) -> dict[str, list[str]]:
    """Return the log lines of both services and the audit records, by request."""
    left: dict[str, list[str]] = defaultdict(list)
    for name in ("erp-gateway", "supplier-returns"):
        for line in (folder / f"{name}.log").read_text(encoding="utf-8").splitlines():
            facts = {key: value for key, value in json.loads(line).items() if key not in _LEFT_OUT_FACTS}
            if facts["event"] in _LEFT_OUT_EVENTS:
                continue
            _add(left, facts.pop("request_id", ""), f"log of {name}: {_masked(_json(facts))}")
    with contextlib.closing(sqlite3.connect(folder / "app.sqlite")) as store:
        store.row_factory = sqlite3.Row
        for row in store.execute("SELECT * FROM audit_log ORDER BY id"):
            facts = {key: row[key] for key in row.keys() if key not in {"at", "chain"}}  # noqa: SIM118
            _add(left, facts.pop("request_id") or "", f"audit: {_masked(_json(facts))}")
    return left


def _erp_calls(at: Addresses) -> dict[str, list[str]]:
    requested: dict[str, list[str]] = defaultdict(list)
    for server in ("", "/report-gateway", "/tax-documents"):
        for call in exchange(at.control, "GET", f"{server}/calls").body["calls"]:
            headers = dict(call["headers"])
            request = headers.pop("x-request-id", "")
            line = f"{server} {call['method']} {call['root']}/{call['path']}?{call['query']}".strip()
            result = {**headers, "user": call["user"], "status": call["status"], "body": call["body"]}
            _add(requested, request, _masked(f"{line} {_json(result)}"))
    return requested


def _metrics(at: Addresses) -> list[str]:
    """Return names and labels of both services' metrics, without values."""
    names: set[str] = set()
    for port in (at.metrics, at.returns_metrics):
        for line in exchange(port, "GET", "/metrics").content.decode().splitlines():
            if not line.startswith("#"):
                names.add(re.sub(r'(,?le="[^"]*"|} .*| [^ ]*$)', "", line))
    return sorted(name for name in names if not name.startswith(("python_", "process_")))


def _add(places: dict[str, list[str]], request: str, line: str) -> None:
    place = places[request if request.startswith("golden-") else _BY_ITSELF]
    if line not in place[-1:]:  # a repeated request repeats its effects
        place.append(line)


def _masked(text: str) -> str:
    for pattern, word in _MASKS:
        text = pattern.sub(word, text)
    return text


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def shortened(text: str) -> str:
    """Return the text with a digest for the end of each long line."""
    return "".join(f"{_short(line)}\n" for line in text.splitlines())


def _short(line: str) -> str:
    if len(line) <= _LINE:
        return line
    return f"{line[:_LINE]}… {len(line)} characters, {hashlib.sha256(line.encode()).hexdigest()[:16]}"


def differences(texts: Mapping[str, str]) -> list[str]:
    """Return the differences from the recorded texts; write the current ones into `build/golden`."""
    SEEN.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    for name, text in texts.items():
        (SEEN / name).write_text(text, encoding="utf-8")
        kept = FOLDER / name
        before = kept.read_text(encoding="utf-8").splitlines() if kept.exists() else []
        lines += difflib.unified_diff(
            before, shortened(text).splitlines(), f"recorded {name}", "now", n=2, lineterm=""
        )
    return lines


def main() -> int:
    """Compare with the record, or write it; return 0 if nothing differs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="keep what is seen now")
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="v1, v2; both unless given")
    options = parser.parse_args()
    texts: dict[str, str] = {}
    for version in options.versions or VERSIONS:
        with tempfile.TemporaryDirectory(prefix="golden-") as folder:
            texts |= record(Path(folder), version)
    changed = differences(texts)
    print("\n".join(changed) or "nothing differs from the golden record")
    if options.write:
        FOLDER.mkdir(exist_ok=True)
        for name, text in texts.items():
            (FOLDER / name).write_text(shortened(text), encoding="utf-8")
    return 1 if changed and not options.write else 0


if __name__ == "__main__":
    sys.exit(main())
