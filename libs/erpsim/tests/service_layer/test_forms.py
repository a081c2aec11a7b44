"""Attachments over real sockets: forms of files, and what nothing takes back."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import attrs
import pytest

from erpsim.business.documents.attachments import UploadedFile
from erpsim.company.habits import OtherHabit
from erpsim.desk import Desk
from erpsim.simulator import run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]


def form(*files: tuple[str, str, bytes], boundary: str = "limit") -> dict[str, Any]:
    parts = [
        f'--limit\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'.encode()
        + content
        for field, name, content in files
    ]
    body = b"\r\n".join([*parts, b"--limit--\r\n"])
    return {"data": io.BytesIO(body), "headers": {"Content-Type": f"multipart/form-data;boundary={boundary}"}}


async def test_files_are_stored_appended_and_read_and_never_removed(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        stored = await client.post(
            "Attachments2", **form(("files", "a.pdf", b"%PDF\r\n"), ("files", "b.txt", b"b"))
        )
        assert stored.status == 201
        entry = await stored.json(content_type=None)
        assert [line["FileExtension"] for line in entry["Attachments2_Lines"]] == ["pdf", "txt"]
        assert "$content" not in str(entry)
        appended = await client.patch("Attachments2(1)", **form(("files", "c.jpg", b"c")))
        assert (appended.status, await appended.read()) == (204, b"")
        read = await client.get("Attachments2(1)/$value?filename='a.pdf'")
        assert (read.headers["Content-Type"], await read.read()) == ("application/pdf", b"%PDF\r\n")
        assert "Content-Encoding" not in read.headers  # though this client takes it
        assert await (await client.get("Attachments2(1)/$value")).read() == b"%PDF\r\n"
        assert (await client.get("Attachments2(1)/$value?filename='x.pdf'")).status == 404
        removed = await client.delete("Attachments2(1)")
        assert (removed.status, (await removed.json(content_type=None))["error"]["code"]) == (400, -5006)

        wrong = [
            await client.post("Attachments2", **form(("file", "a.pdf", b"a"))),
            await client.post("Attachments2", **form(("files", "a.pdf", b"a"), boundary='"limit"')),
            await client.post("Attachments2", **form(("files", "a.pdf", b"a" * (50 * 1024 * 1024)))),
        ]
        assert [answer.status for answer in wrong] == [400, 405, 413]
        assert wrong[2].headers["Content-Type"].startswith("text/html")
        sim.world.switches = attrs.evolve(sim.world.switches, attachments_mounted=False)
        lost = await client.get("Attachments2(1)/$value")
        assert (lost.status, "Attachment folder" in await lost.text()) == (400, True)


async def test_an_existing_file_name_is_refused_or_overwritten_by_switch(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        for name in ("a.txt", "b.txt"):
            assert (await client.post("Attachments2", **form(("files", name, b"first")))).status == 201
        taken = [
            await client.post("Attachments2", **form(("files", "a.txt", b"second"))),
            await client.patch("Attachments2(1)", **form(("files", "a.txt", b"second"))),
            await client.patch("Attachments2(2)", **form(("files", "a.txt", b"second"))),
        ]
        assert [answer.status for answer in taken] == [400] * 3
        assert "A file with this name already exists" in await taken[0].text()
        twice = await client.post("Attachments2", **form(("files", "c.txt", b"1"), ("files", "c.txt", b"2")))
        assert twice.status == 501

        habits = frozenset({OtherHabit.FILES_OVERWRITTEN, OtherHabit.FILE_NAMES_LATIN})
        sim.world.switches = attrs.evolve(sim.world.switches, other_habits=habits)
        other = await client.patch("Attachments2(2)", **form(("files", "a.txt", b"second")))
        assert other.status == 204
        for path in ("Attachments2(1)/$value?filename='a.txt'", "Attachments2(2)/$value?filename='a.txt'"):
            assert await (await client.get(path)).read() == b"second"
        named = await client.post("Attachments2", **form(("files", "ñ.txt", b"n")))
        (line,) = (await named.json(content_type=None))["Attachments2_Lines"]
        assert line["FileName"] == "Ã±"


async def test_a_failed_change_set_keeps_uploaded_files(desk: Desk) -> None:
    def fail() -> None:
        with desk.world.transaction():
            desk.world.upload(None, [UploadedFile("a.pdf", b"a")], desk.caller)
            desk.create("Orders", {})

    desk.refusal(fail)
    assert desk.world.read_file((1,), None) == b"a"
