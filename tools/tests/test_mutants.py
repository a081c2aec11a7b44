"""What `make mutants` changes and what it runs is there, and docs/mutants.md tells of each module."""

import tomllib

import pytest
from tools.mutants import PAGE, Mutant, delicate, is_explained, row
from tools.packages import ROOT

MODULES = {module: package for package, module in delicate()}


@pytest.mark.parametrize("module", MODULES)
def test_a_delicate_module_is_there_and_has_its_row_on_the_page(module: str) -> None:
    assert (ROOT / MODULES[module] / "src" / f"{module.replace('.', '/')}.py").is_file()
    assert f"| `{module}` |" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("package", sorted(set(MODULES.values())))
def test_the_tests_of_delicate_modules_are_there(package: str) -> None:
    settings = tomllib.loads((ROOT / package / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    tests = settings["pytest_add_cli_args_test_selection"]
    assert [each for each in tests if not (ROOT / package / each).exists()] == []


def test_a_change_is_explained_where_the_page_shows_both_of_its_sides() -> None:
    page = "`- a = 1` → `+ a = None`: nobody reads it.\n"
    assert is_explained(["- a = 1", "+ a = None"], page)
    assert not is_explained(["- a = 1", "+ a = 2"], page)
    assert not is_explained(["- a = 1", "+ a"], page)


def test_the_row_counts_what_tests_types_and_time_noticed() -> None:
    codes = (1, 3, 37, 36, 0, 33, None)
    mutants = [Mutant("libs/a", f"a.b.x_c__mutmut_{number}", code) for number, code in enumerate(codes)]
    assert mutants[0].module == "a.b"
    assert row("a.b", mutants) == "| `a.b` | 7 | 4 | 1 | 57.1 % |"
