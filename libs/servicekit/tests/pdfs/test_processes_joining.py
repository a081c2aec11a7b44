"""Joining PDFs in a process: whole documents in order, broken ones by number, and an end in any case."""

import io
import sys
from pathlib import Path

import pikepdf
import pytest

from servicekit.pdfs.processes import Joining, PartBrokenError, PdfProcessError

pytestmark = pytest.mark.asyncio


def pdf(pages: int, width: int, *, password: str | None = None) -> bytes:
    with pikepdf.Pdf.new() as made:
        for _ in range(pages):
            made.add_blank_page(page_size=(width, 200))
        result = io.BytesIO()
        encryption = None if password is None else pikepdf.Encryption(owner="x", user=password)
        made.save(result, encryption=encryption or False)
        return result.getvalue()


def widths(content: bytes) -> list[int]:
    with pikepdf.Pdf.open(io.BytesIO(content)) as joined:
        return [int(page.mediabox[2]) for page in joined.pages]


async def test_pages_follow_the_order_of_the_parts() -> None:
    joined = await Joining().join([pdf(2, 100), pdf(1, 300), pdf(3, 200)])
    assert widths(joined) == [100, 100, 300, 200, 200, 200]


async def test_bytes_before_a_document_do_not_matter() -> None:
    assert widths(await Joining().join([b"\r\n" + pdf(1, 100)])) == [100]


async def test_a_document_with_only_an_owner_password_is_joined() -> None:
    assert widths(await Joining().join([pdf(1, 100), pdf(2, 300, password="")])) == [100, 300, 300]


@pytest.mark.parametrize(
    "part", [b"", b"<html>no</html>", pdf(1, 100)[:200], pdf(0, 100), pdf(1, 100, password="secret")]
)
async def test_a_part_that_is_no_whole_document_is_named(part: bytes) -> None:
    with pytest.raises(PartBrokenError) as caught:
        await Joining().join([pdf(1, 100), pdf(1, 100), part])
    assert caught.value.index == 2


@pytest.mark.parametrize(
    "script",
    [
        "import sys; sys.exit(1)",
        "import sys; sys.stdout.write('x')",
        "import os, sys; os.write(1, b'\\0%PDF-1.7 cut'); sys.exit(1)",
    ],
)
async def test_a_dead_process_or_an_invalid_reply_is_an_error(script: str) -> None:
    with pytest.raises(PdfProcessError):
        await Joining(command=(sys.executable, "-c", script)).join([pdf(1, 100)])


async def test_a_hanging_process_is_ended() -> None:
    joining = Joining(timeout_s=0.2, command=(sys.executable, "-c", "import time; time.sleep(60)"))
    with pytest.raises(PdfProcessError):
        await joining.join([pdf(1, 100)])


async def test_the_pdf_process_inherits_no_service_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SL_PLANTED", "planted-password")
    environment_file = tmp_path / "environment"
    script = f"import os; open({str(environment_file)!r}, 'w').write(str(dict(os.environ)))"
    with pytest.raises(PdfProcessError):  # it says nothing else
        await Joining(command=(sys.executable, "-c", script)).join([pdf(1, 100)])
    assert "LANG" in environment_file.read_text()
    assert "planted" not in environment_file.read_text().lower()
