"""docs/examples/typescript: what `make clients` installs and runs."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tools.clients import COMMANDS, DOCUMENTS, PROJECT
from tools.packages import ROOT

PACKAGE = json.loads((PROJECT / "package.json").read_text(encoding="utf-8"))


def test_each_documented_command_is_tested() -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    for words in COMMANDS:
        assert " ".join(words) in page
    assert {words[2] for words in COMMANDS if words[1] == "run"} == set(PACKAGE["scripts"])


def test_every_file_is_type_checked() -> None:
    settings = json.loads((PROJECT / "tsconfig.json").read_text(encoding="utf-8"))
    assert settings["compilerOptions"]["strict"] is True
    sources = {path.name for path in PROJECT.glob("*.ts") if not path.name.endswith(".d.ts")}
    assert set(settings["files"]) == sources == {"gateway.ts", "returns.ts"}


def test_the_scripts_use_both_documents() -> None:
    documents = [f"../../api/{path.name}" for path in sorted(DOCUMENTS.glob("*.json"))]
    for script in PACKAGE["scripts"].values():
        assert [word for word in script.split() if word.startswith("../../api/")] == documents


def test_packages_have_exact_versions() -> None:
    assert PACKAGE.keys() & {"dependencies", "optionalDependencies", "peerDependencies"} == set()
    assert len(PACKAGE["devDependencies"]) == 4
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in PACKAGE["devDependencies"].values())


def silent(node: Any, at: str = "") -> Iterator[str]:
    """Yield where a description says "object" and nothing of what it holds."""
    if isinstance(node, list):
        for index, each in enumerate(node):
            yield from silent(each, f"{at}/{index}")
    elif isinstance(node, dict):
        if node.get("type") == "object" and not {"properties", "additionalProperties"} & set(node):
            yield at
        for name, each in node.items():
            if name not in {"example", "examples"}:
                yield from silent(each, f"{at}/{name}")


@pytest.mark.parametrize("service", ["erp-gateway", "supplier-returns"])
def test_no_described_object_becomes_an_empty_generated_type(service: str) -> None:
    document = json.loads((ROOT / f"docs/api/{service}.json").read_text(encoding="utf-8"))
    assert list(silent(document)) == []
