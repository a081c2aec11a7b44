"""The origin as a browser sees it: its address, what is asked of it byte for byte."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path

import pytest

from erpdoctor.checks import Group
from erpdoctor.origin.asking import Asker, NoAnswerError, Site
from erpdoctor.origin.checks import OriginTarget, origin_checks
from erpdoctor.running import chosen, run_checks
from servicekit.clock import SystemClock
from servicekit.config.secret import Secret
from servicekit.testing.ports import free_port
from servicekit.tls import trusting

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


@asynccontextmanager
async def answering(*pieces: bytes) -> AsyncIterator[tuple[int, list[bytes]]]:
    """Answer every request with these bytes and hang up; give the port, and the heads that came."""
    heads: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            heads.append(await reader.readuntil(b"\r\n\r\n"))
            for piece in pieces:
                writer.write(piece)
                await writer.drain()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heads


def asker(port: int, *, prefix: str = "", token: str | None = None) -> Asker:
    secret = None if token is None else Secret(token)
    return Asker(Site.of(f"http://127.0.0.1:{port}{prefix}"), trusting(None), secret)


@pytest.mark.parametrize(
    ("url", "authority", "prefix", "root"),
    [
        ("https://erp.example.com", "erp.example.com", "", "https://erp.example.com"),
        ("https://erp.example.com/", "erp.example.com", "", "https://erp.example.com"),
        ("https://ERP.example.com:443/x/y/", "erp.example.com", "/x/y", "https://erp.example.com"),
        ("http://[::1]:8080/x", "[::1]:8080", "/x", "http://[::1]:8080"),
    ],
)
def test_an_address_is_read(url: str, authority: str, prefix: str, root: str) -> None:
    site = Site.of(url)
    assert (site.authority, site.prefix, site.root.url, site.root.prefix) == (authority, prefix, root, "")


@pytest.mark.parametrize(
    "url",
    [
        *("", "erp.example.com", "ftp://erp.example.com", "https://", "https://ana:x@erp.example.com"),
        *("https://erp.example.com/?a=b", "https://erp.example.com/#a", "https://erp.example.com/a b"),
        *("https://erp.example.com:x", "https://erp.example.com:99999", "https://ñandú.example.com"),
    ],
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="--origin"):
        OriginTarget.of(url, None)


def test_a_file_without_certificates_is_refused_by_the_name_of_its_argument(tmp_path: Path) -> None:
    empty = tmp_path / "ca.pem"
    empty.touch()
    for file in (empty, tmp_path / "none"):
        with pytest.raises(ValueError, match="--origin-ca-file"):
            OriginTarget.of("https://erp.example.com", file)
    assert OriginTarget.of(None, empty) is None


@pytest.mark.asyncio
async def test_a_path_goes_out_as_it_is_and_the_token_only_where_it_belongs() -> None:
    async with answering(OK) as (port, heads):
        asking = asker(port, prefix="/x", token="secret-7a1")
        for path in ("/A%2F1", "/a//b", "/O''B", "/%00"):
            await asking.ask(path)
        await asking.ask("/p", as_person=True)
    assert [head.split()[1] for head in heads[:4]] == [b"/x/A%2F1", b"/x/a//b", b"/x/O''B", b"/x/%00"]
    assert [b"secret-7a1" in head for head in heads] == [False] * 4 + [True]


@pytest.mark.asyncio
async def test_an_answer_is_read_with_its_repeated_headers_and_so_much_of_its_body() -> None:
    head = b"HTTP/1.1 404 Not Found\r\nServer-Timing: total\r\nX: 1\r\nX: 2\r\nContent-Length: 400000\r\n\r\n"
    async with answering(head, b"x" * 400_000) as (port, _):
        reply = await asker(port).ask("/")
    assert (reply.status, reply.headers["x"], len(reply.body)) == (404, "1, 2", 256 * 1024)
    assert reply.is_of_service
    assert reply.is_refusal
    assert reply.member("code") is None


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "said", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", b"SSH-2.0-x\r\n"]
)
async def test_what_is_no_whole_answer_is_none(said: bytes) -> None:
    async with answering(said) as (port, _):
        with pytest.raises(NoAnswerError):
            await asker(port).ask("/")


@pytest.mark.asyncio
async def test_a_body_is_announced_and_not_sent() -> None:
    for said, status in ((b"HTTP/1.1 100 Continue\r\n\r\n", 100), (b"HTTP/1.1 413 No\r\n\r\n", 413)):
        async with answering(said) as (port, heads):
            assert (await asker(port).announce("/x", 1 << 30)).status == status
            assert b"content-length: 1073741824" in heads[0].lower()
            assert heads[0].endswith(b"\r\n\r\n")


@pytest.mark.asyncio
async def test_nobody_there_is_no_answer() -> None:
    port = free_port()
    with pytest.raises(NoAnswerError):
        await asker(port).ask("/")


async def found_at_origin(
    answer: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> dict[str, str | None]:
    """Return what the doctor finds where each connection is answered so."""
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        checks = origin_checks(
            OriginTarget.of(url, None),
            group=Group("origin", "docs/doctor.md#origin"),
            health_member="status",
            takes_most=("/api/x", 1024),
            production=False,
            clock=SystemClock(),
        )
        results = await run_checks(chosen(checks, only=()), clock=SystemClock())
    found = ((each.check.name, each.finding.cause) for each in results)
    return {name: None if cause is None else cause.code for name, cause in found}


@pytest.mark.check
@pytest.mark.asyncio
async def test_a_proxy_that_keeps_silent_gives_no_answer() -> None:
    """Takes 5 s: as long as a step waits."""
    silence = asyncio.Event()

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await silence.wait()
        writer.close()

    found = await found_at_origin(answer)
    silence.set()
    assert {name: code for name, code in found.items() if code not in (None, "depends_on")} == {
        "origin.answer": "no_answer"
    }


@pytest.mark.asyncio
async def test_a_connection_that_breaks_off_is_said_to_have() -> None:
    """The health is answered, and every request after it breaks off."""
    health = b'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"status":"ok"}'

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(asyncio.IncompleteReadError):  # one only looks who takes connections
            head = await reader.readuntil(b"\r\n\r\n")
            writer.write(health if b"/api/health" in head else b"")
            await writer.drain()

    found = await found_at_origin(answer)
    broken = ("headers", "metrics", "body-limit")
    assert {found[f"origin.{name}"] for name in broken} == {"origin_broken_off"}
    assert found["origin.answer"] is None
