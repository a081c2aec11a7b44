"""Make a release: check, set the version, date the changelog, commit and tag.

Run as: python -m tools.release VERSION [--today YYYY-MM-DD]

The version stands in `VERSION`, from which the packages take theirs. Two places repeat it, held by
tests: the images' tag in `deploy/.env`, and the APIs' descriptions in `docs/api/`. Nothing is pushed;
the tag, once it is, makes CI build and publish the images.
"""

import argparse
import datetime as dt
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from tools.packages import ROOT

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_UNRELEASED = "## [Unreleased]\n"


class NotReleasable(Exception):  # noqa: N818 - it is a verdict
    """Why there can be no release; the text is for people."""


def check_version(new: str, old: str) -> None:
    """Check that a version is one, and later than the last.

    Raises:
        NotReleasable: It is not.
    """
    if not _VERSION.fullmatch(new):
        raise NotReleasable(f"{new!r} is no version: three numbers with dots are, such as 1.4.0")
    if _numbers(new) <= _numbers(old):
        raise NotReleasable(f"{new} is not later than {old}, which VERSION has")


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def date_changelog(text: str, version: str, today: dt.date) -> str:
    """Return the changelog with what was unreleased under the version and its date.

    Raises:
        NotReleasable: There is nothing unreleased.
    """
    before, found, rest = text.partition(_UNRELEASED)
    unreleased = re.split(r"^## \[", rest, maxsplit=1, flags=re.MULTILINE)[0]
    if not found or "- " not in unreleased:
        raise NotReleasable("CHANGELOG.md has nothing under [Unreleased]")
    return f"{before}{_UNRELEASED}\n## [{version}] - {today.isoformat()}\n{rest}"


def set_image_tag(text: str, version: str) -> str:
    """Return `deploy/.env` with the version as the images' tag."""
    return re.sub(r"^IMAGE_TAG=.*$", f"IMAGE_TAG={version}", text, flags=re.MULTILINE)


def set_api_version(text: str, old: str, new: str) -> str:
    """Return an API's description with the new version in its `info`."""
    return text.replace(f'"version": "{old}"', f'"version": "{new}"', 1)


def git(*arguments: str) -> str:
    """Run git in the repository and return what it printed."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def check_repository(version: str) -> None:
    """Check that what will be tagged is what is committed, and that the tag is new.

    Raises:
        NotReleasable: Something is uncommitted, or there is such a tag.
    """
    if git("status", "--porcelain"):
        raise NotReleasable("there are uncommitted changes")
    if git("tag", "--list", f"v{version}"):
        raise NotReleasable(f"there is a tag v{version} already; a release is never made twice")


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Change a file's text."""
    path.write_text(change(path.read_text("utf-8")), "utf-8")


def main() -> int:
    """Make the release; return 0, or 1 with the reason on standard error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version")
    parser.add_argument("--today", type=dt.date.fromisoformat, default=dt.date.today())  # noqa: DTZ011
    options = parser.parse_args()
    version: str = options.version
    old = (ROOT / "VERSION").read_text("utf-8").strip()
    try:
        check_version(version, old)
        check_repository(version)
        rewrite(ROOT / "CHANGELOG.md", lambda text: date_changelog(text, version, options.today))
    except NotReleasable as error:
        sys.stderr.write(f"no release: {error}\n")
        return 1
    rewrite(ROOT / "VERSION", lambda _: f"{version}\n")
    rewrite(ROOT / "deploy" / ".env", lambda text: set_image_tag(text, version))
    for document in (ROOT / "docs" / "api").glob("*.json"):
        rewrite(document, lambda text: set_api_version(text, old, version))
    git("commit", "--all", "--message", f"Release {version}")
    git("tag", "--annotate", f"v{version}", "--message", f"Release {version}")
    print(f"v{version} is tagged here. Push it with: git push origin main v{version}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
