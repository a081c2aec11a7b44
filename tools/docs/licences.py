"""Table of NOTICE.md: the packages in our images, under the licences that they declare."""

import re
from collections.abc import Iterator, Mapping
from importlib.metadata import metadata

from tools.docs.part import Part, table
from tools.locks import SERVICE_LOCKS
from tools.packages import ROOT

SPELLINGS: Mapping[str, str] = {
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
"""Short name of each licence that packages spell out."""

NOT_INSTALLED: Mapping[str, str] = {"brotlicffi": "MIT"}
"""Packages that a lock pins for another Python implementation only, with their licences."""


def shipped() -> set[str]:
    """Return every package that a lock of an image pins."""
    texts = [(ROOT / "requirements" / lock).read_text("utf-8") for lock in SERVICE_LOCKS]
    return {name for text in texts for name in re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)}


def licence_of(package: str) -> str:
    """Return the licence that a package declares, in any of the possible fields."""
    if package in NOT_INSTALLED:
        return NOT_INSTALLED[package]
    about = metadata(package)
    if "License-Expression" in about:
        return " OR ".join(sorted(about["License-Expression"].split(" OR ")))
    # Some packages put the whole text into the field.
    short = [text for text in about.get_all("License") or [] if len(text) < 40]
    named = [
        text.split(" :: ")[-1] for text in about.get_all("Classifier") or [] if text.startswith("License")
    ]
    return " OR ".join(sorted({SPELLINGS.get(text, text) for text in (*short, *named)}))


def licences_table() -> str:
    """Return the table of licences, those of the most packages first."""
    return table(("Licence", "Packages"), rows({package: licence_of(package) for package in shipped()}))


def rows(licences: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a row for each licence of some packages."""
    packages: dict[str, list[str]] = {}
    for package, licence in sorted(licences.items()):
        packages.setdefault(licence, []).append(f"`{package}`")
    for licence, names in sorted(packages.items(), key=lambda each: (-len(each[1]), each[0])):
        yield licence, ", ".join(names)


PARTS = (Part("NOTICE.md", licences_table, markers="licences"),)
