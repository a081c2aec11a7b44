"""Links between our pages lead somewhere."""

import re
import subprocess
from pathlib import Path

from tools.packages import ROOT

PAGES = subprocess.run(
    ["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, text=True
).stdout.split()


HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


def prose(page: str) -> str:
    return re.sub(r"```.*?```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


def anchor(heading: str) -> str:
    """Return what a link says after its `#` for this heading, as GitHub makes it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip().lower().replace("`", ""))
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def test_every_link_leads_to_an_existing_file_and_heading() -> None:
    anchors = {
        (ROOT / page).resolve(): {
            anchor(each) for each in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
        }
        for page in PAGES
    }
    links = [(page, link) for page in PAGES for link in re.findall(r"\]\(([^)\s]+)\)", prose(page))]
    own = [(page, link) for page, link in links if not re.match(r"[a-z]+:", link)]
    assert len(own) > 100

    def leads_nowhere(page: str, link: str) -> bool:
        path, _, heading = link.partition("#")
        target = (Path(ROOT / page).parent / path if path else ROOT / page).resolve()
        return not target.exists() or (bool(heading) and heading not in anchors.get(target, {heading}))

    assert [each for each in own if leads_nowhere(*each)] == []


def test_the_pages_about_the_code_name_only_paths_that_exist() -> None:
    """A path may begin at the root, in a package, or in a room of one. A module needs no `.py`."""
    files = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split()
    existing = {
        f"/{parent}"
        for file in files
        for parent in (file, file.removesuffix(".py"), *map(str, Path(file).parents))
    }
    named = {
        (page, path.rstrip("/"))
        for page in ("CONTRIBUTING.md", "docs/architecture.md")
        for path in re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", prose(page))
    }
    assert len(named) > 10
    assert not [
        (page, path)
        for page, path in sorted(named)
        if not any(each.endswith(f"/{path}") for each in existing)
    ]
