"""Opening and closing: ports, TLS, metadata, stores."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import aiohttp
import pytest

from erpsim.company.clock import SystemClock
from erpsim.company.store import FileStore
from erpsim.facts import Facts, FactsError, load_packaged_facts
from erpsim.facts.edmx import read_edmx
from erpsim.process.certificates import self_signed
from erpsim.service_layer.wire.edmx import write_v1, write_v2
from erpsim.simulator import Listening, PortTakenError, run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]


async def test_a_taken_port_is_reported() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError, match=f"port {port} on 127.0.0.1 is taken"):
            async with run_sim(listening=Listening(port=port)):
                pass


async def test_a_taken_control_port_closes_the_service_port() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortTakenError, match=str(port)):
            async with run_sim(listening=Listening(control_port=port)):
                pass


async def test_a_foreign_address_cannot_be_bound() -> None:
    with pytest.raises(OSError, match=r"assign|address"):
        async with run_sim(listening=Listening(host="192.0.2.1")):
            pass


async def test_all_interfaces_are_reached_by_loopback() -> None:
    async with run_sim(listening=Listening(host="0.0.0.0")) as sim, aiohttp.ClientSession() as client:
        assert sim.origin == f"http://127.0.0.1:{sim.port}"
        assert (await client.get(f"{sim.origin}/ping/")).status == 200


async def test_tls_has_a_self_signed_certificate_that_clients_can_trust() -> None:
    async with run_sim(listening=Listening(tls=True)) as sim:
        assert sim.url.startswith("https://")
        assert sim.certificate is not None
        trusting = ssl.create_default_context(cadata=sim.certificate.certificate_pem.decode())
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusting)) as client:
            assert (await client.get(f"{sim.origin}/ping/")).status == 200
        async with aiohttp.ClientSession() as suspicious:
            with pytest.raises(aiohttp.ClientConnectorCertificateError):
                await suspicious.get(f"{sim.origin}/ping/")
        assert sim.certificate.server_context().minimum_version is ssl.TLSVersion.TLSv1_2


async def test_a_stored_certificate_names_the_public_host_and_survives_restarts(
    tmp_path: Path,
) -> None:
    listening = Listening(
        host="127.0.0.1",
        public_host="localhost",
        tls=True,
        certificate_folder=tmp_path,
        tax_documents_port=0,
    )
    kept = []
    for _ in range(2):
        async with run_sim(listening=listening) as sim:
            assert sim.url == f"https://localhost:{sim.port}/b1s/v1"
            assert sim.tax_documents is not None
            assert sim.tax_documents.url.startswith("https://localhost:")
            kept.append((tmp_path / "certificate.pem").read_text(encoding="utf-8"))
            trusting = ssl.create_default_context(cadata=kept[-1])
            async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(ssl=trusting)) as client:
                assert (await client.get(f"{sim.origin}/ping/")).status == 200
    assert kept[0] == kept[1]
    assert (tmp_path / "key.pem").stat().st_mode & 0o077 == 0


async def test_the_repr_of_a_certificate_hides_its_key() -> None:
    certificate = self_signed("erp.example", SystemClock())
    assert "PRIVATE" in certificate.key_pem.decode()
    assert "PRIVATE" not in repr(certificate)


async def metadata(client: aiohttp.ClientSession) -> bytes:
    answer = await client.get("$metadata")
    assert (answer.status, answer.content_type) == (200, "application/xml")
    return await answer.read()


@pytest.mark.parametrize(("root", "write"), [("v1", write_v1), ("v2", write_v2)])
async def test_the_metadata_contains_every_fact_in_each_version(
    sign_in: SignIn, tmp_path: Path, root: str, write: Callable[[Facts], bytes]
) -> None:
    facts = load_packaged_facts()
    async with run_sim() as sim, sign_in(sim, root=root) as client:
        text = await metadata(client)
    assert text == write(facts)
    path = tmp_path / "metadata.xml"
    path.write_bytes(text)
    read = read_edmx(path)
    assert set(read.entity_sets) == set(facts.entity_sets)
    for name, known in facts.types.items():
        assert list(read.types[name].properties) == list(known.properties)
        assert read.types[name].key == known.key
        links = {n: nav for n, nav in known.navigation.items() if nav.target_set in facts.entity_sets}
        assert read.types[name].navigation == links
    assert read.entity_sets["Orders"].type.actions == facts.entity_sets["Orders"].type.actions
    assert "SeriesService_GetDocumentSeries" in read.operations


async def test_v2_metadata_renames_a_property_named_like_its_type(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim, root="v2") as client:
        text = (await metadata(client)).decode()
    assert '<Property Name="SeriesProperty"' in text
    assert '<Member Name="tYES" Value="1"/>' in text
    assert 'Type="Edm.DateTimeOffset"' in text
    assert 'Type="Edm.DateTime"' not in text


@pytest.mark.parametrize(("root", "other", "write"), [("v1", "v2", write_v1), ("v2", "v1", write_v2)])
async def test_a_custom_export_is_served_unchanged_and_its_fields_exist(
    sign_in: SignIn, tmp_path: Path, root: str, other: str, write: Callable[[Facts], bytes]
) -> None:
    export = write(load_packaged_facts()).replace(
        b'<Property Name="ItemName"',
        b'<Property Name="U_OWN" Type="Edm.String"/>\n<Property Name="ItemName"',
        1,
    )
    path = tmp_path / "export.xml"
    path.write_bytes(export)
    async with (
        run_sim(metadata=path) as sim,
        sign_in(sim, root=root) as client,
        sign_in(sim, root=other) as second,
    ):
        assert await metadata(client) == export
        assert b"U_OWN" in await metadata(second)
        answer = await client.post("Items", json={"ItemCode": "T1", "ItemName": "x", "U_OWN": "mine"})
        assert (await answer.json(content_type=None))["U_OWN"] == "mine"


async def test_a_file_that_is_no_export_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "export.xml"
    path.write_text("<a/>")
    with pytest.raises(FactsError, match="no \\$metadata export"):
        async with run_sim(metadata=path):
            pass


async def test_changes_survive_in_a_store(sign_in: SignIn, tmp_path: Path) -> None:
    for expected in (404, 200):
        store = FileStore(tmp_path / "store.db")
        async with run_sim(store=store) as sim, sign_in(sim) as client:
            assert (await client.get("Items('T1')")).status == expected
            await client.post("Items", json={"ItemCode": "T1", "ItemName": "x"})
        store.close()
