"""The packages of the repository: folders in libs/ and services/ with a pyproject.toml."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def package_folders() -> list[str]:
    """Return the packages' folders relative to the root, libraries first, each group by name."""
    found = [*sorted(ROOT.glob("libs/*/pyproject.toml")), *sorted(ROOT.glob("services/*/pyproject.toml"))]
    return [project.parent.relative_to(ROOT).as_posix() for project in found]


def distribution_name(folder: str) -> str:
    """Return the name under which a package is installed."""
    with (ROOT / folder / "pyproject.toml").open("rb") as project:
        name: str = tomllib.load(project)["project"]["name"]
    return name
