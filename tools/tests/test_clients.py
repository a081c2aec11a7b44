"""docs/clients.md: what `make clients` takes from it."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tools.clients import PAGE, commands_of, files_of
from tools.packages import ROOT

TEXT = PAGE.read_text(encoding="utf-8")


def test_every_block_of_the_page_is_written_or_run() -> None:
    fences = re.findall(r"^```\w+\n", TEXT, re.MULTILINE)
    files = files_of(TEXT)
    assert set(files) == {"package.json", "tsconfig.json", "redocly.yaml", "gateway.ts", "returns.ts"}
    assert len(fences) == len(files) + 1
    assert set(json.loads(files["tsconfig.json"])["files"]) == {"gateway.ts", "returns.ts"}


def test_the_page_checks_both_documents_strictly() -> None:
    commands = commands_of(TEXT)
    described = [
        f"../../docs/api/{name}" for name in sorted(path.name for path in (ROOT / "docs/api").iterdir())
    ]
    assert ["npx", "tsc", "--strict"] in commands
    assert commands[-1][-2:] == described
    assert [words[2] for words in commands if words[1] == "openapi-typescript"] == described


def test_packages_are_named_with_their_exact_versions_and_run_no_scripts() -> None:
    (install,) = [words for words in commands_of(TEXT) if words[0] == "npm"]
    packages = [word for word in install[2:] if not word.startswith("--")]
    assert len(packages) == 4
    assert all(re.fullmatch(r"@?[a-z/-]+@\d+\.\d+\.\d+", package) for package in packages)
    assert {"--save-exact", "--ignore-scripts"} <= set(install)


def test_only_a_block_below_its_name_is_a_file() -> None:
    page = "`a.ts`: what it is.\n\n```ts\none\n```\n\n```ts\ntwo\n```\n"
    assert files_of(page) == {"a.ts": "one\n"}


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
def test_no_object_is_described_so_that_generated_types_take_it_for_empty(service: str) -> None:
    document = json.loads((ROOT / f"docs/api/{service}.json").read_text(encoding="utf-8"))
    assert list(silent(document)) == []
