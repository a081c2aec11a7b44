# ruff: noqa: RUF009 - setting() and group() only declare fields, as attrs.field does
"""Warnings about unsafe settings and about values that a # cuts."""

from collections.abc import Iterator
from ipaddress import ip_network
from pathlib import Path

import attrs
import pytest
from structlog.testing import capture_logs

from servicekit.config import Secret, find_warnings, group, load, log_warnings, setting, text
from servicekit.config.problems import Problem
from servicekit.config.warnings import trusts_everybody
from servicekit.service_settings import Listening


@attrs.frozen(kw_only=True)
class Module:
    """A module that may be off."""

    url: str = setting("MODULE_URL", help="Where.", parse=text())

    def warnings(self) -> Iterator[Problem]:
        """Yield what is unsafe."""
        yield Problem("MODULE_URL", "is on", "está activo")


@attrs.frozen(kw_only=True)
class Settings:
    """A whole configuration."""

    web: Listening = group(Listening)
    module: Module | None = group(Module, when="MODULE_URL")
    name: str = setting("NAME", help="Name.", parse=text(), default="")
    password: Secret | None = setting("PASSWORD", help="Password.", secret=True, default=None)


def warnings(tmp_path: Path, content: str = "", **environ: str) -> dict[str, str]:
    file = tmp_path / "config.env"
    file.write_text(content, encoding="utf-8")
    given = {"CONFIG_FILE": str(file), **environ}
    return {each.name: each.text for each in find_warnings(load(Settings, given), given)}


@pytest.mark.parametrize(
    "networks",
    [
        "0.0.0.0/0",
        "::/0",
        "10.0.0.1,0.0.0.0/0",
        "0.0.0.0/1,128.0.0.0/1",
        "0.0.0.0/2,64.0.0.0/2,128.0.0.0/2,192.0.0.0/2",
        "0.0.0.0/1",
        "::/1",
        "2000::/3",
        "2000::/4,3000::/4",
        "10.0.0.0/8,::/1,8000::/1",
    ],
)
def test_proxies_that_cover_every_address_are_warned_of(tmp_path: Path, networks: str) -> None:
    assert list(warnings(tmp_path, TRUSTED_PROXIES=networks)) == ["TRUSTED_PROXIES"]


@pytest.mark.parametrize(
    "networks", ["", "10.0.0.0/8", "127.0.0.1,::1", "172.31.250.0/24", "fd00::/8", "11.0.0.0/8"]
)
def test_limited_proxy_networks_cause_no_warning(tmp_path: Path, networks: str) -> None:
    assert warnings(tmp_path, TRUSTED_PROXIES=networks) == {}


def test_a_repeated_network_counts_once() -> None:
    assert not trusts_everybody([ip_network("0.0.0.0/2"), ip_network("0.0.0.0/2"), ip_network("0.0.0.0/3")])


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("PASSWORD=ab #cd", "PASSWORD"),
        ("PASSWORD=ab\t# cd", "PASSWORD"),
        ("export PASSWORD = ab #cd", "PASSWORD"),
        ("PASSWORD=#cd", "PASSWORD"),
        ("NAME=a # b", "NAME"),
    ],
)
def test_a_value_that_a_number_sign_cuts_is_named_without_the_value(
    tmp_path: Path, line: str, name: str
) -> None:
    found = warnings(tmp_path, line + "\n")
    assert found == {name: "its value ends before the #; quote it if that belongs to the value"}
    assert "cd" not in repr(found)


@pytest.mark.parametrize(
    "line",
    [
        "PASSWORD=ab#cd",
        "PASSWORD='ab #cd'",
        'PASSWORD="ab #cd"',
        "PASSWORD='ab' # a comment",
        "# PASSWORD=a #b",
        "NAME= # none",
        "",
    ],
)
def test_a_value_without_an_unquoted_comment_causes_no_warning(tmp_path: Path, line: str) -> None:
    assert warnings(tmp_path, line + "\n") == {}


def test_an_environment_value_overrides_a_file_value_with_comment(tmp_path: Path) -> None:
    assert warnings(tmp_path, "NAME=a # b\n", NAME="c") == {}


def test_enabled_groups_are_checked_and_each_warning_is_logged(tmp_path: Path) -> None:
    assert warnings(tmp_path, MODULE_URL="x") == {"MODULE_URL": "is on"}
    with capture_logs() as logs:
        log_warnings([Problem("MODULE_URL", "is on", "está activo")])
    assert logs == [
        {"event": "unsafe_setting", "log_level": "warning", "setting": "MODULE_URL", "reason": "is on"}
    ]
