"""The modules and tests of `make mutants` exist, and tools/mutants.toml is about these modules."""

import tomllib

import pytest
from tools.mutants import KNOWN, Mutant, delicate, is_explained, known_lines, row
from tools.packages import ROOT

MODULES = {module: package for package, module in delicate()}


@pytest.mark.parametrize("module", MODULES)
def test_every_delicate_module_exists(module: str) -> None:
    assert (ROOT / MODULES[module] / "src" / f"{module.replace('.', '/')}.py").is_file()


def test_known_mutants_are_in_delicate_modules_and_have_a_reason() -> None:
    known = tomllib.loads(KNOWN.read_text("utf-8"))["mutant"]
    assert [each["module"] for each in known if each["module"] not in MODULES] == []
    assert all(each["lines"] and each["reason"] for each in known)


@pytest.mark.parametrize("package", sorted(set(MODULES.values())))
def test_the_tests_of_delicate_modules_exist(package: str) -> None:
    settings = tomllib.loads((ROOT / package / "pyproject.toml").read_text("utf-8"))["tool"]["mutmut"]
    tests = settings["pytest_add_cli_args_test_selection"]
    assert [each for each in tests if not (ROOT / package / each).exists()] == []


def test_a_mutant_is_explained_if_all_its_lines_are_known() -> None:
    known = {"- a = 1", "+ a = None"}
    assert is_explained(["- a = 1", "+ a = None"], known)
    assert not is_explained(["- a = 1", "+ a = 2"], known)
    assert all(line[:1] in "-+" for line in known_lines())


def test_the_mutation_row_counts_kills_by_tests_types_and_timeouts() -> None:
    codes = (1, 3, 37, 36, 0, 33, None)
    mutants = [Mutant("libs/a", f"a.b.x_c__mutmut_{number}", code) for number, code in enumerate(codes)]
    assert mutants[0].module == "a.b"
    assert row("a.b", mutants) == "| `a.b` | 7 | 4 | 1 | 57.1 % |"
