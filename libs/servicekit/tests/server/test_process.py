"""A real process: it serves, and SIGTERM ends it without losing work."""

import asyncio
import gc
import json
import signal
import subprocess
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import pytest
import pytest_asyncio

from servicekit.collector import wake_collector
from servicekit.server import run
from servicekit.server.process import SWITCH_S

pytestmark = pytest.mark.check  # processes of its own

SERVICE = Path(__file__).with_name("small_service.py")


@attrs.define
class Service:
    """The running process; `said` are the words that it has printed, without the port."""

    process: Process
    port: int
    log: Path
    collector: list[str] = attrs.field(factory=list)
    said: list[str] = attrs.field(factory=list)
    connections: list["Connection"] = attrs.field(factory=list)

    async def connect(self) -> "Connection":
        connection = Connection(*await asyncio.open_connection("127.0.0.1", self.port))
        self.connections.append(connection)
        return connection

    async def hear(self, word: str) -> None:
        assert self.process.stdout is not None
        while word not in self.said:
            line = await asyncio.wait_for(self.process.stdout.readline(), 30)
            assert line, f"ended after {self.said} without {word}"
            self.said.append(line.decode().strip())

    def signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.send_signal(number)

    async def ended(self, within_s: float) -> tuple[int, list[dict[str, Any]]]:
        """Wait for the end; return the exit code and the log lines."""
        out, _ = await asyncio.wait_for(self.process.communicate(), within_s)
        self.said += out.decode().split("\n")[:-1]
        assert self.process.returncode is not None
        return self.process.returncode, [json.loads(line) for line in self.log.read_text().splitlines()]


LARGE_BLOCKS = """
import resource, sys
from servicekit.server import run

def resident():
    return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()

async def main():
    small = []
    for size in (20_000_000, 19_000_000):  # a block, what follows it on the heap, and the block's end
        block = b"x" * size
        small.append(b"y" * 100_000)
        del block
    print(resident() - before)
    return 0

before = resident()
sys.exit(run(main()))
"""

StartService = Callable[..., Awaitable[Service]]


@pytest_asyncio.fixture
async def start_service(tmp_path: Path) -> AsyncIterator[StartService]:
    started: list[Service] = []

    async def start(grace_s: float = 20.0) -> Service:
        log = tmp_path / "log"  # a file: a pipe that nobody reads would stop the service when it is full
        with log.open("wb") as stderr:
            process = await asyncio.create_subprocess_exec(
                sys.executable, str(SERVICE), str(grace_s), stdout=PIPE, stderr=stderr
            )
        started.append(Service(process, 0, log))
        assert process.stdout is not None
        line = await asyncio.wait_for(process.stdout.readline(), 60)
        assert line.startswith(b"LISTENING "), log.read_text()
        started[-1].port = int(line.split()[1])
        started[-1].collector = line.decode().split()[2:]
        return started[-1]

    yield start
    for service in started:
        for connection in service.connections:
            await connection.close()
        if service.process.returncode is None:
            service.process.kill()
            await service.process.communicate()


@attrs.define
class Connection:
    """One keep-alive connection, spoken by hand."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, text: str | bytes) -> None:
        self.writer.write(text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode())
        await self.writer.drain()

    async def ask(self, path: str, method: str = "GET") -> tuple[int, dict[str, str], Any]:
        await self.send(f"{method} {path} HTTP/1.1\nHost: x\n\n")
        return await self.answer()

    async def answer(self) -> tuple[int, dict[str, str], Any]:
        head = (await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), 30)).decode().splitlines()
        headers = {
            name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)
        }
        body = await self.reader.readexactly(int(headers.get("content-length", "0")))
        return int(head[0].split()[1]), headers, json.loads(body) if body else None

    async def close(self) -> None:
        self.writer.close()
        with suppress(OSError):
            await self.writer.wait_closed()

    async def is_closed(self, within_s: float = 5.0) -> bool:
        try:
            return await asyncio.wait_for(self.reader.read(1), within_s) == b""
        except ConnectionResetError:
            return True


@pytest.mark.asyncio
async def test_an_idle_service_stops_at_once_and_in_order(start_service: StartService) -> None:
    service = await start_service()
    service.signal()
    code, lines = await service.ended(within_s=30)
    assert code == 0
    assert service.said == ["DRAINED", "CLOSED"]
    assert [line["event"] for line in lines] == ["listening", "shutdown_begun", "shutdown_finished"]


@pytest.mark.asyncio
async def test_responses_have_no_server_header_and_one_date(start_service: StartService) -> None:
    connection = await (await start_service()).connect()
    status, headers, body = await connection.ask("/quick")
    assert (status, body) == (200, "quick")
    assert "server" not in headers
    assert "date" in headers


@pytest.mark.asyncio
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_running_write_finishes_and_its_client_gets_the_response(
    start_service: StartService, number: signal.Signals
) -> None:
    service = await start_service()
    busy, idle = await service.connect(), await service.connect()
    await idle.ask("/quick")
    await busy.send("POST /slow?seconds=1.5 HTTP/1.1\nHost: x\nContent-Length: 0\n\n")
    await service.hear("STARTED")
    service.signal(number)
    await service.hear("DRAINED")
    assert await idle.is_closed()
    with pytest.raises(ConnectionError):
        await service.connect()
    status, _, body = await busy.answer()
    assert (status, body) == (200, "slow")
    begun = time.monotonic()
    code, lines = await service.ended(within_s=30)
    assert time.monotonic() - begun < 10
    assert code == 0
    assert service.said == ["STARTED", "DRAINED", "FINISHED", "CLOSED"]
    assert [line["event"] for line in lines if line["event"] != "request_finished"] == [
        "listening",
        "shutdown_begun",
        "shutdown_finished",
    ]


@pytest.mark.asyncio
async def test_requests_over_the_grace_period_are_cancelled_with_a_response(
    start_service: StartService,
) -> None:
    service = await start_service(grace_s=0.5)
    connection = await service.connect()
    await connection.send("POST /slow?seconds=60 HTTP/1.1\nHost: x\nContent-Length: 0\n\n")
    await service.hear("STARTED")
    service.signal()
    status, headers, body = await connection.answer()
    assert (status, body["code"], body["status"]) == (500, "interrupted", 500)
    assert headers["content-type"] == "application/problem+json"
    code, lines = await service.ended(within_s=30)
    assert code == 0
    assert "FINISHED" not in service.said
    assert "requests_cancelled" in {line["event"] for line in lines}


@pytest.mark.asyncio
async def test_a_second_signal_shortens_the_grace(start_service: StartService) -> None:
    service = await start_service(grace_s=60)
    connection = await service.connect()
    await connection.send("GET /slow?seconds=60 HTTP/1.1\nHost: x\n\n")
    await service.hear("STARTED")
    service.signal()
    await service.hear("DRAINED")
    service.signal()
    assert (await connection.answer())[2]["code"] == "interrupted"
    code, _ = await service.ended(within_s=30)
    assert code == 0
    assert service.said[-1] == "CLOSED"


@pytest.mark.asyncio
async def test_a_half_sent_request_does_not_delay_shutdown(start_service: StartService) -> None:
    service = await start_service()
    head, body = await service.connect(), await service.connect()
    await head.send("GET /quick HTTP/1.1\nHost")
    await body.send("POST /echo HTTP/1.1\nHost: x\nContent-Type: application/json\nContent-Length: 9\n\n{}")
    await asyncio.sleep(1)  # nothing tells that they have arrived
    service.signal()
    code, _ = await service.ended(within_s=30)
    assert code == 0
    assert (await body.answer())[2]["code"] == "request_timeout"


@pytest.mark.asyncio
async def test_a_client_with_an_oversized_body_receives_its_413(start_service: StartService) -> None:
    service = await start_service()
    for head in ("Content-Length: 5000000", "Transfer-Encoding: chunked"):
        connection = await service.connect()
        await connection.send(f"POST /echo HTTP/1.1\nHost: x\nContent-Type: application/json\n{head}\n\n")
        block = b"x" * 50_000
        for _ in range(100):
            await connection.send(block if "Length" in head else b"c350\r\n" + block + b"\r\n")
        await connection.send(b"" if "Length" in head else b"0\r\n\r\n")
        status, headers, body = await connection.answer()
        assert (status, body["code"]) == (413, "body_too_large")
        assert headers["x-request-id"] == body["requestId"]


@pytest.mark.asyncio
async def test_an_early_answer_reaches_a_client_that_is_still_sending(start_service: StartService) -> None:
    service = await start_service()
    connection = await service.connect()
    await connection.send("POST /nowhere HTTP/1.1\nHost: x\nContent-Length: 2000000\n\n")
    await connection.send(b"x" * 2_000_000)
    assert (await connection.answer())[2]["code"] == "not_found"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "request_text",
    [
        "nonsense\n\n",
        "GET /quick HTTP/1.1\nHost: x\nX: " + "y" * 100_000 + "\n\n",
        "GET /quick HTTP/1.1\nHost: x\nContent-Length: 1\nTransfer-Encoding: chunked\n\n0\n\n",
        "GET /quick HTTP/1.1\nHost: x\nContent-Length: -1\n\n",
        "GET /qu\x00ick HTTP/1.1\nHost: x\n\n",
    ],
    ids=["no HTTP", "head too large", "two lengths", "negative length", "NUL"],
)
async def test_invalid_http_is_refused_and_the_connection_closed(
    start_service: StartService, request_text: str
) -> None:
    connection = await (await start_service()).connect()
    await connection.send(request_text)
    status, _, _ = await connection.answer()
    assert status in {400, 431}
    assert await connection.is_closed()


@pytest.mark.asyncio
async def test_keys_with_slashes_reach_a_real_server_encoded(start_service: StartService) -> None:
    connection = await (await start_service()).connect()
    assert (await connection.ask("/quick%2F"))[0] == 404
    assert (await connection.ask("/quick"))[0] == 200


@pytest.mark.asyncio
async def test_a_connection_outlives_hypercorns_own_thousand_requests(start_service: StartService) -> None:
    connection = await (await start_service()).connect()
    for _ in range(1010):
        assert (await connection.ask("/quick"))[0] == 200


@pytest.mark.asyncio
async def test_a_service_collects_garbage_rarely_and_skips_objects_of_its_start(
    start_service: StartService,
) -> None:
    enabled, threshold, frozen = (await start_service()).collector
    assert (enabled, threshold) == ("True", "10000")
    assert int(frozen) > 10_000


def test_serving_in_another_process_does_not_change_its_collector() -> None:
    assert gc.isenabled()
    before = gc.get_threshold(), gc.get_freeze_count()
    wake_collector()
    assert (gc.get_threshold(), gc.get_freeze_count()) == before


@pytest.mark.parametrize("without", [(), ("uvloop",)], ids=["uvloop", "asyncio's own loop"])
def test_run_returns_the_mains_result(monkeypatch: pytest.MonkeyPatch, without: tuple[str, ...]) -> None:
    for name in without:
        monkeypatch.setitem(sys.modules, name, None)

    async def main() -> int:
        return 3 if "uvloop" in type(asyncio.get_running_loop()).__module__ else 4

    assert run(main()) == (4 if without else 3)


def test_the_thread_switch_interval_is_short_while_a_service_runs() -> None:
    sys.setswitchinterval(0.005)  # Python's own
    seen_s: list[float] = []

    async def main() -> int:
        seen_s.append(sys.getswitchinterval())
        return 0

    run(main())
    assert seen_s == [pytest.approx(0.0001)]
    assert sys.getswitchinterval() == pytest.approx(0.005)
    sys.setswitchinterval(SWITCH_S)  # as all tests


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc keeps them, and only Linux tells")
def test_a_freed_large_block_returns_to_the_system() -> None:
    command = [sys.executable, "-c", LARGE_BLOCKS]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert int(ended.stdout) < 10_000_000


def test_a_failing_main_is_logged_and_exits_with_one(log_lines: Any) -> None:
    async def main() -> int:
        raise RuntimeError("no way on")

    assert run(main()) == 1
    assert [(line["event"], str(line["exc_info"])) for line in log_lines] == [
        ("process_crashed", "no way on")
    ]
