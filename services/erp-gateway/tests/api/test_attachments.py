"""Files of records, through the whole service, on the simulated ERP."""

import json
import re
from typing import TYPE_CHECKING, Any

import attrs
import pytest
import pytest_asyncio

from erpsim.faults import Answer, Drop, Fault, Refuse, When

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

ORDER = "/api/attachments/Orders/1"
PDF = b"%PDF-1.7 " + bytes(range(256)) * 1000


@pytest_asyncio.fixture
async def gateway(open_gateway: "OpenGateway", sim: "Simulator") -> "AsyncIterator[Gateway]":
    async with open_gateway(sim, ATTACHMENT_MAX_BYTES="300000") as opened:
        yield opened


async def add(
    gateway: "Gateway", headers: dict[str, str], *files: tuple[str, bytes], to: str = ORDER, **more: str
) -> Any:
    return await gateway.http.post(
        to, headers={**headers, **more}, files=[("files", (name, content)) for name, content in files]
    )


async def names(gateway: "Gateway", headers: dict[str, str], of: str = ORDER) -> list[str]:
    answer = await gateway.http.get(of, headers=headers)
    assert answer.status_code == 200, answer.text
    return [item["name"] for item in answer.json()["items"]]


async def audited(gateway: "Gateway", headers: dict[str, str]) -> list[dict[str, Any]]:
    page = await gateway.http.get("/api/audit?accion=sl_attach", headers=headers)
    items: list[dict[str, Any]] = page.json()["items"]
    return items


@pytest.mark.asyncio
async def test_files_are_added_listed_and_read_byte_for_byte(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    assert await names(gateway, headers) == []
    gateway.sim.calls.clear()

    added = await add(gateway, headers, ('Orden nº 7 "final".PDF', PDF), ("../notas.txt", b"a\r\n--b"))
    assert (added.status_code, added.content) == (204, b"")
    assert [(call.method, call.path) for call in gateway.sim.calls] == [
        ("GET", "Orders(1)"),
        ("POST", "Attachments2"),
        ("PATCH", "Orders(1)"),
    ]
    plain = {"Content-Encoding": "Identity"}
    assert (await add(gateway, headers, ("foto.jpg", b"\xff\xd8"), **plain)).status_code == 204
    assert [(call.method, call.path) for call in gateway.sim.calls][3:] == [
        ("GET", "Orders(1)"),
        ("GET", "Attachments2(1)"),
        ("PATCH", "Attachments2(1)"),
    ]
    assert await names(gateway, headers) == ["Orden nº 7 final.pdf", "notas.txt", "foto.jpg"]

    read = await gateway.http.get(f"{ORDER}/1", headers=headers)
    assert read.content == PDF
    assert read.headers["Content-Type"] == "application/pdf"
    assert read.headers["Content-Disposition"].startswith("attachment;")
    assert "Orden%20n%C2%BA%207%20final.pdf" in read.headers["Content-Disposition"]
    assert read.headers["Cache-Control"] == "no-store"
    assert read.headers["X-Content-Type-Options"] == "nosniff"
    assert (await gateway.http.get(f"{ORDER}/2", headers=headers)).content == b"a\r\n--b"
    for number in ("0", "4", "x"):
        answer = await gateway.http.get(f"{ORDER}/{number}", headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (404, "attachment_not_found")

    (second, first) = await audited(gateway, headers)
    assert (first["resource"], first["key"], first["result"]) == ("Orders", "1", "ok")
    assert first["detail"] == {"sizes": [len(PDF), 6]}
    assert second["detail"] == {"sizes": [2]}
    assert "Orden" not in json.dumps([first, second])
    assert gateway.components.exporter.budget.held == 0


@pytest.mark.asyncio
async def test_invalid_uploads_are_refused_without_an_erp_call(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    gateway.sim.calls.clear()
    refusals = [
        (await add(gateway, headers, ("virus.exe", b"MZ")), 415, "attachment_type_refused"),
        (await add(gateway, headers, ("sin extension", b"x")), 415, "attachment_type_refused"),
        (await add(gateway, headers, ("vacio.txt", b"")), 400, "invalid_body"),
        (await add(gateway, headers, ("a.txt", b"1"), ("A.txt", b"2")), 400, "invalid_body"),
        (await add(gateway, headers, ("grande.pdf", b"x" * 300_001)), 413, "body_too_large"),
        (await add(gateway, headers, ("enorme.pdf", b"x" * 400_000)), 413, "body_too_large"),
        (await add(gateway, headers, ("a.pdf", PDF), **{"If-Match": "*"}), 400, "etag_unsupported"),
        (await add(gateway, headers, ("a.pdf", PDF), to=f"{ORDER}?x=1"), 400, "invalid_query"),
        (
            await add(gateway, headers, ("a.pdf", PDF), to="/api/attachments/Currencies/CLP"),
            405,
            "method_not_allowed",
        ),
        (
            await add(gateway, headers, ("a.pdf", PDF), to="/api/attachments/JournalEntries/1"),
            404,
            "attachments_unsupported",
        ),
        (
            await add(gateway, headers, ("a.pdf", PDF), to="/api/attachments/Attachments2/1"),
            404,
            "resource_not_registered",
        ),
        (await gateway.http.post(ORDER, headers=headers, json={}), 415, "unsupported_media_type"),
        *[
            (
                await add(gateway, headers, ("a.pdf", PDF), **{"Content-Encoding": coding}),
                415,
                "unsupported_media_type",
            )
            for coding in ("gzip", "identity, Deflate")
        ],
        (
            await gateway.http.post(
                ORDER,
                headers={**headers, "Content-Type": "multipart/form-data; boundary=b"},
                content=b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\r\nhalf',
            ),
            400,
            "invalid_body",
        ),
    ]
    assert [(answer.status_code, answer.json()["code"]) for answer, _, _ in refusals] == [
        (status, code) for _, status, code in refusals
    ]
    assert len(gateway.sim.calls) == 0
    assert gateway.components.exporter.budget.held == 0


@pytest.mark.asyncio
async def test_attachments_follow_the_read_and_write_rights_of_their_record(gateway: "Gateway") -> None:
    admin = await gateway.signed_in()
    await gateway.http.put("/api/permissions/luis", headers=admin, json={"paths": ["/ventas/pedidos"]})
    luis = await gateway.signed_in("luis")
    assert await names(gateway, luis) == []
    denied = await add(gateway, luis, ("a.pdf", PDF))
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    other = await gateway.http.get("/api/attachments/Quotations/1", headers=luis)
    assert other.status_code == 403


@pytest.mark.asyncio
async def test_a_repeated_upload_with_the_same_key_adds_the_files_once(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    key = {"Idempotency-Key": "carga-1"}
    assert (await add(gateway, headers, ("a.pdf", PDF), **key)).status_code == 204
    again = await add(gateway, headers, ("a.pdf", PDF), **key)
    assert (again.status_code, again.headers["Idempotency-Replayed"]) == (204, "true")
    other = await add(gateway, headers, ("a.pdf", PDF[1:]), **key)
    assert (other.status_code, other.json()["code"]) == (422, "idempotency_key_reused")
    there = await add(gateway, headers, ("A.pdf", PDF[1:]))
    assert (there.status_code, there.json()["code"]) == (409, "attachment_exists")
    assert await names(gateway, headers) == ["a.pdf"]


@pytest.mark.asyncio
async def test_a_file_name_used_by_another_record_gets_a_suffix(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    second = "/api/attachments/Orders/2"
    assert (await add(gateway, headers, ("a.pdf", PDF), ("b.txt", b"b"))).status_code == 204
    gateway.sim.calls.clear()
    other = await add(gateway, headers, ("a.pdf", PDF[1:]), to=second)
    assert (other.status_code, other.content) == (204, b"")
    assert [call.method for call in gateway.sim.calls] == ["GET", "POST", "POST", "PATCH"]
    (name,) = await names(gateway, headers, second)
    assert re.fullmatch(r"a-[0-9a-f]{8}\.pdf", name)
    assert (await gateway.http.get(f"{second}/1", headers=headers)).content == PDF[1:]
    assert (await gateway.http.get(f"{ORDER}/1", headers=headers)).content == PDF

    assert (await add(gateway, headers, ("b.txt", b"c"), to=second)).status_code == 204
    assert re.fullmatch(r"b-[0-9a-f]{8}\.txt", (await names(gateway, headers, second))[1])


@pytest.mark.asyncio
async def test_a_second_refused_upload_is_reported_and_not_sent_again(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    refused = Refuse(status=400, code=-10, text="Folder is full")
    gateway.sim.faults.add(Fault(action=refused, method="POST", path="Attachments2", times=2))
    gateway.sim.calls.clear()
    answer = await add(gateway, headers, ("a.pdf", PDF))
    assert (answer.status_code, answer.json()["code"]) == (400, "upstream_rejected")
    assert [call.method for call in gateway.sim.calls] == ["GET", "POST", "POST"]
    assert [record["result"] for record in await audited(gateway, headers)] == ["error"]


async def post_form(gateway: "Gateway", headers: dict[str, str], *parts: tuple[str, bytes]) -> Any:
    """Post a form that is written by hand: each part's header lines and its content."""
    written = b"".join(b"--b\r\n%b\r\n\r\n%b\r\n" % (head.encode(), content) for head, content in parts)
    sent = {**headers, "Content-Type": "multipart/form-data; boundary=b"}
    return await gateway.http.post(ORDER, headers=sent, content=written + b"--b--\r\n")


@pytest.mark.asyncio
async def test_multipart_forms_of_other_clients_are_parsed(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    dotnet = (
        "Content-Type: application/pdf\r\n"
        "Content-Disposition: form-data; name=files; filename=b.pdf; filename*=utf-8''b%C3%A9.pdf"
    )
    windows = r'content-disposition: form-data; name="files"; filename="C:\Users\ana\i3.pdf"'
    assert (await post_form(gateway, headers, (dotnet, b"1"), (windows, b"2"))).status_code == 204
    assert await names(gateway, headers) == ["bé.pdf", "i3.pdf"]
    other = "Content-Disposition: form-data; name=other; filename=c.pdf"
    reserved = "Content-Disposition: form-data; name=files; filename=CON.pdf"
    for head in (other, reserved, "Content-Disposition: form-data; name=files", "X: y"):
        refused = await post_form(gateway, headers, (head, b"1"))
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid_body"), head


@pytest.mark.asyncio
async def test_files_the_record_cannot_reference_are_reported_with_their_entry(gateway: "Gateway") -> None:
    headers = await gateway.signed_in()
    refused = Refuse(status=400, code=-10, text="Document is closed")
    gateway.sim.faults.add(Fault(action=refused, method="PATCH", path="Orders(1)"))
    gateway.sim.calls.clear()
    answer = await add(gateway, headers, ("a.pdf", PDF))
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["attachmentEntry"]) == (502, "outcome_unknown", 1)
    assert problem["lookAt"] == [ORDER]
    assert [call.method for call in gateway.sim.calls] == ["GET", "POST", "PATCH"]
    assert await names(gateway, headers) == []
    (record,) = await audited(gateway, headers)
    assert (record["result"], record["reason"]) == ("unknown", "outcome_unknown")


@pytest.mark.asyncio
async def test_lost_rejected_and_missing_attachment_calls_have_their_own_errors(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    headers = await gateway.signed_in()
    sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="POST", path="Attachments2"))
    lost = await add(gateway, headers, ("a.pdf", PDF))
    assert (lost.status_code, lost.json()["code"]) == (502, "outcome_unknown")
    assert sum(call.method == "POST" and call.path == "Attachments2" for call in sim.calls) == 1

    page = Answer(status=413, body="<html>", content_type="text/html")
    sim.faults.add(Fault(action=page, method="POST", path="Attachments2"))
    large = await add(gateway, headers, ("a.pdf", PDF))
    assert (large.status_code, large.json()["code"]) == (413, "body_too_large")

    sim.world.switches = attrs.evolve(sim.world.switches, attachments_mounted=False)
    refused = await add(gateway, headers, ("a.pdf", PDF))
    assert (refused.status_code, refused.json()["code"]) == (400, "upstream_rejected")
    assert "Attachment folder" in refused.json()["upstream"]["message"]
    missing = await gateway.http.get("/api/attachments/Orders/999999", headers=headers)
    assert (missing.status_code, missing.json()["code"]) == (404, "record_not_found")
    assert gateway.components.exporter.budget.held == 0


@pytest.mark.asyncio
async def test_a_file_without_room_is_refused(open_gateway: "OpenGateway", sim: "Simulator") -> None:
    async with open_gateway(sim, EXPORT_SPOOL_MB="1") as gateway:
        headers = await gateway.signed_in()
        full = await add(gateway, headers, ("a.pdf", b"x" * 600_000))
        assert (full.status_code, full.json()["code"]) == (503, "export_no_room")
        assert (await add(gateway, headers, ("a.pdf", b"x" * 500_000))).status_code == 204
        held = gateway.components.exporter.budget.of("ana").share()
        held.resize(200_000)
        read = await gateway.http.get(f"{ORDER}/1", headers=headers)
        assert (read.status_code, read.json()["code"]) == (503, "export_no_room")
        held.release()
        assert len((await gateway.http.get(f"{ORDER}/1", headers=headers)).content) == 500_000
