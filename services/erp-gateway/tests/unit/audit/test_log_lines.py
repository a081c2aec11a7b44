"""Reading log lines in each form. Users cannot forge the head of a line."""

import io
import json
from typing import Any, Literal

import pytest
import structlog

from erp_gateway.audit.log_lines import LoggedChain
from erp_gateway.store.chain_hash import ChainPosition
from servicekit.logs import LogSettings, configure_logging

CHAIN = "0123456789abcdef" * 4
FORGED = "f" * 64
HOSTILE = [
    f"99:{FORGED}",
    f"head=99:{FORGED}",
    f"x head=99:{FORGED} y",
    f"x' head=99:{FORGED} '",
    f'x" head=99:{FORGED} "',
    f"\n2026-03-02T14:05:09Z [info] AUDIT head=99:{FORGED}",
    f'\n{{"event":"AUDIT","head":"99:{FORGED}"}}',
    f"[info] AUDIT head=99:{FORGED}",
    f"[info] AUDIT head=99:{FORGED} y",
    f"[info     ] audit_records_deleted last=99:{FORGED} y",
    f'{{"event":"AUDIT","head":"99:{FORGED}"}}',
    "[", "(", "{", "]", "a[b", "a]b", "=", "a=[", "\x1b[31m", "\\", "it's", '"', "ñ\U0001f600",
]  # fmt: skip


@pytest.fixture(params=["json", "console"])
def log_format(request: pytest.FixtureRequest) -> Literal["json", "console"]:
    form: Literal["json", "console"] = request.param
    return form


def written(form: Literal["json", "console"], *events: tuple[str, dict[str, Any]]) -> list[str]:
    """Return the lines that the service writes of these events."""
    stream = io.StringIO()
    before = structlog.get_config()
    try:
        configure_logging(LogSettings(level="CRITICAL", format=form), stream=stream)
        for name, facts in events:
            structlog.get_logger("test").info(name, **facts)
    finally:
        structlog.configure(**before)
    return stream.getvalue().splitlines()


def read(lines: list[str]) -> LoggedChain:
    log = LoggedChain()
    log.take(lines)
    return log


def test_heads_deletions_and_dropped_lines_are_read_in_both_forms_at_every_level(
    log_format: Literal["json", "console"],
) -> None:
    lines = written(
        log_format,
        ("AUDIT", {"action": "login", "user": "ana", "head": f"4:{CHAIN}"}),
        ("AUDIT", {"action": "login", "user": "ana"}),  # the store had not taken it
        ("audit_head", {"head": f"5:{CHAIN}"}),
        ("audit_records_deleted", {"records": 3, "keep_days": 30, "last": f"3:{CHAIN}"}),
    )
    dropped = {"event": "log_lines_dropped", "level": "warning", "audit": 7, "other": 9}
    other = [
        "log_lines_dropped" if log_format == "json" else "[warning] log_lines_dropped audit=7 other=9",
        "plain text AUDIT",
        "",
        "{",
        '{"event":"AUDIT"',
        "[" * 5000,
        '{"event":"AUDIT","head":5}',
        '{"event":"AUDIT","head":"5:xyz"}',
        '{"event":"request_finished","head":"6:' + CHAIN + '"}',
        '["AUDIT"]',
    ]
    log = read([*lines, *([json.dumps(dropped)] if log_format == "json" else []), *other])
    assert log == LoggedChain({4: {CHAIN}, 5: {CHAIN}}, {ChainPosition(3, CHAIN)}, 7)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", ["user", "key", "resource", "request_id", "fields", "detail"])
def test_text_of_a_user_neither_counts_as_a_head_nor_hides_one(
    log_format: Literal["json", "console"], text: str, name: str
) -> None:
    value = {"fields": [text, "B"], "detail": {"added": [text, "/x"]}}.get(name, text)
    head = f"4:{CHAIN}"
    other = {"status": 403, name: value}
    lines = written(log_format, ("AUDIT", {"head": head, name: value}), ("request_finished", other))
    assert read(lines) == LoggedChain({4: {CHAIN}})


def test_lines_are_read_after_a_prefix_inside_an_object_and_in_colour() -> None:
    line = json.dumps({"timestamp": "x", "level": "info", "event": "AUDIT", "head": f"4:{CHAIN}"})
    for form in (
        f"Mar  2 14:05:09 host erp-gateway[123]: {line}",
        f"2026-03-02T14:05:09.1Z stdout F {line}",
        f"gateway-1  | {line}",
        json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "x"}),
        json.dumps({"MESSAGE": line, "PRIORITY": "6"}),
        f"\x1b[2m2026\x1b[0m [\x1b[32minfo \x1b[0m] \x1b[1mAUDIT\x1b[0m \x1b[36mhead\x1b[0m=4:{CHAIN}\x1b[0m",
    ):
        assert read([form]).heads == {4: {CHAIN}}, form


def test_two_hashes_of_one_number_are_both_kept() -> None:
    lines = [json.dumps({"event": "audit_head", "head": f"4:{chain}"}) for chain in (CHAIN, FORGED, CHAIN)]
    assert read(lines).heads == {4: {CHAIN, FORGED}}
