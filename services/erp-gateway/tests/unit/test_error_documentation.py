"""docs/errors.md against the code."""

from pathlib import Path

import erp_gateway.app
from servicekit.errors import all_error_codes

DOCUMENT = Path(__file__).parents[4] / "docs" / "errors.md"


def test_the_documentation_lists_every_code_with_its_status() -> None:
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in DOCUMENT.read_text(encoding="utf-8").partition("\n## supplier-returns\n")[0].splitlines()
        if line.startswith("| `")
    ]
    documented = sorted((row[0], int(row[1])) for row in rows)
    package = erp_gateway.app.__name__.split(".", maxsplit=1)[0]
    assert documented == sorted({(error.code, error.status) for error in all_error_codes(package=package)})
    assert all(len(row) == 3 and row[2] for row in rows)


def test_every_sentence_for_people_is_a_spanish_sentence() -> None:
    for error in all_error_codes(package="erp_gateway"):
        assert error.detail[0].isupper(), error
        assert error.detail.endswith("."), error
        assert not {"the", "not", "request", "error:"} & set(error.detail.lower().split()), error
