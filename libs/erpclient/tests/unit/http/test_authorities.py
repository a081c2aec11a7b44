"""Which files of a place are read as certificates, and whom they make trusted."""

import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from scripted_erp import ScriptedErp
from tls_files import server_context, write_certificate

from erpclient import AiohttpTransport, ErpUnreachable, certificate_files, create_tls_context


async def is_trusted(certificate: Path, trusted: Path) -> bool:
    """Return True if a server with this certificate is reached by who trusts this file or folder."""
    async with ScriptedErp(tls=server_context(certificate)) as erp:
        transport = AiohttpTransport(
            tls=create_tls_context(ca_file=trusted), connect_timeout_s=5.0, max_reply_bytes=1000
        )
        await transport.open()
        try:
            await transport.probe(erp.url, 5.0)
        except ErpUnreachable as error:
            return error.network_code != "CERT"
        finally:
            await transport.aclose()
    return True


def test_files_of_a_folder_are_chosen_by_their_endings(tmp_path: Path) -> None:
    for name in ("b.pem", "a.CRT", "c.Cer", "notes.txt", ".hidden.pem", ".gitkeep", "key.pem.bak", "pem"):
        (tmp_path / name).touch()
    (tmp_path / "old.pem").mkdir()
    assert [each.name for each in certificate_files(tmp_path)] == ["a.CRT", "b.pem", "c.Cer"]
    assert certificate_files(tmp_path / "notes.txt") == (tmp_path / "notes.txt",)
    assert certificate_files(tmp_path / "nowhere") == ()


@pytest.mark.asyncio
async def test_only_the_certificate_files_of_a_folder_are_trusted(tmp_path: Path) -> None:
    folder, other = tmp_path / "authorities", tmp_path / "other"
    for each in (folder, other):
        each.mkdir()
    first = write_certificate(folder, name="first")
    second = write_certificate(folder, name="second").rename(folder / "second.CER")
    assert await is_trusted(first, folder)
    assert await is_trusted(second, folder)
    assert not await is_trusted(write_certificate(other), folder)


def signed_by_another(folder: Path) -> tuple[Path, Path]:
    """Write a server's certificate that an unpublished authority signed, alone and with its key."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    now = datetime.now(UTC)
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]) for name in ("Autoridad", "sap")]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(names[1])
        .issuer_name(names[0])
        .public_key(keys[1].public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(keys[0], hashes.SHA256())
    )
    pem = certificate.public_bytes(Encoding.PEM)
    key = keys[1].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    alone, with_key = folder / "alone.pem", folder / "server.pem"
    alone.write_bytes(pem)
    with_key.write_bytes(pem + key)
    return alone, with_key


@pytest.mark.asyncio
async def test_a_servers_own_certificate_is_trusted_without_its_issuer(tmp_path: Path) -> None:
    alone, with_key = signed_by_another(tmp_path)
    assert await is_trusted(with_key, alone)
    assert not await is_trusted(with_key, write_certificate(tmp_path, name="unrelated"))


def test_a_file_without_a_certificate_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").touch()
    for place in (tmp_path, tmp_path / "empty.pem"):
        with pytest.raises(ssl.SSLError):
            create_tls_context(ca_file=place)
    with pytest.raises(FileNotFoundError):
        create_tls_context(ca_file=tmp_path / "none.pem")
