"""hypercorn_parts.toml against the code, and parts of hypercorn that no other test covers."""

import ast
import asyncio
import inspect
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import h11
import pytest
from starlette.types import Receive, Scope, Send

from servicekit.server import hypercorn_parts, request_head

ROOT = Path(__file__).parents[4]
PARTS = tomllib.loads(Path(__file__).with_name("hypercorn_parts.toml").read_text("utf-8"))
MODULES = (hypercorn_parts, request_head)
INSIDE = ("hypercorn", "h11")
"""Speaks HTTP as a client by what h11 publishes, under no hypercorn."""


def imports(path: Path) -> Iterator[tuple[str, list[str]]]:
    """Every module that a file imports, with the names taken from it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module, [alias.name for alias in node.names]
        if isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names)


def taken_names(module: ModuleType) -> set[str]:
    """The names that the module imports from hypercorn, and the members of its classes that it touches."""
    path = Path(module.__file__ or "")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    taken = {name for source, names in imports(path) if source.split(".")[0] == "hypercorn" for name in names}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            for base in node.bases:
                if isinstance(base, ast.Name) and base.id in taken and base.id != "Event":
                    members = members_of(getattr(module, base.id))
                    taken |= {f"{base.id}.{name}" for name in touched(node) & members}
                if isinstance(base, ast.Attribute) and base.attr == "Connection":  # h11 documents the rest
                    members = {name for name in members_of(h11.Connection) if name.startswith("_")}
                    taken |= {f"h11.Connection.{name}" for name in touched(node) & members}
            for owner, attribute in (("Config", "config"), ("WorkerContext", "context")):
                taken |= {f"{owner}.{name}" for name in touched_below(node, attribute)}
    return taken


def members_of(owner: type) -> set[str]:
    """Return the members that a class defines, and those that its constructor sets on an instance."""
    tree = ast.parse(inspect.getsource(owner))
    return {name for name in vars(owner) if not name.startswith("__")} | touched(tree, store=True)


def touched(tree: ast.AST, *, store: bool = False) -> set[str]:
    """Attributes of `self`, and methods defined."""
    names = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
        if not store or isinstance(node.ctx, ast.Store)
    }
    defined = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return names if store else names | {name for name in defined if not name.startswith("__")}


def touched_below(tree: ast.AST, attribute: str) -> set[str]:
    """Attributes of `self.config`, as an example."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == attribute
    }


def test_the_file_lists_exactly_the_used_hypercorn_names() -> None:
    assert {*PARTS["names"], *PARTS["settings"]} == set().union(*map(taken_names, MODULES))


def test_every_name_has_a_reason_and_tests_that_exist() -> None:
    files = Path(__file__).parent.glob("test_*.py")
    tests = {
        node.name
        for file in files
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for name, part in PARTS["names"].items():
        assert part["reason"], name
        assert part["tests"], name
        assert set(part["tests"]) <= tests, name


@pytest.mark.check
def test_no_other_module_imports_hypercorn_internals() -> None:
    sources = [path for folder in ("libs", "services") for path in (ROOT / folder).glob("*/src/**/*.py")]
    lookers = {path for path in sources for source, _ in imports(path) if source.split(".")[0] in INSIDE}
    assert lookers == {Path(module.__file__ or "") for module in MODULES}


@pytest.mark.asyncio
async def test_an_idle_connection_is_closed_after_its_timeout(
    start_server: Any, make_endpoint: Any, make_app: Any
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a")), keep_alive_timeout_s=0.2) as server:
        silent, served = await server.connect(), await server.connect()
        await served.ask(b"GET /a HTTP/1.1\r\nHost: x")
        assert await silent.rest() == b""
        assert await served.rest() == b""


@pytest.mark.asyncio
async def test_a_slowly_sent_head_does_not_extend_the_timeout(
    start_server: Any, make_endpoint: Any, make_app: Any
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a")), keep_alive_timeout_s=0.5) as server:
        wire = await server.connect()
        await wire.send(b"GET /a HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        ended = asyncio.create_task(wire.rest())
        with suppress(OSError):
            while not ended.done():
                await wire.send(b"a")
                await asyncio.sleep(0.05)
        assert await ended == b""


@pytest.mark.asyncio
async def test_errors_of_an_application_in_hypercorn_are_logged(
    start_server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise ValueError("thrown")

    async with start_server(broken) as server:
        wire = await server.connect()
        assert (await wire.ask(b"GET /a HTTP/1.1\r\nHost: x"))[0].startswith(b"HTTP/1.1 500")
    (record,) = [record for record in caplog.records if record.name == "hypercorn.error"]
    assert "thrown" in str(record.exc_info)
    await asyncio.sleep(0)
