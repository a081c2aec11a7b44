# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Warnings of check-config: settings without effect, misspelt names, files that are not certificates."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import attrs
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from hypothesis import given
from hypothesis import strategies as st

from servicekit.config import (
    Secret,
    authority_problems,
    csv,
    group,
    half_configured,
    integer,
    open_secrets,
    setting,
    similar_names,
    text,
)
from servicekit.config.plausibility import edits

NO_FILE = {"CONFIG_FILE": "/dev/null"}


@attrs.frozen(kw_only=True)
class Reports:
    """A module that may be off."""

    url: str = setting("REPORTS_URL", help="Where.", parse=text())
    user: str = setting("REPORTS_USER", help="Who.", parse=text())
    password: Secret = setting("REPORTS_PASSWORD", help="The word.", secret=True)
    instance: str | None = setting("REPORTS_INSTANCE", help="Which.", parse=text(), default=None)
    places: int = setting("REPORTS_PLACES", help="How many.", parse=integer(1, 9), default=2)


@attrs.frozen(kw_only=True)
class Modules:
    """All modules."""

    reports: Reports | None = group(Reports, when="REPORTS_URL")


@attrs.frozen(kw_only=True)
class Settings:
    """A whole configuration."""

    port: int = setting("PORT", help="Port.", parse=integer(1, 65535), default=3000)
    level: str = setting("LOG_LEVEL", help="Level.", parse=text(), default="INFO")
    users: tuple[str, ...] = setting("ADMIN_USERS", help="Who.", parse=csv(), default=())
    modules: Modules = group(Modules)


def told(environ: dict[str, str]) -> dict[str, str]:
    return {problem.name: problem.text for problem in half_configured(Settings, NO_FILE | environ)}


def test_a_setting_of_a_module_that_is_off_has_no_effect() -> None:
    given = {"REPORTS_USER": "ana", "REPORTS_PASSWORD": "x", "REPORTS_INSTANCE": "i"}
    assert told(given) == dict.fromkeys(given, "has no effect without REPORTS_URL; allowed: both, or neither")
    assert set(told({"REPORTS_PASSWORD_FILE": "/run/secrets/x"})) == {"REPORTS_PASSWORD_FILE"}


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"REPORTS_USER": " "},
        {"REPORTS_PLACES": "2"},  # a default that somebody wrote down
        {"REPORTS_URL": "x", "REPORTS_USER": "ana"},
    ],
)
def test_an_enabled_or_unset_module_is_not_reported_as_incomplete(environ: dict[str, str]) -> None:
    assert told(environ) == {}


def test_the_plausibility_checks_read_the_configuration_file(tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("REPORTS_USER=ana\n", encoding="utf-8")
    assert set(told({"CONFIG_FILE": str(file)})) == {"REPORTS_USER"}


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ADMIN_USER", "ADMIN_USERS"),
        ("ADMNI_USERS", "ADMIN_USERS"),
        ("ADMIN_USERSES", "ADMIN_USERS"),
        ("ADMlN-USERS", "ADMIN_USERS"),
        ("log_levle", "LOG_LEVEL"),
        ("REPORTS_PASWORD_FILE", "REPORTS_PASSWORD_FILE"),
        ("CONFG_FILE", "CONFIG_FILE"),
    ],
)
def test_a_variable_within_two_edits_of_a_long_name_is_reported_with_that_name(name: str, meant: str) -> None:
    assert [(doubt.name, doubt.text) for doubt in similar_names(Settings, {name: "x"})] == [
        (name, f"is no setting of this service; did you mean {meant}?")
    ]


@pytest.mark.parametrize(
    "name", ["PORTS", "SPORT", "ADMIN", "ADMINISTERS", "LOG", "LOG_FILE", "LOG_LEVEL", "PORT"]
)
def test_other_variables_are_ignored(name: str) -> None:
    assert list(similar_names(Settings, {name: "x"})) == []


def test_a_name_already_reported_as_an_error_is_not_reported_again() -> None:
    environ = {"REPORTS_USERS": "x", "LOG_LEVELS": "x"}
    assert [doubt.name for doubt in similar_names(Settings, environ, own_prefixes=("REPORTS_",))] == [
        "LOG_LEVELS"
    ]


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("", "", 0),
        ("ab", "ba", 1),
        ("abc", "ab", 1),
        ("abc", "adc", 1),
        ("ca", "abc", 3),
        ("abcd", "badc", 2),
    ],
)
def test_edits_are_counted_by_alignment(one: str, other: str, distance: int) -> None:
    assert edits(one, other, most=9) == edits(other, one, most=9) == distance


LETTERS = st.text("abc", max_size=6)


@given(LETTERS, LETTERS, LETTERS)
def test_the_edit_distance_is_zero_only_for_equal_texts(one: str, other: str, end: str) -> None:
    found = edits(one, other, most=9)
    assert (found == 0) is (one == other)
    assert found <= max(len(one), len(other))
    assert edits(one + end, other + end, most=9) <= found


def certificate(folder: Path) -> Path:
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "authority")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    file = folder / "ca.pem"
    file.write_bytes(made.public_bytes(Encoding.PEM))
    return file


def test_a_file_of_authorities_must_hold_certificates(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.pem"
    nothing.write_text("-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n", encoding="utf-8")
    empty = tmp_path / "empty.pem"
    empty.touch()
    for file, words in (
        (nothing, "holds no certificate"),
        (empty, "holds no certificate"),
        (tmp_path, "there is no"),
    ):
        (problem,) = authority_problems("CA_FILE", file)
        assert problem.name == "CA_FILE"
        assert words in problem.text
    assert list(authority_problems("CA_FILE", certificate(tmp_path))) == []
    assert list(authority_problems("CA_FILE", None)) == []


@pytest.mark.parametrize(
    ("text", "mode", "told"),
    [
        ("REPORTS_PASSWORD=x\n", 0o644, True),
        ("REPORTS_PASSWORD=x\n", 0o640, False),
        ("REPORTS_PASSWORD=\nPORT=1\n", 0o644, False),
    ],
)
def test_a_world_readable_file_with_a_secret_is_reported(
    tmp_path: Path, text: str, mode: int, *, told: bool
) -> None:
    file = tmp_path / "settings.env"
    environ = {"CONFIG_FILE": str(file)}
    assert open_secrets(Settings, environ) is None, "there is none"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    assert open_secrets(Settings, environ) == (file if told else None)
