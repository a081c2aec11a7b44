"""The import contracts of pyproject.toml match modules that exist."""

import tomllib
from collections.abc import Iterator
from typing import Any

import grimp
import pytest
from tools.packages import ROOT

LINTER: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
CONTRACTS: list[dict[str, Any]] = LINTER["contracts"]
EXPRESSIONS = ("ancestors", "containers", "forbidden_modules", "modules", "source_modules")


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph(*LINTER["root_packages"])


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract["name"])
def test_a_contract_names_modules_that_exist(contract: dict[str, Any], graph: grimp.ImportGraph) -> None:
    # import-linter accepts a wildcard that matches nothing.
    ours = [each for each in expressions(contract) if each.split(".")[0] in LINTER["root_packages"]]
    unmatched = [each for each in ours if not graph.find_matching_modules(each)]
    assert unmatched == []


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract["name"])
def test_a_contract_reports_stale_exceptions_and_missing_layers(contract: dict[str, Any]) -> None:
    assert contract.get("unmatched_ignore_imports_alerting", "error") == "error"
    optional = [layer for layer in contract.get("layers", ()) if "(" in layer]
    assert optional == []


def expressions(contract: dict[str, Any]) -> Iterator[str]:
    """Yield the modules that a contract is about."""
    for name in EXPRESSIONS:
        yield from contract.get(name, ())
