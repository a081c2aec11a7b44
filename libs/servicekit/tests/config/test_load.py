# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Loading: where values come from, and that every fault is told at once, secrets never."""

from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

from servicekit.config import (
    ConfigError,
    Problem,
    Secret,
    boolean,
    choice,
    csv,
    documentation,
    effective,
    group,
    http_url,
    integer,
    load,
    seconds,
    secrets_of,
    setting,
)
from servicekit.config.load import load_part


@attrs.frozen(kw_only=True)
class Web:
    """The web side.

    More words.
    """

    port: int = setting("PORT", help="Port to listen on.", parse=integer(1, 65535), default=3000)
    grace_s: float = setting("SHUTDOWN_GRACE", help="Grace.", parse=seconds(), default=70.0)
    level: str = setting("LOG_LEVEL", help="Level.", parse=choice("INFO", "DEBUG"), default="INFO")
    admins: tuple[str, ...] = setting("ADMINS", help="Administrators.", parse=csv(), default=())


@attrs.frozen(kw_only=True)
class Upstream:
    """The system behind."""

    url: str = setting("UP_URL", help="Where it is.", parse=http_url(), example="http://10.0.0.5")
    password: Secret = setting("UP_PASSWORD", help="The account's password.", secret=True)
    timeout_s: float = setting("UP_TIMEOUT", help="Timeout.", parse=seconds(1, 600), default=60.0)
    verify: bool = setting("UP_VERIFY", help="Check certificates.", parse=boolean(), default=True)

    def problems(self) -> Iterator[Problem]:
        if not self.verify and self.url.startswith("https:"):
            yield Problem("UP_VERIFY", "can't be turned off for https", "no se puede apagar con https")


@attrs.frozen(kw_only=True)
class Reports:
    """The reports."""

    url: str = setting("REPORTS_URL", help="Where they are.", parse=http_url())
    user: str = setting("REPORTS_USER", help="Who asks.", parse=choice("a", "b"))
    token: Secret | None = setting("REPORTS_TOKEN", help="A token.", secret=True, default=None)
    limit: int | None = setting("REPORTS_LIMIT", help="A limit.", parse=integer(1, 9), default=None)


@attrs.frozen(kw_only=True)
class Settings:
    """Everything."""

    web: Web = group(Web)
    upstream: Upstream = group(Upstream)
    reports: Reports | None = group(Reports, when="REPORTS_URL")

    def problems(self) -> Iterator[Problem]:
        if self.web.grace_s < self.upstream.timeout_s:
            yield Problem("SHUTDOWN_GRACE", "must be at least UP_TIMEOUT", "debe ser al menos UP_TIMEOUT")


GOOD = {"CONFIG_FILE": "", "UP_URL": "https://erp.example.com", "UP_PASSWORD": "hunter2"}
PREFIXES = ("UP_", "REPORTS_")


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def faults(environ: dict[str, str]) -> list[str]:
    with pytest.raises(ConfigError) as raised:
        load(Settings, environ, own_prefixes=PREFIXES)
    return str(raised.value).splitlines()


def test_defaults_and_environment_make_the_settings() -> None:
    settings = load(Settings, GOOD | {"PORT": " 8080 ", "ADMINS": "ana,beto"}, own_prefixes=PREFIXES)
    assert settings == Settings(
        web=Web(port=8080, admins=("ana", "beto")),
        upstream=Upstream(url="https://erp.example.com", password=Secret("hunter2")),
    )


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("\ufeffPORT=8080\nLOG_LEVEL=DEBUG\nUP_PASSWORD='f#le'\n", encoding="utf-8")
    settings = load(Settings, {"PORT": "9090", "UP_URL": "http://a"})
    assert (settings.web.port, settings.web.level) == (9090, "DEBUG")
    assert settings.upstream.password.reveal() == "f#le"


def test_an_empty_variable_counts_as_unset_and_overrides_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORT=8080\n")
    assert load(Settings, GOOD | {"PORT": ""}).web.port == 3000


def test_the_default_file_may_be_missing_but_a_named_one_may_not(tmp_path: Path) -> None:
    load(Settings, GOOD)
    assert faults(GOOD | {"CONFIG_FILE": "nowhere.env"}) == [
        "CONFIG_FILE: the file 'nowhere.env' does not exist"
    ]


def test_a_named_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "production.env"
    file.write_text("PORT=8080\n")
    assert load(Settings, GOOD | {"CONFIG_FILE": str(file)}).web.port == 8080


def test_every_fault_is_reported_at_once() -> None:
    problems = faults(
        {
            "PORT": "99999",
            "LOG_LEVEL": "LOUD",
            "UP_URL": "erp.example.com",
            "UP_TIMEOUT": "0",
            "REPORTS_URL": "http://reports",
            "REPORTS_USER": "c",
            "REPORTS_LIMIT": "x",
            "UP_PASWORD": "hunter2",
            "REPORTS_ZZZ": "1",
            "UNRELATED": "1",
        }
    )
    assert problems == [
        "PORT: '99999' is not allowed; allowed: an integer from 1 to 65535",
        "LOG_LEVEL: 'LOUD' is not allowed; allowed: one of INFO, DEBUG",
        f"UP_URL: 'erp.example.com' is not allowed; allowed: {http_url().allowed}",
        "UP_PASSWORD: is required, here or in the file that UP_PASSWORD_FILE names; allowed: a secret",
        "UP_TIMEOUT: '0' is not allowed; allowed: a number of seconds from 1 to 600",
        "REPORTS_USER: 'c' is not allowed; allowed: one of a, b",
        "REPORTS_LIMIT: 'x' is not allowed; allowed: an integer from 1 to 9",
        "REPORTS_ZZZ: is no setting of this service",
        "UP_PASWORD: is no setting of this service; did you mean UP_PASSWORD?",
    ]


def test_a_missing_required_setting_is_named() -> None:
    assert faults({"UP_PASSWORD": "x"}) == [
        "UP_URL: is required; allowed: an http:// or https:// URL without user, password, query or fragment"
    ]


def test_rules_between_fields_are_checked_within_a_group_and_across_groups() -> None:
    assert faults(GOOD | {"UP_VERIFY": "no", "SHUTDOWN_GRACE": "5"}) == [
        "UP_VERIFY: can't be turned off for https",
        "SHUTDOWN_GRACE: must be at least UP_TIMEOUT",
    ]


def test_a_long_value_is_cut_and_control_characters_are_escaped() -> None:
    (problems,) = faults(GOOD | {"PORT": "x\n" + "9" * 500})
    assert len(problems) < 200
    assert "\\n" in problems


def test_a_password_in_a_url_is_masked() -> None:
    (problems,) = faults(GOOD | {"UP_URL": "https://admin:hunter2@erp.example.com/x"})
    assert "hunter2" not in problems
    assert "https://***@erp.example.com/x" in problems


def test_an_optional_group_is_none_unless_its_switch_has_a_value() -> None:
    assert load(Settings, GOOD | {"REPORTS_URL": " "}).reports is None
    settings = load(
        Settings, GOOD | {"REPORTS_URL": "http://reports", "REPORTS_USER": "a", "REPORTS_TOKEN": "t"}
    )
    assert settings.reports == Reports(url="http://reports", user="a", token=Secret("t"))


def test_values_of_a_disabled_group_are_checked_but_not_required() -> None:
    assert load(Settings, GOOD | {"REPORTS_USER": "b"}, own_prefixes=PREFIXES).reports is None
    assert faults(GOOD | {"REPORTS_USER": "c"}) == ["REPORTS_USER: 'c' is not allowed; allowed: one of a, b"]


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("hunter2\n")
    environ = {"UP_URL": "http://a", "UP_PASSWORD_FILE": str(tmp_path / "password")}
    assert load(Settings, environ, own_prefixes=PREFIXES).upstream.password.reveal() == "hunter2"


def test_a_secret_keeps_its_blanks(tmp_path: Path) -> None:
    (tmp_path / "password").write_text(" hunter2 \r\n")
    environ = {"UP_URL": "http://a", "UP_PASSWORD_FILE": str(tmp_path / "password")}
    assert load(Settings, environ).upstream.password.reveal() == " hunter2 "
    assert load(Settings, GOOD | {"UP_PASSWORD": " a "}).upstream.password.reveal() == " a "


def test_a_secret_set_twice_is_an_error_that_shows_neither_value(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("hunter3")
    problems = faults(GOOD | {"UP_PASSWORD_FILE": str(tmp_path / "password")})
    assert problems == ["UP_PASSWORD: is set twice, here and by UP_PASSWORD_FILE; allowed: one of the two"]


def test_an_unreadable_or_empty_secret_file_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    environ = {"UP_URL": "http://a"}
    assert faults(environ | {"UP_PASSWORD_FILE": "nowhere"}) == [
        "UP_PASSWORD_FILE: the file 'nowhere' can't be read: No such file or directory"
    ]
    assert faults(environ | {"UP_PASSWORD_FILE": "empty"}) == ["UP_PASSWORD_FILE: the file 'empty' is empty"]
    assert faults(environ | {"UP_PASSWORD_FILE": "binary"}) == [
        "UP_PASSWORD_FILE: the file 'binary' can't be read: it is not UTF-8 text"
    ]


def test_a_value_that_is_not_utf_8_is_an_error_without_the_secret() -> None:
    # `os.environ` has these surrogates for the bytes of a shell or unit file in Latin-1.
    password, url = (
        text.decode("utf-8", "surrogateescape") for text in (b"contrase\xf1a", b"http://espa\xf1a")
    )
    assert faults({"UP_PASSWORD": password, "UP_URL": url}) == [
        "UP_URL: is not UTF-8 text",
        "UP_PASSWORD: is not UTF-8 text",
    ]


def test_only_secrets_have_a_file_variant() -> None:
    assert faults(GOOD | {"UP_URL_FILE": "x"}) == ["UP_URL_FILE: is no setting of this service"]


def test_a_configuration_file_that_is_no_text_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"PORT=\xff\n")
    assert faults(GOOD) == ["CONFIG_FILE: the file '.env' can't be read: it is not UTF-8 text"]


def test_a_configuration_file_that_is_a_folder_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    assert faults(GOOD) == ["CONFIG_FILE: the file '.env' can't be read: Is a directory"]


def test_an_impossible_file_path_is_an_error() -> None:
    assert faults(GOOD | {"CONFIG_FILE": "a\x00b"}) == [
        r"CONFIG_FILE: the file 'a\x00b' can't be read: there can't be such a path"
    ]


def test_faults_of_lines_and_unknown_names_are_reported(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("PORT=1\nnonsense hunter2\nLOGLEVEL=hunter2\nCONFIG_FILE=x\nzzz=hunter2\n")
    assert faults(GOOD) == [
        ".env: line 2: not of the form NAME=value",
        "CONFIG_FILE: belongs in the environment (in .env)",
        "LOGLEVEL: is no setting of this service (in .env); did you mean LOG_LEVEL?",
        "zzz: is no setting of this service (in .env)",
    ]


def test_no_fault_shows_a_planted_secret(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("UP_PASSWORD=SENTINEL-in-file\nSENTINEL\nUP_PASSWORT=SENTINEL\n")
    (tmp_path / "secret").write_text("SENTINEL in secret file")
    problems = faults(
        {"UP_PASSWORD": "SENTINEL-env", "UP_PASSWORD_FILE": str(tmp_path / "secret"), "PORT": "x"}
    )
    assert "SENTINEL" not in "\n".join(problems)
    assert len(problems) == 5


def test_the_effective_settings_mask_secrets_and_show_unset_ones_as_empty() -> None:
    settings = load(Settings, GOOD | {"UP_TIMEOUT": "12.5"})
    assert effective(settings) == [
        ("PORT", "3000"),
        ("SHUTDOWN_GRACE", "70"),
        ("LOG_LEVEL", "INFO"),
        ("ADMINS", ""),
        ("UP_URL", "https://erp.example.com"),
        ("UP_PASSWORD", "***"),
        ("UP_TIMEOUT", "12.5"),
        ("UP_VERIFY", "true"),
        ("REPORTS_URL", ""),
        ("REPORTS_USER", ""),
        ("REPORTS_TOKEN", ""),
        ("REPORTS_LIMIT", ""),
    ]


def test_the_secrets_of_the_settings_are_found_in_every_group() -> None:
    settings = load(Settings, GOOD | {"REPORTS_URL": "http://r", "REPORTS_USER": "a", "REPORTS_TOKEN": "t"})
    assert secrets_of(settings) == (Secret("hunter2"), Secret("t"))
    assert secrets_of(load(Settings, GOOD)) == (Secret("hunter2"),)


def test_the_repr_of_the_settings_shows_no_secret() -> None:
    assert "hunter2" not in repr(load(Settings, GOOD))


def test_the_documentation_has_name_help_default_and_group() -> None:
    rows = {row.name: row for row in documentation(Settings)}
    assert list(rows)[:2] == ["PORT", "SHUTDOWN_GRACE"]
    port, password, limit, url = (rows[name] for name in ("PORT", "UP_PASSWORD", "REPORTS_LIMIT", "UP_URL"))
    assert (port.help, port.allowed, port.default) == (
        "Port to listen on.",
        "an integer from 1 to 65535",
        "3000",
    )
    assert (port.required, port.secret, port.group_text) == (False, False, "The web side.\n\nMore words.")
    assert (password.required, password.secret, password.default) == (True, True, None)
    assert (limit.required, limit.default) == (False, "")
    assert url.group_text == "The system behind."
    assert (port.switch, limit.switch) == (None, "REPORTS_URL")
    assert (port.example, url.example) == ("", "http://10.0.0.5")


def test_a_class_without_docstring_is_described_by_its_name() -> None:
    bare = attrs.make_class("Bare", {"x": setting("X", help="x", parse=integer(1, 2))}, kw_only=True)
    assert documentation(bare)[0].group_text == "Bare"


def test_a_field_without_declaration_is_refused() -> None:
    @attrs.frozen
    class Wrong:
        port: int = 1

    with pytest.raises(TypeError, match=r"Wrong\.port is declared with neither"):
        load(Wrong, {})


def test_a_name_declared_twice_is_refused() -> None:
    @attrs.frozen(kw_only=True)
    class Twice:
        one: int = setting("PORT", help="", parse=integer(1, 2), default=1)
        web: Web = group(Web)

    with pytest.raises(TypeError, match="PORT is declared twice"):
        load(Twice, {})


def test_one_class_is_loaded_although_others_have_errors(tmp_path: Path) -> None:
    file = tmp_path / "settings.env"
    file.write_text("PORT=8080\nUP_URL=nonsense\nNO_SETTING=1\n", encoding="utf-8")
    environ = {"CONFIG_FILE": str(file), "UP_PASSWORD": "x", "LOG_LEVEL": "DEBUG"}
    web = load_part(Web, environ)
    assert web is not None
    assert (web.port, web.level) == (8080, "DEBUG")
    assert load_part(Upstream, environ) is None
    unverified = {"UP_URL": "https://up.example", "UP_VERIFY": "false"}
    assert load_part(Upstream, environ | unverified) is None, "its own rule is broken"
