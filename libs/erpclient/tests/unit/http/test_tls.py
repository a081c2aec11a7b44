"""TLS rules."""

import ssl
from pathlib import Path

import pytest
from tls_files import write_certificate

from erpclient.http.tls import create_tls_context


def test_the_extra_file_is_added_to_the_systems_authorities(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")  # conftest.py: no test but this one needs them
    system = {bytes(c) for c in ssl.create_default_context().get_ca_certs(binary_form=True)}
    ours = {
        bytes(c)
        for c in create_tls_context(ca_file=write_certificate(tmp_path)).get_ca_certs(binary_form=True)
    }
    assert set() < system < ours


def test_tls_below_1_2_is_refused() -> None:
    assert create_tls_context(verify=False).minimum_version == ssl.TLSVersion.TLSv1_2


@pytest.mark.parametrize("content", [None, b"no certificate"])
def test_an_invalid_ca_file_is_an_os_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(OSError):
        create_tls_context(ca_file=path)
