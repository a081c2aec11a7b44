"""SAP's licence lets nobody hand its driver on: it is an extra, and nothing but the engine asks for it."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

from erp_gateway.queries.errors import DatabaseDriverMissing
from erpdoctor.database import NO_DRIVER

ROOT = Path(__file__).resolve().parents[4]
DRIVER = "hdbcli"


def pins(lock: str) -> set[str]:
    lines = (ROOT / "requirements" / lock).read_text(encoding="utf-8").splitlines()
    return {line.partition("==")[0] for line in lines if "==" in line and not line.startswith((" ", "#"))}


def test_the_driver_is_an_optional_extra() -> None:
    project = tomllib.loads((ROOT / "services/erp-gateway/pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    assert not any(DRIVER in dependency for dependency in project["dependencies"])
    assert [DRIVER in dependency for dependency in project["optional-dependencies"]["hana"]] == [True]


def test_the_lock_of_the_published_image_has_no_driver() -> None:
    assert DRIVER not in pins("erp-gateway.txt")
    assert pins("erp-gateway-hana.txt") - pins("erp-gateway.txt") == {DRIVER}


def test_the_lock_of_the_image_that_makes_no_pdf_lacks_weasyprint_and_adds_nothing() -> None:
    left_out = pins("erp-gateway.txt") - pins("erp-gateway-nopdf.txt")
    assert {"weasyprint", "fonttools"} <= left_out
    assert pins("erp-gateway-nopdf.txt") <= pins("erp-gateway.txt")


def test_starting_the_gateway_does_not_import_the_driver() -> None:
    code = f"import sys, erp_gateway.main, erp_gateway.queries.opening; sys.exit('{DRIVER}' in sys.modules)"
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    assert subprocess.run([sys.executable, "-c", code], env=plain, check=False).returncode == 0


def test_that_the_published_image_lacks_the_driver_is_said_where_one_would_look() -> None:
    described = (ROOT / "docs/configuration.md").read_text(encoding="utf-8")
    (row,) = (line for line in described.splitlines() if line.startswith("| `ERPDB_ENGINE`"))
    readme = (ROOT / "services/erp-gateway/README.md").read_text(encoding="utf-8")
    logged = DatabaseDriverMissing().cause
    for said in (row, readme, logged, NO_DRIVER.remedy):
        assert said is not None
        assert DRIVER in said
        assert "WITH_HANA=1" in said
