"""What a service's own log says of the audit's chain: read from its lines, to be compared with the store.

Lines come as JSON or for people (`LOG_FORMAT`), perhaps with something in front of them (rsyslog), inside of
another JSON object (Docker's json-file driver), or among lines of other programs.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final

from attrs import Factory, define

from erp_gateway.store.audit_chain import ChainEnd, parse_end

_WITH_HEAD: Final = frozenset({"AUDIT", "audit_head", "audit_rows_written_late"})
_DELETED: Final = "audit_records_deleted"
_DROPPED: Final = "log_lines_dropped"
_EVENTS: Final = _WITH_HEAD | {_DELETED, _DROPPED}
_ANY_EVENT: Final = re.compile("|".join(sorted(_EVENTS)))

_COLOURS: Final = re.compile(r"\x1b\[[0-9;]*m")
_FOR_PEOPLE: Final = re.compile(r"\[(?:debug|info|warning|error|critical) *\] (\S+)(?: +(.*))?$")
"""The first level of a line is the service's own; users choose text behind it, such as another level."""
_PIECE: Final = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|.""")
_OPENING: Final = frozenset("[{(")
_CLOSING: Final = frozenset("]})")
_INNER: Final = ("log", "MESSAGE")
"""Where Docker's json-file driver and journald put the line itself."""


@define
class LoggedChain:
    """What log lines say of records.

    Attributes:
        heads: chains that the log has for a record's number; more than one contradict each other.
        deletions: last records of what retention deleted.
        dropped: lines of the audit that the log could not take.
    """

    heads: dict[int, set[str]] = Factory(dict)
    deletions: set[ChainEnd] = Factory(set)
    dropped: int = 0

    def take(self, lines: Iterable[str]) -> None:
        """Take lines in any order; all others than those of the audit are passed over."""
        for line in lines:
            if _ANY_EVENT.search(line) is None:
                continue  # parsing is slow, and most lines are of requests
            facts = _facts_of(line)
            event = facts.get("event")
            if event == _DROPPED:
                self.dropped += _number(facts.get("audit"))
            end = parse_end(str(facts.get("last" if event == _DELETED else "head")))
            if end is None:
                continue
            if event == _DELETED:
                self.deletions.add(end)
            elif event in _WITH_HEAD:
                self.heads.setdefault(end.entry_id, set()).add(end.chain)


def _number(value: object) -> int:
    text = str(value)
    return int(text) if text.isascii() and text.isdigit() else 0


def _facts_of(line: str) -> Mapping[str, Any]:
    """Return the members of a line, `event` among them; none if it is not a line of a service."""
    begin = line.find("{")
    found: object = None
    if begin >= 0:
        with suppress(ValueError, RecursionError):
            found = json.loads(line[begin:])
    if not isinstance(found, dict):
        return _facts_for_people(line)
    for name in _INNER:
        if "event" not in found and isinstance(found.get(name), str):
            return _facts_of(found[name])
    return found


def _facts_for_people(line: str) -> Mapping[str, Any]:
    found = _FOR_PEOPLE.search(_COLOURS.sub("", line).rstrip())
    if found is None:
        return {}
    facts = dict(_members(found[2] or ""))
    return {**facts, "event": found[1]}


def _members(text: str) -> Iterator[tuple[str, str]]:
    """Yield `name=value` members. A value may be a quoted text, a list or an object with blanks in it.

    Users choose some of these values, so a `head=` inside of one must not be taken for a member.
    """
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
