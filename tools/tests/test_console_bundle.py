"""The console's bundle: it is built from the sources that are here, and its page names what is there."""

import re
from pathlib import Path

from tools import console_bundle

PAGE = console_bundle.BUNDLE / "index.html"


def test_the_committed_bundle_matches_its_sources() -> None:
    result = console_bundle.DIGEST.read_text("utf-8").strip()
    assert result == console_bundle.sources_digest(), console_bundle.REMEDY


def test_the_bundle_sources_are_the_served_files_and_the_build_script() -> None:
    paths = list(console_bundle.source_files())
    assert {"index.html", "start.js", "main.js", "tokens.css", "preact.mjs", "build.js"} <= {
        each.name for each in paths
    }
    assert not any(console_bundle.BUNDLE in each.parents for each in paths)


def test_a_digest_follows_contents_and_names(tmp_path: Path) -> None:
    one, other = tmp_path / "a.js", tmp_path / "b.js"
    one.write_bytes(b"1")
    other.write_bytes(b"1")
    digests = {console_bundle.digest_of([one], tmp_path), console_bundle.digest_of([other], tmp_path)}
    one.write_bytes(b"2")
    digests.add(console_bundle.digest_of([one], tmp_path))
    assert len(digests) == 3


def test_the_page_and_its_modules_name_existing_files() -> None:
    named = set(re.findall(r"assets/[\w.-]+", PAGE.read_text("utf-8")))
    scripts = (console_bundle.BUNDLE / "assets").glob("*.js")
    named |= {
        f"assets/{each}"
        for path in scripts
        for each in re.findall(r"\./([\w-]+\.js)", path.read_text("utf-8"))
    }
    there = {f"assets/{path.name}" for path in (console_bundle.BUNDLE / "assets").iterdir()}
    assert named == there


def test_every_asset_has_a_digest_in_its_name() -> None:
    for path in (console_bundle.BUNDLE / "assets").iterdir():
        assert re.fullmatch(r"[a-z]+-\w{8,10}\.(js|css|svg)", path.name), path.name


def test_folders_differ_by_content_and_by_names(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        (folder / "inside").mkdir(parents=True)
        (folder / "inside/same.js").write_bytes(b"1")
    assert console_bundle.differences(one, other) == []
    (one / "only.js").write_bytes(b"1")
    (other / "inside/same.js").write_bytes(b"2")
    assert console_bundle.differences(one, other) == ["inside/same.js", "only.js"]
