"""docs/errors.md against the code."""

from pathlib import Path
from typing import TypeGuard

import supplier_returns.app
import supplier_returns.planning.errors
from servicekit import errors
from servicekit.errors import ServiceError, all_error_codes

DOCUMENT = Path(__file__).parents[4] / "docs" / "errors.md"
FIXED = {"session_required", "session_expired", "upstream_unreachable"}
"""Their texts are the contract's, without a full stop; the network code follows the last one."""


def is_error(value: object) -> TypeGuard[type[ServiceError]]:
    return isinstance(value, type) and issubclass(value, ServiceError) and value is not ServiceError


def test_the_documentation_lists_every_code_with_its_status() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    chapter = text.partition("\n## supplier-returns\n")[2].partition("\n## ")[0]
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in chapter.splitlines()
        if line.startswith("| `")
    ]
    assert all(len(row) == 3 and row[2] for row in rows)
    documented = {(row[0], int(row[1])) for row in rows}
    assert len(documented) == len(rows)
    packages = {
        module.__name__.partition(".")[0]
        for module in (supplier_returns.app, supplier_returns.planning.errors)
    }
    (package,) = packages
    declared = {(error.code, error.status) for error in all_error_codes(package=package)}
    kit = {(error.code, error.status) for error in vars(errors).values() if is_error(error)}
    assert documented == declared - kit


def test_every_sentence_for_people_is_a_spanish_sentence() -> None:
    for error in all_error_codes(package="supplier_returns"):
        assert error.detail[0].isupper(), error
        assert error.detail.endswith(".") or error.code in FIXED, error
        assert not {"the", "not", "request", "error:"} & set(error.detail.lower().split()), error
