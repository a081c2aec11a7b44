"""`--save-certificate`: what is saved, what people read of it, and when nothing is saved."""

import asyncio
import hashlib
import io
import ssl
from pathlib import Path

import pytest
from tls_chains import GOOD, chain, hang_up, serving

from erpdoctor.saved_certificate import save_certificates
from servicekit.testing.ports import free_port

pytestmark = pytest.mark.asyncio


async def save(*urls: str, file: str, english: bool = True) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    code = await save_certificates(urls, file, names="ERP_SL_URL", english=english, out=out, err=err)
    return code, out.getvalue(), err.getvalue()


def fingerprint(pem: str) -> str:
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).digest().hex(":").upper()


async def test_the_certificate_is_saved_and_its_fingerprint_printed(tmp_path: Path) -> None:
    _, context = chain(tmp_path, authority=GOOD, server=GOOD)
    file = tmp_path / "erp.pem"
    async with serving(hang_up, context) as port:
        shown = await asyncio.to_thread(ssl.get_server_certificate, ("127.0.0.1", port))
        code, out, err = await save(f"https://127.0.0.1:{port}/b1s/v2", file=str(file))
    assert (code, out) == (0, "")
    assert file.read_text() == shown
    assert f"SHA-256: {fingerprint(shown)}" in err
    assert "Names: two.example, 127.0.0.1" in err or "Names: 127.0.0.1, two.example" in err
    assert "Issued by: Autoridad" in err
    assert "issuer's own certificate" in err
    assert not (tmp_path / "erp.pem.new").exists()


async def test_standard_output_contains_only_the_certificate(tmp_path: Path) -> None:
    _, context = chain(tmp_path, authority=GOOD, server=GOOD)
    async with serving(hang_up, context) as port:
        code, out, err = await save(f"https://127.0.0.1:{port}/b1s/v2", file="-", english=False)
    assert code == 0
    assert out.startswith("-----BEGIN CERTIFICATE-----")
    assert fingerprint(out) in err
    assert "Emitido por: Autoridad" in err


async def test_an_expired_certificate_is_shown_as_well(tmp_path: Path) -> None:
    _, context = chain(tmp_path, authority=GOOD, server=(-400, -30))
    async with serving(hang_up, context) as port:
        code, out, err = await save(f"https://127.0.0.1:{port}", file="-")
    assert (code, "Valid: " in err, fingerprint(out) in err) == (0, True, True)


async def test_no_certificate_is_saved_if_one_server_does_not_respond(tmp_path: Path) -> None:
    _, context = chain(tmp_path, authority=GOOD, server=GOOD)
    file = tmp_path / "erp.pem"
    async with serving(hang_up, context) as port, serving(hang_up) as plain:
        for other in (free_port(), plain):
            urls = (f"https://127.0.0.1:{port}", f"https://127.0.0.1:{other}")
            code, out, err = await save(*urls, file=str(file))
            assert (code, out, file.exists()) == (1, "", False)
            assert f"error: 127.0.0.1:{other} does not answer with TLS" in err


@pytest.mark.parametrize(
    "urls", [(), ("http://127.0.0.1:50001/b1s/v2",), ("https://erp:99999",), ("https://",)]
)
async def test_without_an_https_address_the_setting_is_named(urls: tuple[str, ...], tmp_path: Path) -> None:
    code, out, err = await save(*urls, file=str(tmp_path / "erp.pem"))
    assert (code, out) == (1, "")
    assert err == "error: No https address is configured; check ERP_SL_URL.\n"


async def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    _, context = chain(tmp_path, authority=GOOD, server=GOOD)
    async with serving(hang_up, context) as port:
        code, _, err = await save(f"https://127.0.0.1:{port}", file=str(tmp_path / "no" / "erp.pem"))
    assert code == 1
    assert f"error: {tmp_path}/no/erp.pem can't be written: No such file or directory." in err


async def test_two_services_with_one_certificate_save_it_once(tmp_path: Path) -> None:
    _, context = chain(tmp_path, authority=GOOD, server=GOOD)
    async with serving(hang_up, context) as port, serving(hang_up, context) as other:
        _, out, err = await save(f"https://127.0.0.1:{port}", f"https://127.0.0.1:{other}", file="-")
    assert out.count("BEGIN CERTIFICATE") == 1
    assert err.count("SHA-256: ") == 2
