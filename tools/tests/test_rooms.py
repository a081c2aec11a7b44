"""Structure of the code: short functions, no import cycles, tests beside the module they test."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from tools.packages import ROOT, package_folders
from tools.unit_tests import UNIT_TESTS, misnamed, subject_of

MOST_FUNCTION_LINES = 59

LONG_FUNCTIONS: Mapping[str, tuple[int, str]] = {
    "endpoints": (200, "one list of a feature's endpoints, each declared whole"),
    "open_components": (175, "the one place that constructs: opening and closing on neighbouring lines"),
}
"""Functions that may have so many lines, by the name they have in every package, and why."""

CONSOLE = ROOT / "deploy/console/modules"
CONSOLE_IMPORT = re.compile(r'(?:^(?:import|export)\b[^;=("]*|\bimport\()"([^"]+)"', re.MULTILINE)
"""Imports of a module of the console, immediate or lazy."""

ROOMED = ("libs/erpclient", "libs/erpsim", "services/erp-gateway", "services/supplier-returns")
"""Packages whose rooms state their purpose; those of `servicekit` say how they are used."""

BESIDE_MODULES = {
    "driver_packaging": "pyproject.toml",
    "main": "src/erpsim/__main__.py",
    "readme": "README.md",
}
"""Subjects of tests that no module is named after, and what they are about."""


def modules() -> Iterator[Path]:
    """Yield every module under a package's `src`."""
    for folder in package_folders():
        yield from sorted((ROOT / folder / "src").rglob("*.py"))


def console_modules() -> list[Path]:
    """Return every module of the console."""
    return sorted(CONSOLE.rglob("*.js"))


def name(path: Path) -> str:
    """Return a path as people write it."""
    return path.relative_to(ROOT).as_posix()


def function_sizes() -> dict[str, int]:
    """Return how many lines each function has, the longest of those that share a name in a module."""
    sizes: dict[str, int] = {}
    for path in modules():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                key = f"{name(path)}:{node.name}"
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                sizes[key] = max(sizes.get(key, 0), lines)
    return sizes


def allowed_functions(sizes: Mapping[str, int]) -> dict[str, tuple[int, str]]:
    """Return the exceptions of `LONG_FUNCTIONS` for the functions there are."""
    named = {key: key.rpartition(":")[2] for key in sizes}
    return {key: LONG_FUNCTIONS[each] for key, each in named.items() if each in LONG_FUNCTIONS}


def too_large(sizes: Mapping[str, int], most: int, exceptions: Mapping[str, tuple[int, str]]) -> list[str]:
    """Return a line for each that is larger than it may be."""
    allowed = {each: limit for each, (limit, _) in exceptions.items()}
    return [
        f"{each}: {size}, {size - allowed.get(each, most)} more than it may have"
        for each, size in sorted(sizes.items())
        if size > allowed.get(each, most)
    ]


def not_needed(sizes: Mapping[str, int], most: int, exceptions: Mapping[str, tuple[int, str]]) -> list[str]:
    """Return the exceptions that nothing needs any more."""
    return [each for each in exceptions if sizes.get(each, 0) <= most]


def test_no_function_exceeds_the_maximum_length() -> None:
    sizes = function_sizes()
    assert too_large(sizes, MOST_FUNCTION_LINES, allowed_functions(sizes)) == []


def test_every_exception_is_still_needed() -> None:
    longest: dict[str, int] = {}
    for key, lines in function_sizes().items():
        bare = key.rpartition(":")[2]
        longest[bare] = max(longest.get(bare, 0), lines)
    assert not_needed(longest, MOST_FUNCTION_LINES, LONG_FUNCTIONS) == []


def test_no_module_imports_its_own_room() -> None:
    # Between siblings the import contracts see a circle; one through a room's own `__init__` they do not.
    circles = []
    for path in modules():
        source = next(parent for parent in path.parents if parent.name == "src")
        own = path.relative_to(source).with_suffix("").parts
        rooms = {".".join(own[:length]) for length in range(1, len(own))}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module in rooms:
                taken = [alias.name for alias in node.names if not is_inside(source, node.module, alias.name)]
                circles += [f"{name(path)} takes {each} from {node.module}" for each in taken]
    assert circles == []


def is_inside(source: Path, room: str, taken: str) -> bool:
    """Return whether what is taken from a room is one of its modules or rooms."""
    path = source.joinpath(*room.split("."), taken)
    return path.is_dir() or path.with_suffix(".py").is_file()


def console_imports() -> dict[Path, set[Path]]:
    """Return which modules each module of the console takes, without those that others have written."""
    taken = {
        path: {(path.parent / each).resolve() for each in CONSOLE_IMPORT.findall(path.read_text("utf-8"))}
        for path in console_modules()
    }
    return {path: {each for each in others if CONSOLE in each.parents} for path, others in taken.items()}


def test_the_console_modules_have_no_import_cycle() -> None:
    # Its first page names the circle: CycleError says who takes whom.
    TopologicalSorter(console_imports()).prepare()


def test_every_console_module_is_imported_and_exists() -> None:
    taken = console_imports()
    assert set().union(*taken.values()) | {CONSOLE / "main.js"} == set(taken)


# --- docstrings of rooms, and the place of tests


def rooms() -> list[Path]:
    """Return the folders of code below the roots of the packages whose rooms data passes through."""
    return [
        path.parent
        for folder in ROOMED
        for path in sorted((ROOT / folder / "src").rglob("__init__.py"))
        if path.parents[1] != ROOT / folder / "src"
    ]


@pytest.mark.parametrize("room", rooms(), ids=name)
def test_a_room_states_its_purpose_in_one_sentence(room: Path) -> None:
    text = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8"))) or ""
    first, _, more = text.partition("\n")
    assert re.fullmatch(r"(?!In: )[A-Z].+\.", first)
    assert not more or more.startswith("\n")


@pytest.mark.parametrize(("tests", "source"), UNIT_TESTS.items(), ids=UNIT_TESTS)
def test_unit_tests_mirror_the_path_of_their_module(tests: str, source: str) -> None:
    lost = []
    for path in sorted((ROOT / tests).rglob("test_*.py")):
        room = ROOT / source / path.parent.relative_to(ROOT / tests)
        beside = BESIDE_MODULES.get(path.stem.removeprefix("test_"))
        if subject_of(path, room) is None and not (beside and exists(tests, beside)):
            lost.append(name(path))
    assert lost == []


@pytest.mark.parametrize(("tests", "source"), UNIT_TESTS.items(), ids=UNIT_TESTS)
def test_a_unit_test_imports_the_module_in_its_name(tests: str, source: str) -> None:
    assert misnamed(tests, source) == []


def exists(tests: str, beside: str) -> bool:
    """Return whether a path is in a package's folder, or in the project's."""
    return (ROOT / "/".join(tests.split("/")[:2]) / beside).is_file() or (ROOT / beside).is_file()
