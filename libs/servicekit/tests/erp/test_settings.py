"""Values of settings that name something of the ERP."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from servicekit.erp.settings import folder_problems, service_layer_url, trusted_authorities, user_field


@pytest.mark.parametrize("url", ["https://10.0.0.5:50000/b1s/v1", "http://erp.example.cl/b1s/v2"])
def test_a_service_layer_address_ends_with_its_version(url: str) -> None:
    assert service_layer_url().read(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://10.0.0.5:50000/b1s",
        "https://10.0.0.5/b1s/v3",
        "https://10.0.0.5/b1s/v1/Orders",
        "ftp://e/v1",
        "",
    ],
)
def test_a_service_layer_address_without_version_is_refused(url: str) -> None:
    with pytest.raises(ValueError):
        service_layer_url().read(url)


@pytest.mark.parametrize("name", ["U_GW_Clave", "U_1", "U_" + "a" * 48])
def test_a_user_field_name_has_its_prefix(name: str) -> None:
    assert user_field().read(name) == name


@pytest.mark.parametrize("name", ["GW_Clave", "u_Clave", "U_", "U_Ñ", "U_a b", "U_" + "a" * 49, "U_a)", ""])
def test_an_invalid_user_field_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError):
        user_field().read(name)


def write_authority(file: Path) -> None:
    """Write a certificate of an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "sap")])
    now = datetime.now(UTC)
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    file.write_bytes(built.sign(key, hashes.SHA256()).public_bytes(Encoding.PEM))


def test_the_authorities_folder_is_used_if_no_file_is_set(tmp_path: Path) -> None:
    folder, file = tmp_path / "authorities", tmp_path / "own.pem"
    assert trusted_authorities(None, None) is None
    assert trusted_authorities(None, folder) is None, "it does not exist"
    folder.mkdir()
    (folder / "README").touch()
    assert trusted_authorities(None, folder) is None, "it holds no certificate"
    write_authority(folder / "erp.crt")
    assert trusted_authorities(None, folder) == folder
    assert trusted_authorities(file, folder) == file


def test_each_file_of_the_folder_that_is_no_certificate_is_named(tmp_path: Path) -> None:
    write_authority(tmp_path / "erp.pem")
    assert list(folder_problems(tmp_path)) == list(folder_problems(None)) == []
    assert list(folder_problems(tmp_path / "nowhere")) == []
    (tmp_path / "exported.cer").write_bytes(b"\x30\x82\x01\x0a")  # DER, as Windows exports it by default
    (tmp_path / "empty.pem").touch()
    problems = list(folder_problems(tmp_path))
    assert {each.name for each in problems} == {"ERP_CA_FOLDER"}
    assert ["empty.pem" in problems[0].text, "exported.cer" in problems[1].text] == [True, True]
    assert all("PEM" in each.text for each in problems)
