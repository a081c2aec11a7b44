"""What the images hold of others is listed in NOTICE.md under the licence that each package says it has."""

import re
from importlib.metadata import metadata

import pytest
from tools.locks import SERVICE_LOCKS
from tools.packages import ROOT

SPELLINGS = {
    "Apache 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.0-or-later",
    "MIT License": "MIT",
    "Mozilla Public License 1.1 (MPL 1.1)": "MPL-1.1",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Other/Proprietary License": "SAP's own",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "SAP DEVELOPER LICENSE AGREEMENT": "SAP's own",
}
"""How packages write a licence that has a shorter name."""

NOT_HERE = {"brotlicffi"}
"""In a lock for another kind of Python alone; its licence is as its project says it."""


def shipped() -> set[str]:
    """Return every package that a lock of an image pins."""
    texts = [(ROOT / "requirements" / lock).read_text("utf-8") for lock in SERVICE_LOCKS]
    return {name for text in texts for name in re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)}


def listed() -> dict[str, str]:
    """Return the packages of the list with their licences."""
    rows = re.findall(r"^\| ([^|]+) \| (`[^|]+`) \|$", (ROOT / "NOTICE.md").read_text("utf-8"), re.MULTILINE)
    return {package: licence for licence, packages in rows for package in re.findall(r"`([^`]+)`", packages)}


def told_by(package: str) -> str:
    """Return what an installed package says of its licence, wherever it does."""
    about = metadata(package)
    if "License-Expression" in about:
        return " OR ".join(sorted(about["License-Expression"].split(" OR ")))
    short = [text for text in about.get_all("License") or [] if len(text) < 40]
    named = [
        text.split(" :: ")[-1] for text in about.get_all("Classifier") or [] if text.startswith("License")
    ]
    return " OR ".join(sorted({SPELLINGS.get(text, text) for text in (*short, *named)}))


def test_everything_that_is_shipped_is_listed_and_nothing_else() -> None:
    assert set(listed()) == shipped()


@pytest.mark.parametrize("package", sorted(shipped() - NOT_HERE))
def test_a_package_is_under_the_licence_that_is_listed(package: str) -> None:
    assert listed()[package] == told_by(package)
