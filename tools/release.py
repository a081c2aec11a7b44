"""Make a release: check, set the version, date the changelog, commit and tag.

Run as: python -m tools.release [VERSION] [--dry-run] [--today YYYY-MM-DD]

The packages read their version from `VERSION`. Three places repeat it, which tests compare: the images' tag
in `deploy/.env`, the API descriptions in `docs/api/`, and the README. The tool pushes nothing. When you push
the tag, CI builds and publishes the images. `--dry-run` makes the release in a temporary clone, builds the
packages there, and checks the version everywhere.
"""

import argparse
import datetime as dt
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tools.docs.api import SERVICES
from tools.packages import ROOT, package_folders

_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
_UNRELEASED = "## [Unreleased]\n"


class NotReleasable(Exception):  # noqa: N818 - it is a verdict
    """There can be no release; the message has the reason."""


def check_version(new: str, old: str, changelog: str) -> None:
    """Check that a version is valid and later than the last one. The first release has the version in
    VERSION.

    Raises:
        NotReleasable: it is not.
    """
    if not _VERSION.fullmatch(new):
        raise NotReleasable(f"{new!r} is no version: three numbers with dots are, such as 1.4.0")
    if new == old and not is_released(old, changelog):
        return
    if _numbers(new) <= _numbers(old):
        raise NotReleasable(f"{new} is not later than {old}, which VERSION has")


def is_released(version: str, changelog: str) -> bool:
    """Return whether the changelog has a heading for a version."""
    return f"\n## [{version}]" in changelog


def next_version(old: str, changelog: str) -> str:
    """Return the version in VERSION if it was not released yet, else the next minor one."""
    major, minor, _ = _numbers(old)
    return f"{major}.{minor + 1}.0" if is_released(old, changelog) else old


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def unreleased(text: str) -> bool:
    """Return whether the changelog has unreleased entries."""
    _, _, rest = text.partition(_UNRELEASED)
    return "- " in re.split(r"^## \[", rest, maxsplit=1, flags=re.MULTILINE)[0]


def date_changelog(text: str, version: str, today: dt.date) -> str:
    """Return the changelog with the unreleased entries under the version and its date.

    Raises:
        NotReleasable: there are no unreleased entries.
    """
    if not unreleased(text):
        raise NotReleasable("CHANGELOG.md has nothing under [Unreleased]")
    before, _, rest = text.partition(_UNRELEASED)
    return f"{before}{_UNRELEASED}\n## [{version}] - {today.isoformat()}\n{rest}"


def set_image_tag(text: str, version: str) -> str:
    """Return `deploy/.env` with the version as the images' tag."""
    return re.sub(r"^IMAGE_TAG=.*$", f"IMAGE_TAG={version}", text, flags=re.MULTILINE)


def set_stated_version(text: str, version: str) -> str:
    """Return the README with the version in its table of the status."""
    return re.sub(r"^(\| Version \| )\d+\.\d+\.\d+", rf"\g<1>{version}", text, flags=re.MULTILINE)


def set_api_version(text: str, old: str, new: str) -> str:
    """Return an API's description with the new version in its `info` and its examples."""
    return text.replace(f'"version": "{old}"', f'"version": "{new}"')


def git(root: Path, *arguments: str) -> str:
    """Run git in a repository; return its output."""
    return run(root, ["git", *arguments])


def run(folder: Path, command: Sequence[str | Path], **environ: str) -> str:
    """Run a command in a folder; return its output.

    Raises:
        NotReleasable: it failed.
    """
    done = subprocess.run(
        command, cwd=folder, check=False, capture_output=True, text=True, env={**os.environ, **environ}
    )
    if done.returncode:
        output = (done.stdout + done.stderr).strip()
        raise NotReleasable(f"{' '.join(map(str, command))} failed: {output[-2000:]}")
    return done.stdout.strip()


def check_repository(root: Path, version: str) -> None:
    """Check that everything is committed and the tag is new.

    Raises:
        NotReleasable: something is uncommitted, or the tag exists.
    """
    if git(root, "status", "--porcelain"):
        raise NotReleasable("there are uncommitted changes")
    if git(root, "tag", "--list", f"v{version}"):
        raise NotReleasable(f"there is a tag v{version} already; a release is never made twice")


def rewrite(path: Path, change: Callable[[str], str]) -> None:
    """Change a file's text."""
    path.write_text(change(path.read_text("utf-8")), "utf-8")


def make_release(root: Path, version: str, today: dt.date) -> None:
    """Check, write the version everywhere, commit and tag.

    Raises:
        NotReleasable: the release is not possible.
    """
    old = (root / "VERSION").read_text("utf-8").strip()
    check_version(version, old, (root / "CHANGELOG.md").read_text("utf-8"))
    check_repository(root, version)
    rewrite(root / "CHANGELOG.md", lambda text: date_changelog(text, version, today))
    rewrite(root / "VERSION", lambda _: f"{version}\n")
    rewrite(root / "README.md", lambda text: set_stated_version(text, version))
    rewrite(root / "deploy" / ".env", lambda text: set_image_tag(text, version))
    for document in (root / "docs" / "api").glob("*.json"):
        rewrite(document, lambda text: set_api_version(text, old, version))
    git(root, "commit", "--all", "--message", f"Release {version}")
    git(root, "tag", "--annotate", f"v{version}", "--message", f"Release {version}")


def try_release(version: str, today: dt.date, folder: Path) -> None:
    """Make the release in a clone, and print each place with its version.

    Raises:
        NotReleasable: a place has another version.
    """
    clone, packages = folder / "clone", folder / "packages"
    git(ROOT, "clone", "--quiet", f"file://{ROOT}", str(clone))
    git(clone, "config", "user.name", "release")
    git(clone, "config", "user.email", "release@localhost")
    make_release(clone, version, today)
    print(f"ok commit and tag: {git(clone, 'describe', '--tags', '--exact-match', '--dirty')}", flush=True)
    output = run(clone, ["env", "-u", "IMAGE_TAG", "make", "--dry-run", "images"])
    demand(f"with the tag {version}" in output, f"make images does not take the tag {version}")
    print(f"ok images: erp-gateway:{version}, supplier-returns:{version}", flush=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    build = ["--no-deps", "--no-index", "--no-build-isolation"]
    own = [f"./{each}" for each in package_folders()]
    run(clone, [*pip, "install", *build, "--target", packages, *own])
    built = {each.name for each in packages.glob("*.dist-info")}
    for each in package_folders():
        name = f"{Path(each).name.replace('-', '_')}-{version}.dist-info"
        demand(name in built, f"{each} is not {version}: {sorted(built)}")
    print(f"ok packages: {', '.join(sorted(built))}", flush=True)
    for service in SERVICES:
        module = service.replace("-", "_")
        printed = run(clone, [sys.executable, "-m", module, "openapi"], PYTHONPATH=str(packages))
        committed = (clone / "docs" / "api" / f"{service}.json").read_text("utf-8").strip()
        demand(printed == committed, f"docs/api/{service}.json is not what {service} {version} prints")
    print("ok descriptions of the APIs", flush=True)


def demand(holds: bool, what: str) -> None:
    """Raise an error with the text unless the condition is true."""
    if not holds:
        raise NotReleasable(what)


def main() -> int:
    """Make the release; return 0, or 1 with the reason on standard error."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version", nargs="?", default="")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--today", type=dt.date.fromisoformat, default=dt.date.today())  # noqa: DTZ011
    options = parser.parse_args()
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    version: str = options.version or next_version((ROOT / "VERSION").read_text("utf-8").strip(), changelog)
    try:
        if options.dry_run and not unreleased(changelog):
            print("nothing is unreleased, so there is nothing to try")
        elif options.dry_run:
            with tempfile.TemporaryDirectory(prefix="release-") as folder:
                try_release(version, options.today, Path(folder))
            print(f"{version} can be released; nothing was changed here")
        else:
            make_release(ROOT, version, options.today)
            print(f"v{version} is tagged here. Push it with: git push origin main v{version}")
    except NotReleasable as error:
        sys.stderr.write(f"no release: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
