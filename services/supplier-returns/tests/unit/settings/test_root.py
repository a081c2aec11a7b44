"""Configuration: rules between settings, certificates, and the example file."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)
from cryptography.x509.oid import NameOID

from erpsim.company.clock import SystemClock
from erpsim.process.certificates import self_signed
from servicekit.config import ConfigError
from supplier_returns.certificates.files import CertificateFiles
from supplier_returns.certificates.loading import load_certificate
from supplier_returns.settings.root import Settings, effective_settings, load_settings

ROOT = Path(__file__).parents[5]
EXAMPLE = ROOT / "services" / "supplier-returns" / "config.example.env"
SECRET = "canary-5e1f"
AUTHORITY = self_signed("erp", SystemClock()).certificate_pem
REQUIRED = {
    "SL_URL": "https://10.0.0.5:50000/b1s/v1",
    "SL_COMPANY_DB": "SBO_DEMO",
    "DB_TYPE": "HANA",
}


@pytest.fixture(autouse=True)
def no_configuration_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def settings_of(**environ: str) -> Settings:
    return load_settings({**REQUIRED, **environ})


def problems_of(environ: Mapping[str, str]) -> dict[str, str]:
    with pytest.raises(ConfigError) as caught:
        load_settings(environ)
    assert SECRET not in str(caught.value)
    return {problem.name: problem.text for problem in caught.value.problems}


def test_three_settings_are_sufficient() -> None:
    settings = settings_of()
    assert (settings.web.host, settings.web.port, settings.web.web_origin) == ("127.0.0.1", 3000, None)
    assert settings.service_layer.reject_unauthorized
    assert (settings.service_layer.timeout_s, settings.service_layer.metadata_timeout_s) == (60, 300)
    assert (settings.sessions.timeout_minutes, settings.sessions.max_sessions) == (30, 200)
    assert not settings.sessions.cookie_secure
    assert settings.returns.max_lines_per_document == 60
    assert (settings.returns.execution_fence, settings.returns.uncertain_wait_s) == ("auto", 180)
    assert (settings.returns.field_ind_traslado, settings.returns.field_tipo_despacho) == (None, None)
    tax = settings.tax_documents
    assert (tax.timeout_s, tax.max_bytes, tax.concurrency) == (120, 40 * 1024 * 1024, 3)
    assert settings.shutdown_grace_s == 70
    assert not settings.installation.docs_published
    assert not settings.https.enabled
    assert settings.web_application.folder is None


def test_every_missing_required_setting_is_reported() -> None:
    assert set(problems_of({})) == set(REQUIRED)


@pytest.mark.parametrize(
    ("environ", "name"),
    [
        ({"SL_URL": "https://10.0.0.5:50000/b1s"}, "SL_URL"),
        ({"DB_TYPE": "ORACLE"}, "DB_TYPE"),
        ({"WEB_ORIGIN": "http://localhost:4200/app"}, "WEB_ORIGIN"),
        ({"WEB_ORIGIN": "localhost:4200"}, "WEB_ORIGIN"),
        ({"WEB_ORIGIN": "http://localhost:70000"}, "WEB_ORIGIN"),
        ({"FIELD_IND_TRASLADO": "IndTraslado"}, "FIELD_IND_TRASLADO"),
        ({"MAX_LINES_PER_DOCUMENT": "61"}, "MAX_LINES_PER_DOCUMENT"),
        *(
            ({"RETURN_FIELDS": value}, "RETURN_FIELDS")
            for value in (
                "U_A",
                "[]",
                "{}",
                '{"U_A":null}',
                '{"U_A":true}',
                '{"U_A":""}',
                '{"U_A":"1","U_A":"2"}',
                '{"U A":"1"}',
                '{"cardcode":"P1"}',
                '{"U_LIB_Clave":"1"}',
            )
        ),
        *(
            ({"RETURN_ASKED_FIELDS": value}, "RETURN_ASKED_FIELDS")
            for value in (
                "{}",
                "[]",
                '[{"name":"U_A"}]',
                '[{"name":"U_A","label":"A","type":"boolean"}]',
                '[{"name":"U_A","label":"A","values":["1"]}]',
                '[{"name":"U_A","label":""}]',
                '[{"name":"Series","label":"Serie"}]',
                '[{"name":"U_A","label":"A"},{"name":"u_a","label":"B"}]',
            )
        ),
        (
            {"RETURN_FIELDS": '{"U_A":"1"}', "RETURN_ASKED_FIELDS": '[{"name":"U_A","label":"A"}]'},
            "RETURN_ASKED_FIELDS",
        ),
        ({"FIELD_IND_TRASLADO": "U_A", "RETURN_FIELDS": '{"U_A":"1"}'}, "RETURN_FIELDS"),
        ({"EXECUTION_FENCE": "maybe"}, "EXECUTION_FENCE"),
        ({"HAS_BACKUP": "true", "EXECUTION_FENCE": "on"}, "EXECUTION_FENCE"),
        ({"HAS_BACKUP": "true", "EXECUTION_FENCE": "off"}, "EXECUTION_FENCE"),
        ({"UNCERTAIN_WAIT": "179"}, "UNCERTAIN_WAIT"),
        ({"UNCERTAIN_WAIT": "180", "SL_TIMEOUT": "61"}, "UNCERTAIN_WAIT"),
        ({"SL_TIMEOUT": "61"}, "UNCERTAIN_WAIT"),
        ({"UNCERTAIN_WAIT": "34", "SL_TIMEOUT": "10"}, "UNCERTAIN_WAIT"),
        ({"UNCERTAIN_WAIT": "8", "SL_TIMEOUT": "1.5"}, "UNCERTAIN_WAIT"),
        ({"SHUTDOWN_GRACE": "69"}, "SHUTDOWN_GRACE"),
        ({"SHUTDOWN_GRACE": "70", "SL_TIMEOUT": "61"}, "SHUTDOWN_GRACE"),
        ({"METRICS_PORT": "3000"}, "METRICS_PORT"),
        ({"SL_CA_FILE": "/nowhere/ca.pem"}, "SL_CA_FILE"),
        ({"DTE_CA_FILE": "/nowhere/ca.pem"}, "DTE_CA_FILE"),
        ({"WEB_DIST_DIR": "/nowhere"}, "WEB_DIST_DIR"),
        ({"WEB_CSP": "default-src 'ñ'"}, "WEB_CSP"),
        ({"HTTP_REDIRECT_PORT": "80"}, "HTTP_REDIRECT_PORT"),
        ({"HTTPS_PFX_PASSPHRASE": SECRET}, "HTTPS_PFX_PASSPHRASE"),
        ({"HTTPS_KEY_PATH": "key.pem"}, "HTTPS_CERT_PATH"),
        ({"HTTPS_CERT_PATH": "cert.pem"}, "HTTPS_KEY_PATH"),
        ({"HTTPS_PFX_PATH": "a.pfx", "HTTPS_KEY_PATH": "key.pem"}, "HTTPS_PFX_PATH"),
        ({"HTTPS_PFX_PATH": "/nowhere/a.pfx"}, "HTTPS_PFX_PATH"),
        ({"SL_PASSWORD": SECRET}, "SL_PASSWORD"),
        ({"DTE_URL": "x"}, "DTE_URL"),
        ({"HTTPS_PORT": "443"}, "HTTPS_PORT"),
    ],
)
def test_invalid_settings_are_reported_by_name(environ: dict[str, str], name: str) -> None:
    assert name in problems_of({**REQUIRED, **environ})


@pytest.mark.parametrize(("timeout", "wait"), [("1", "6"), ("1.5", "9"), ("10", "35"), ("600", "1800")])
def test_the_minimum_uncertain_wait_covers_a_running_post(timeout: str, wait: str) -> None:
    settings_of(SL_TIMEOUT=timeout, UNCERTAIN_WAIT=wait)
    problems = problems_of({**REQUIRED, "SL_TIMEOUT": timeout, "UNCERTAIN_WAIT": str(float(wait) - 0.1)})
    assert f"allowed: at least {wait} " in problems["UNCERTAIN_WAIT"]


def test_the_default_folder_is_used_only_if_it_exists(tmp_path: Path) -> None:
    folder = tmp_path / "apps" / "web" / "dist" / "web" / "browser"
    folder.mkdir(parents=True)
    assert settings_of().web_application.folder is None  # an empty folder would answer every route with 404
    (folder / "index.html").write_text("x")
    assert settings_of().web_application.folder == Path("apps/web/dist/web/browser")
    assert settings_of(WEB_DIST_DIR=str(folder)).web_application.folder == folder
    assert dict(effective_settings(settings_of()))["WEB_DIST_DIR"] == "apps/web/dist/web/browser"


def test_fields_of_the_return_are_shown_as_configured() -> None:
    written = {
        "RETURN_FIELDS": '{"Indicator":"52","U_PESO":1.50}',
        "RETURN_ASKED_FIELDS": '[{"name":"U_BULTOS","label":"Bultos","type":"number","required":true}]',
    }
    assert written.items() <= dict(effective_settings(settings_of(**written))).items()


def test_effective_settings_are_shown_with_masked_secrets(tmp_path: Path) -> None:
    files = Certificates(tmp_path)
    shown = dict(
        effective_settings(
            settings_of(
                HTTPS_PFX_PATH=files.bundle(SECRET),
                HTTPS_PFX_PASSPHRASE=SECRET,
                COOKIE_SECURE="true",
                ENVIRONMENT="development",
                WEB_ORIGIN="http://LOCALHOST:4200",
            )
        )
    )
    assert shown["HTTPS_PFX_PASSPHRASE"] == "***"
    assert (shown["SHUTDOWN_GRACE"], shown["DOCS_ENABLED"]) == ("70", "true")
    assert shown["WEB_ORIGIN"] == "http://localhost:4200"


class Certificates:
    """Creates certificate files in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.authority = self._sign("authority", None)
        self.certificate = self._sign("returns", self.authority)

    def _sign(
        self, name: str, issuer: x509.Certificate | None, *, days: tuple[int, int] = (-1, 30)
    ) -> x509.Certificate:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.now(UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(subject if issuer is None else issuer.subject)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + timedelta(days=days[0]))
            .not_valid_after(now + timedelta(days=days[1]))
            .sign(self.key, hashes.SHA256())
        )

    def write(self, name: str, content: bytes) -> str:
        (self.folder / name).write_bytes(content)
        return str(self.folder / name)

    def bundle(self, passphrase: str | None, *, days: tuple[int, int] = (-1, 30)) -> str:
        certificate = self._sign("returns", self.authority, days=days)
        encryption = NoEncryption() if passphrase is None else BestAvailableEncryption(passphrase.encode())
        content = pkcs12.serialize_key_and_certificates(
            b"returns", self.key, certificate, [self._sign("stranger", None), self.authority], encryption
        )
        return self.write("bundle.pfx", content)

    def key_file(
        self, *, passphrase: str | None = None, key: ec.EllipticCurvePrivateKey | None = None
    ) -> str:
        encryption = NoEncryption() if passphrase is None else BestAvailableEncryption(passphrase.encode())
        content = (key or self.key).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
        return self.write("key.pem", content)

    def certificate_file(self, *, days: tuple[int, int] = (-1, 30)) -> str:
        certificate = self._sign("returns", self.authority, days=days)
        chain = certificate.public_bytes(Encoding.PEM) + self.authority.public_bytes(Encoding.PEM)
        return self.write("cert.pem", chain)


def test_a_valid_bundle_and_a_valid_pair_are_accepted(tmp_path: Path) -> None:
    files = Certificates(tmp_path)
    for environ in (
        {"HTTPS_PFX_PATH": files.bundle(SECRET), "HTTPS_PFX_PASSPHRASE": SECRET},
        {"HTTPS_KEY_PATH": files.key_file(), "HTTPS_CERT_PATH": files.certificate_file()},
    ):
        settings = settings_of(**environ, HTTP_REDIRECT_PORT="80", COOKIE_SECURE="true")
        assert settings.https.files is not None
        chain = load_certificate(settings.https.files).chain
        names = [certificate.subject.rfc4514_string() for certificate in chain]
        assert names == ["CN=returns", "CN=authority"]


def test_a_bundle_may_have_no_passphrase(tmp_path: Path) -> None:
    assert settings_of(HTTPS_PFX_PATH=Certificates(tmp_path).bundle(None), COOKIE_SECURE="true").https.enabled


def test_the_redirect_needs_its_own_port(tmp_path: Path) -> None:
    bundle = Certificates(tmp_path).bundle(None)
    problems = problems_of({**REQUIRED, "HTTPS_PFX_PATH": bundle, "HTTP_REDIRECT_PORT": "3000"})
    assert set(problems) == {"HTTP_REDIRECT_PORT"}


def test_problems_of_a_certificate_are_reported_at_startup(tmp_path: Path) -> None:
    files = Certificates(tmp_path)
    other = ec.generate_private_key(ec.SECP256R1())
    text = files.write("text.pem", b"nothing")
    pair = {"HTTPS_KEY_PATH": files.key_file(), "HTTPS_CERT_PATH": files.certificate_file()}
    cases: list[tuple[dict[str, str], str, str]] = [
        (pair | {"HTTPS_KEY_PATH": text}, "HTTPS_KEY_PATH", "no private key"),
        (pair | {"HTTPS_CERT_PATH": text}, "HTTPS_CERT_PATH", "no certificate"),
        (pair | {"HTTPS_CERT_PATH": "/nowhere/x"}, "HTTPS_CERT_PATH", "can't be read"),
        ({"HTTPS_PFX_PATH": text}, "HTTPS_PFX_PATH", "no PFX bundle"),
    ]
    for environ, name, words in cases:
        assert words in problems_of({**REQUIRED, **environ})[name]
    wrong = {"HTTPS_PFX_PATH": files.bundle(SECRET), "HTTPS_PFX_PASSPHRASE": "other"}
    assert problems_of({**REQUIRED, **wrong}) == {"HTTPS_PFX_PASSPHRASE": "does not open the bundle"}
    expired = {"HTTPS_PFX_PATH": files.bundle(None, days=(-9, -1))}
    assert "expired on" in problems_of({**REQUIRED, **expired})["HTTPS_PFX_PATH"]
    early = pair | {"HTTPS_CERT_PATH": files.certificate_file(days=(1, 9))}
    assert "valid only from" in problems_of({**REQUIRED, **early})["HTTPS_CERT_PATH"]
    pair["HTTPS_CERT_PATH"] = files.certificate_file()
    foreign = pair | {"HTTPS_KEY_PATH": files.key_file(key=other)}
    assert "does not belong" in problems_of({**REQUIRED, **foreign})["HTTPS_KEY_PATH"]
    closed = pair | {"HTTPS_KEY_PATH": files.key_file(passphrase=SECRET)}
    assert "is encrypted" in problems_of({**REQUIRED, **closed})["HTTPS_KEY_PATH"]


def test_a_bundle_without_a_certificate_is_refused(tmp_path: Path) -> None:
    files = Certificates(tmp_path)
    content = pkcs12.serialize_key_and_certificates(None, files.key, None, None, NoEncryption())
    bundle = files.write("bundle.pfx", content)
    assert (
        "no certificate with its key" in problems_of({**REQUIRED, "HTTPS_PFX_PATH": bundle})["HTTPS_PFX_PATH"]
    )


def test_a_certificate_needs_files() -> None:
    with pytest.raises(ValueError, match="neither"):
        load_certificate(CertificateFiles())


def test_the_example_file_is_a_working_configuration() -> None:
    settings = load_settings({"CONFIG_FILE": os.fspath(EXAMPLE)})
    assert settings == load_settings({"CONFIG_FILE": os.fspath(EXAMPLE), "PORT": "3000"})


def test_certificates_of_the_folder_are_used_without_a_configured_file(tmp_path: Path) -> None:
    folder, own = tmp_path / "authorities", tmp_path / "own.pem"
    folder.mkdir()
    environ = {**REQUIRED, "ERP_CA_FOLDER": str(folder)}
    assert load_settings(environ).service_layer.ca_file is None
    for file in (folder / "erp.pem", own):
        file.write_bytes(AUTHORITY)
    found = load_settings(environ)
    assert found.service_layer.ca_file == folder
    assert found.tax_documents.ca_file is None, "the provider of tax documents is no part of the ERP"
    assert load_settings({**environ, "SL_CA_FILE": str(own)}).service_layer.ca_file == own
    (folder / "erp.pem").write_text("no certificate")
    assert "erp.pem" in problems_of(environ)["ERP_CA_FOLDER"]
