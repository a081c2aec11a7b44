"""Positions of the audit's chain in log lines, to compare with the store.

Lines are JSON or console text (`LOG_FORMAT`). They may have a prefix (rsyslog), be wrapped in another JSON
object (Docker's json-file driver), and be mixed with lines of other programs.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from attrs import Factory, define

from erp_gateway.store.chain_hash import ChainPosition, parse_position

_WITH_HEAD: Final = frozenset({"AUDIT", "audit_head", "audit_rows_written_late"})
_DELETED: Final = "audit_records_deleted"
_DROPPED: Final = "log_lines_dropped"
_EVENTS: Final = _WITH_HEAD | {_DELETED, _DROPPED}
_ANY_EVENT: Final = re.compile("|".join(sorted(_EVENTS)))

_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
# The first level in a line is the service's; text behind it may come from users and look like a level.
_CONSOLE_LINE: Final = re.compile(r"\[(?:debug|info|warning|error|critical) *\] (\S+)(?: +(.*))?$")
_PIECE: Final = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|.""")
_OPENING: Final = frozenset("[{(")
_CLOSING: Final = frozenset("]})")
# Members in which Docker's json-file driver and journald put the original line.
_WRAPPERS: Final = ("log", "MESSAGE")


@define
class LoggedChain:
    """Positions of records in log lines.

    Attributes:
        heads: hashes by record number; more than one hash is a contradiction.
        deletions: last records of retention runs.
        dropped: number of audit lines that the log could not take.
    """

    heads: dict[int, set[str]] = Factory(dict)
    deletions: set[ChainPosition] = Factory(set)
    dropped: int = 0

    def take(self, lines: Iterable[str]) -> None:
        """Read lines in any order, and skip those that are not about the audit."""
        for line in lines:
            if _ANY_EVENT.search(line) is None:
                continue  # parsing is slow, and most lines are of requests
            facts = _parse_line(line)
            event = facts.get("event")
            if event == _DROPPED:
                self.dropped += _number(facts.get("audit"))
            position = parse_position(str(facts.get("last" if event == _DELETED else "head")))
            if position is None:
                continue
            if event == _DELETED:
                self.deletions.add(position)
            elif event in _WITH_HEAD:
                self.heads.setdefault(position.entry_id, set()).add(position.chain)


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() else 0


def _parse_line(line: str) -> Mapping[str, Any]:
    """Return the members of a line, including `event`; empty if it is not a line of a service."""
    begin = line.find("{")
    parsed: object = None
    if begin >= 0:
        with suppress(ValueError, RecursionError):
            parsed = json.loads(line[begin:])
    if not isinstance(parsed, dict):
        return _parse_console_line(line)
    for name in _WRAPPERS:
        if "event" not in parsed and isinstance(parsed.get(name), str):
            return _parse_line(parsed[name])
    return parsed


def _parse_console_line(line: str) -> Mapping[str, Any]:
    match = _CONSOLE_LINE.search(_COLOURS.sub("", line).rstrip())
    if match is None:
        return {}
    facts = dict(_split_members(match[2] or ""))
    return {**facts, "event": match[1]}


def _split_members(text: str) -> Iterator[tuple[str, str]]:
    """Yield the `name=value` members. A value may be a quoted text, a list or an object with blanks."""
    # Users choose some of these values, so a `head=` inside a value must not count as a member.
    depth, word = 0, ""
    for piece in [*_PIECE.findall(text), " "]:
        if piece == " " and depth == 0:
            name, equals, value = word.partition("=")
            if equals:
                yield name, value
            word = ""
            continue
        if depth or word.endswith("="):  # a bracket within a plain word opens nothing
            depth += (piece in _OPENING) - (piece in _CLOSING)
        word += piece
