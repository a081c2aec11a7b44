"""A release: which version may follow, the dated changelog, and the one version everywhere."""

import datetime as dt
import re

import pytest
from tools.packages import ROOT, package_folders
from tools.release import (
    NotReleasable,
    check_version,
    date_changelog,
    next_version,
    set_api_version,
    set_image_tag,
    set_stated_version,
)

DAY = dt.date(2026, 3, 4)
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### erpsim\n\n- New.\n\n## [1.0.0] - 2026-01-01\n\n- Old.\n"


@pytest.mark.parametrize("new", ["1.2.4", "1.3.0", "2.0.0", "1.10.0"])
def test_a_later_version_may_be_released(new: str) -> None:
    check_version(new, "1.2.3", CHANGELOG)


def test_the_current_version_may_be_released_once() -> None:
    check_version("0.1.0", "0.1.0", CHANGELOG)
    with pytest.raises(NotReleasable, match="not later than"):
        check_version("1.0.0", "1.0.0", CHANGELOG)
    assert (next_version("0.1.0", CHANGELOG), next_version("1.0.0", CHANGELOG)) == ("0.1.0", "1.1.0")


@pytest.mark.parametrize("new", ["1.2.3", "1.2.2", "0.9.9", "1.2", "v1.3.0", "1.3.0-rc1", "01.3.0", ""])
def test_an_invalid_or_lower_version_is_refused(new: str) -> None:
    with pytest.raises(NotReleasable):
        check_version(new, "1.2.3", CHANGELOG + "\n## [1.2.3] - 2026-01-02\n")


def test_unreleased_changes_get_version_and_date() -> None:
    assert date_changelog(CHANGELOG, "1.1.0", DAY) == CHANGELOG.replace(
        "## [Unreleased]\n", "## [Unreleased]\n\n## [1.1.0] - 2026-03-04\n"
    )


@pytest.mark.parametrize("text", ["# Changelog\n", CHANGELOG.replace("### erpsim\n\n- New.\n\n", "")])
def test_a_release_requires_unreleased_changes(text: str) -> None:
    with pytest.raises(NotReleasable):
        date_changelog(text, "1.1.0", DAY)


def test_the_images_tag_follows_the_version() -> None:
    assert set_image_tag("A=1\nIMAGE_TAG=0.1.0\nB=2\n", "1.1.0") == "A=1\nIMAGE_TAG=1.1.0\nB=2\n"


def test_the_api_version_is_also_replaced_in_examples() -> None:
    before = '{"info": {"version": "1.0.0"}, "example": {"version": "1.0.0"}}'
    assert set_api_version(before, "1.0.0", "1.1.0") == before.replace("1.0.0", "1.1.0")


def deployed() -> dict[str, str]:
    lines = (ROOT / "deploy" / ".env").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_every_package_uses_the_single_version() -> None:
    version = (ROOT / "VERSION").read_text("utf-8").strip()
    assert deployed()["IMAGE_TAG"] == version
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"\n| Version | {version}" in readme
    assert set_stated_version(readme, "9.8.7").count("| Version | 9.8.7") == 1
    for folder in package_folders():
        project = (ROOT / folder / "pyproject.toml").read_text("utf-8")
        assert 'dynamic = ["version"]' in project, folder
        assert 'path = "../../VERSION"' in project, folder


def test_dockerfiles_build_on_the_images_that_compose_names() -> None:
    for path in ROOT.glob("*/*/Dockerfile"):
        text = path.read_text("utf-8")
        assert re.findall(r"^ARG PYTHON_IMAGE=(.*)$", text, re.MULTILINE) == [deployed()["PYTHON_IMAGE"]]
        assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) == {"${PYTHON_IMAGE}"}


def test_every_image_is_named_by_an_exact_version() -> None:
    numbers = {"PYTHON_IMAGE": 3, "NGINX_IMAGE": 3, "POSTGRES_IMAGE": 2}
    assert {name for name in deployed() if name.endswith("_IMAGE")} == set(numbers)
    for name, count in numbers.items():
        version = r"\.".join([r"\d+"] * count)
        assert re.fullmatch(rf"[a-z]+:{version}-[a-z0-9-]+", deployed()[name])
