"""docs/examples/extension loads, and so do the excerpts of docs/reports-and-queries.md."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from erp_gateway import extensions
from erp_gateway.extensions import load_extensions

DOCS = Path(__file__).parents[4] / "docs"
EXAMPLE = DOCS / "examples/extension"
PAGE = (DOCS / "reports-and-queries.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(EXAMPLE)
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_erp"]:
        del sys.modules[name]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("engine", ["hana", "sqlite"])
def test_the_example_of_the_page_loads(engine: str) -> None:
    registries = load_extensions(["acme_erp"], engine=engine)
    assert registries.queries.find("customer_balances") is not None
    assert registries.html_reports.find("balances") is not None
    assert registries.resources.find("U_ACME_RUTAS") is not None


@pytest.mark.usefixtures("installed")
def test_the_test_of_the_page_passes() -> None:
    (test,) = [code for code in PYTHON if "def test_" in code]
    names: dict[str, object] = {}
    exec(test, names)  # the page's own words
    names["test_the_report_shows_the_customers"]()  # type: ignore[operator]  # a function


def test_the_replacement_of_the_page_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = [code for code in PYTHON if "replaces=" in code and "secret_fields=" not in code]
    imports = "from erp_gateway.extensions import Declarations, Extension, Resource, StrKey\n"
    (tmp_path / "acme_replacing.py").write_text(imports + code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    items = load_extensions(["acme_replacing"]).resources.find("Items")
    sys.modules.pop("acme_replacing")
    assert items is not None
    assert items.resource.read_menu == "/inventario"


def test_the_hiding_of_the_page_adds_to_the_passwords(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (code,) = [code for code in PYTHON if "secret_fields=" in code]
    imports = "from erp_gateway.extensions import SHIPPED, Declarations, Extension\n"
    (tmp_path / "acme_hiding.py").write_text(imports + code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    partners = load_extensions(["acme_hiding"]).resources.find("BusinessPartners")
    sys.modules.pop("acme_hiding")
    assert partners is not None
    assert partners.hidden == {"Password", "Phone1"}
    assert {"password", "phone1"} <= partners.rules.denied


def test_the_service_action_of_the_page_loads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (code,) = [code for code in PYTHON if "service_actions=" in code]
    imports = "from erp_gateway.extensions import Extension, ServiceAction\n"
    (tmp_path / "acme_acting.py").write_text(imports + code, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    resources = load_extensions(["acme_acting"]).resources
    sys.modules.pop("acme_acting")
    action = resources.find_service_action("SeriesService_GetElectronicSeries")
    assert action is not None
    assert action.parameters == ("ElectronicSeriesParams",)


def test_the_composite_key_of_the_page_is_one() -> None:
    (code,) = re.findall(r"`(CompositeKey\(\(.*?\)\))`", PAGE)
    assert eval(code, vars(extensions)) == extensions.CompositeKey(  # the page's own words
        (extensions.StrKey("CardCode"), extensions.StrKey("ItemCode"))
    )


def test_the_page_shows_every_file_of_the_example() -> None:
    names = {path.name for path in (EXAMPLE / "acme_erp").rglob("*.*") if path.suffix != ".pyc"}
    assert len(names) == 5
    assert [name for name in names if name not in PAGE] == []


def test_everything_that_authors_may_import_exists() -> None:
    assert [name for name in extensions.__all__ if not hasattr(extensions, name)] == []
