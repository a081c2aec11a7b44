"""The way to another host: what each fault of it is called."""

import asyncio
import itertools
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from attrs import evolve
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from tls_chains import DAY, FOR_CLIENTS, GONE, GOOD, TO_COME, TWO, Days, chain, hang_up, serving

from erpdoctor.checks import Group
from erpdoctor.network.checks import Peer, ServerAnswer, network_checks
from erpdoctor.network.presented import read_presented
from erpdoctor.network.reaching import Address, connect, shake_hands
from erpdoctor.origin import Origin, origin_checks
from erpdoctor.report import Result
from erpdoctor.running import run_checks
from servicekit.clock import SystemClock
from servicekit.testing.ports import free_port
from servicekit.tls import trusting

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def two_addresses() -> None:
    """Give the loop of a test a resolver that knows `TWO`."""
    loop = asyncio.get_running_loop()
    real = loop.getaddrinfo

    async def resolve(host: str, port: int, **more: Any) -> list[Any]:
        if host != TWO:
            return await real(host, port, **more)
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in ("127.0.0.2", "127.0.0.1")
        ]

    loop.getaddrinfo = resolve  # type: ignore[assignment, method-assign]  # DNS


@contextmanager
def deaf(host: str, port: int) -> Iterator[None]:
    """Keep a port's queue of connections full, so that one more attempt hears nothing."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((host, port))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex((host, port))
        yield


async def probed() -> ServerAnswer:
    return ServerAnswer(Peer.EXPECTED, {}, 0.01)


async def looked_at(
    url: str,
    *names: str,
    authorities: Path | None = None,
    probe: Callable[[], Awaitable[ServerAnswer]] = probed,
) -> dict[str, Result]:
    """Run some of the checks, whatever they need, and return what became of each."""
    checks = network_checks(
        url,
        authorities=authorities,
        verify=True,
        production=True,
        probe=probe,
        clock=SystemClock(),
        group=Group("network", "docs/doctor.md#network"),
    )
    wanted = [evolve(each, needs=()) for each in checks if each.name.removeprefix("network.") in names]
    return {each.check.name: each for each in await run_checks(wanted, clock=SystemClock())}


def cause(result: Result) -> str | None:
    found = result.finding.cause
    assert found is None or found in result.check.causes, "the check does not declare it"
    return None if found is None else found.code


@pytest.mark.usefixtures("two_addresses")
async def test_a_silent_address_does_not_hide_a_responding_one(tmp_path: Path) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    async with serving(answer) as port:
        with deaf("127.0.0.2", port):
            address = Address(TWO, port, tls=False)
            async with asyncio.timeout(15):
                await connect(address)
    authority, server = chain(tmp_path, authority=(-1, 9), server=(-1, 9))
    async with serving(hang_up, server) as port:
        with deaf("127.0.0.2", port):
            address = Address(TWO, port, tls=True)
            async with asyncio.timeout(15):
                assert await shake_hands(address, trusting(authority)) is not None
                assert await read_presented(address) is not None


@pytest.mark.usefixtures("two_addresses")
async def test_a_port_that_every_address_of_a_name_refuses_is_refused() -> None:
    port = free_port()
    for host in ("127.0.0.1", TWO):
        found = await looked_at(f"https://{host}:{port}/b1s/v1", "port")
        assert cause(found["network.port"]) == "connection_refused"


@pytest.mark.parametrize(
    ("authority", "server", "expected"),
    [
        (GOOD, GOOD, None),
        (GOOD, GONE, "certificate_expired"),
        (GONE, GONE, "certificate_expired"),
        (GOOD, TO_COME, "certificate_not_yet_valid"),
        (GONE, GOOD, "authority_of_chain_expired"),
        (TO_COME, GOOD, "authority_of_chain_expired"),
    ],
)
async def test_an_expired_certificate_and_an_expired_authority_are_distinguished(
    tmp_path: Path, authority: Days, server: Days, expected: str | None
) -> None:
    file, context = chain(tmp_path, authority=authority, server=server)
    async with serving(hang_up, context) as port:
        found = await looked_at(f"https://127.0.0.1:{port}/b1s/v1", "tls", authorities=file)
    tls = found["network.tls"]
    assert cause(tls) == expected
    assert ("emitido por «Autoridad»" in tls.finding.seen) is (expected == "authority_of_chain_expired")


@pytest.mark.parametrize(
    ("server", "expected"),
    [(GOOD, None), ((-400, 5), "certificate_expires_soon"), (GONE, "certificate_expired")],
)
async def test_the_certificate_of_the_public_address_is_checked(
    tmp_path: Path, server: Days, expected: str | None
) -> None:
    file, context = chain(tmp_path, authority=GOOD, server=server)
    async with serving(hang_up, context) as port:
        origin = Origin.of(f"https://127.0.0.1:{port}/devoluciones", file)
        group = Group("origin", "docs/doctor.md#origin")
        checks = origin_checks(origin, group=group, production=True, clock=SystemClock())
        results = await run_checks(checks, clock=SystemClock())
    found = {each.check.name: each for each in results}
    assert list(found) == [
        f"origin.{name}" for name in ("address", "name", "port", "authorities", "tls", "certificate")
    ]
    causes = {each.finding.cause.code for each in results if each.finding.cause} - {"depends_on"}
    assert causes == ({expected} if expected else set())


async def test_a_certificate_not_for_servers_is_described_by_its_fingerprint(tmp_path: Path) -> None:
    file, context = chain(tmp_path, authority=GOOD, server=GOOD, use=FOR_CLIENTS)
    async with serving(hang_up, context) as port:
        found = await looked_at(f"https://127.0.0.1:{port}/b1s/v1", "tls", authorities=file)
    assert cause(found["network.tls"]) == "certificate_authority_unknown"
    assert "presenta un certificado SHA-256 " in found["network.tls"].finding.seen
    assert "emitido por" not in found["network.tls"].finding.seen


async def test_a_port_that_hangs_up_on_tls_speaks_none() -> None:
    async with serving(hang_up) as port:
        found = await looked_at(f"https://127.0.0.1:{port}/b1s/v1", "port", "tls")
    assert {name: cause(each) for name, each in found.items()} == {
        "network.port": None,
        "network.tls": "no_tls",
    }


@pytest.mark.parametrize(
    ("then", "expected"),
    [(Peer.NOBODY, "no_answer"), (Peer.GATEWAY, "gateway_page"), (Peer.OTHER, "other_service")],
)
async def test_a_service_that_replies_only_once_is_not_reported_as_fast(then: Peer, expected: str) -> None:
    peers = itertools.chain([Peer.EXPECTED] * 2, itertools.repeat(then))

    async def probe() -> ServerAnswer:
        return ServerAnswer(next(peers), {}, 0.0)

    found = await looked_at("http://127.0.0.1:9", "answer", "latency", probe=probe)
    assert {name: cause(each) for name, each in found.items()} == {
        "network.answer": None,
        "network.latency": expected,
    }


async def test_the_names_in_a_certificate_of_another_name_are_shown(tmp_path: Path) -> None:
    file, context = chain(tmp_path, authority=GOOD, server=GOOD)
    async with serving(hang_up, context) as port:
        found = await looked_at(f"https://localhost:{port}/b1s/v1", "tls", authorities=file)
    tls = found["network.tls"]
    assert cause(tls) == "certificate_other_name"
    assert tls.finding.seen == f"localhost:{port} presenta un certificado de 127.0.0.1, two.example"
    assert tls.finding.figures == {}, "names belong to the terminal alone"


async def test_a_certificate_without_names_shows_its_common_name(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sapserver")])
    now = datetime.now(UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(1).not_valid_before(now - DAY).not_valid_after(now + DAY)
    file = tmp_path / "own.pem"
    pem = built.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM)
    file.write_bytes(pem + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    async with serving(hang_up, context) as port:
        found = await looked_at(f"https://localhost:{port}/b1s/v1", "tls", authorities=file)
    assert cause(found["network.tls"]) == "certificate_other_name"
    assert found["network.tls"].finding.seen.endswith(" presenta un certificado de sapserver")


async def test_the_certificate_of_the_file_is_shown_with_the_presented_one(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for each in (one, other):
        each.mkdir()
    _, context = chain(one, authority=GOOD, server=GOOD)
    chain(other, authority=GOOD, server=GOOD)
    leaf = (other / "server.pem").read_text().split("-----END CERTIFICATE-----")[0]
    (other / "ca.pem").unlink()
    (other / "server.pem").rename(other / "with-key")
    (other / "leaf.pem").write_text(f"{leaf}-----END CERTIFICATE-----\n")
    async with serving(hang_up, context) as port:
        found = await looked_at(f"https://127.0.0.1:{port}", "tls", "authorities", authorities=other)
    assert cause(found["network.authorities"]) is None
    assert cause(found["network.tls"]) == "certificate_authority_unknown"
    assert "el archivo tiene SHA-256 " in found["network.tls"].finding.seen
