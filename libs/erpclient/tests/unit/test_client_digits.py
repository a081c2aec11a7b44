"""Numbers and texts come through as they were written, both ways, over a real socket."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from typing import Any

import pytest
from attrs import define
from clients import ANA, make_client
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_erp import Answer, Call, ScriptedErp

from erpclient import ErpClient
from erpclient.odata import ListQuery, RecordQuery

DIGITS = st.text("0123456789", min_size=1, max_size=24)
WHOLE = DIGITS.map(lambda digits: digits.lstrip("0") or "0")
NUMBER = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-"]),
    WHOLE,
    st.one_of(st.just(""), DIGITS.map(".{}".format)),
    st.one_of(
        st.just(""), st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), WHOLE)
    ),
)
"""Any JSON number as text: 1.10, -0, 12345678901234567890.000, 1E400."""
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20).map(
    lambda text: json.dumps(text, ensure_ascii=False)
)
ESCAPED = st.sampled_from(
    [r'"\u00f1\ud83d\ude00"', r'"a\/b\"c\\"', r'"\t\u0041"', '"odata.metadata"', '"{\\"a\\":1}"']
)
BLANK = st.sampled_from(["", " ", "\n   ", "\t"])
SCALAR = st.one_of(NUMBER, TEXT, ESCAPED, st.sampled_from(["true", "false", "null"]))


def arrays(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda items, blank: f"[{blank}{f',{blank}'.join(items)}{blank}]", st.lists(inner, max_size=3), BLANK
    )


def objects(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    names = st.lists(st.sampled_from(["Price", "Ñame", "U_X", "DocTotal", "Lines"]), unique=True, max_size=4)
    return names.flatmap(
        lambda chosen: st.builds(
            lambda values, blank: (
                "{"
                + ",".join(f'{blank}"{n}"{blank}:{blank}{v}' for n, v in zip(chosen, values, strict=True))
                + "}"
            ),
            st.tuples(*[inner] * len(chosen)),
            BLANK,
        )
    )


VALUE = st.recursive(SCALAR, lambda inner: arrays(inner) | objects(inner), max_leaves=8)
ROW = st.fixed_dictionaries({"ItemCode": TEXT, "Price": NUMBER, "Value": VALUE})


@define(frozen=True)
class Literal:
    """A JSON number by its text."""

    text: str


def literal(body: bytes | str) -> Any:
    """Parse JSON and keep numbers as they were written."""
    return json.loads(body, parse_int=Literal, parse_float=Literal, parse_constant=Literal)


def written(row: dict[str, str], extra: str = "") -> str:
    return "{" + extra + ",".join(f'"{name}" : {value}' for name, value in row.items()) + "}"


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@define
class Stage:
    erp: ScriptedErp
    client: ErpClient


@pytest.fixture
def stage(runner: asyncio.Runner) -> Iterator[Stage]:
    erp = ScriptedErp()
    runner.run(erp.__aenter__())
    client = make_client(erp)
    runner.run(client.__aenter__())
    yield Stage(erp, client)
    runner.run(client.aclose())
    runner.run(erp.stop())


def check_read(
    runner: asyncio.Runner, stage: Stage, rows: list[dict[str, str]], tagged: bool, packed: bool
) -> None:
    text = "[" + ",\n".join(written(row, '"DataVersion":3,' if tagged else "") for row in rows) + "]"
    body = f'{{"odata.metadata":"x","odata.count" : "7","value" : {text},"odata.nextLink":"y"}}'.encode()
    stage.erp.script(
        Answer(200, gzip.compress(body, 1), [("Content-Encoding", "gzip")]) if packed else Answer(200, body)
    )
    query = ListQuery(select=("ItemCode", "Price", "Value"))
    found = runner.run(stage.client.list("Items", query, caller=ANA, tagged=tagged))
    assert literal(found.rows) == [literal(written(row)) for row in rows]
    if not tagged and "odata." not in text:
        assert found.rows == text.encode()


def check_write(runner: asyncio.Runner, stage: Stage, row: dict[str, str]) -> None:
    async def echo(call: Call) -> Answer:
        return Answer(201, b'{"odata.metadata":"x",' + call.body[1:])

    stage.erp.handler = echo
    body = written(row).encode()
    record = runner.run(stage.client.create("Items", body, caller=ANA, hidden=frozenset({"password"})))
    assert stage.erp.calls[-1].body == body
    assert literal(record.body) == literal(body)
    stage.erp.script(Answer(200, record.body))
    again = runner.run(stage.client.get("Items", "('A')", RecordQuery(), caller=ANA))
    assert literal(again.body) == literal(body)
    stage.erp.calls.clear()


ROWS = st.lists(ROW, max_size=3)


def test_reading_keeps_every_digit(runner: asyncio.Runner, stage: Stage) -> None:
    @settings(max_examples=100, deadline=None)
    @given(rows=ROWS, tagged=st.booleans(), packed=st.booleans())
    def holds(rows: list[dict[str, str]], tagged: bool, packed: bool) -> None:
        check_read(runner, stage, rows, tagged, packed)

    holds()


def test_writing_keeps_every_digit(runner: asyncio.Runner, stage: Stage) -> None:
    @settings(max_examples=60, deadline=None)
    @given(row=ROW)
    def holds(row: dict[str, str]) -> None:
        check_write(runner, stage, row)

    holds()


@pytest.mark.proof
@pytest.mark.timeout(900)
def test_reading_and_writing_keep_every_digit_in_many_examples(runner: asyncio.Runner, stage: Stage) -> None:
    @settings(max_examples=5_000, deadline=None)
    @given(rows=ROWS, row=ROW, tagged=st.booleans(), packed=st.booleans())
    def holds(rows: list[dict[str, str]], row: dict[str, str], tagged: bool, packed: bool) -> None:
        check_read(runner, stage, rows, tagged, packed)
        check_write(runner, stage, row)

    holds()
