"""Mistakes of extension authors: docs/examples/extension with one change each, and the message it causes."""

import importlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from erp_gateway.commands.check_config import check_config

EXAMPLE = Path(__file__).parents[4] / "docs/examples/extension/acme_erp"
FILES = {
    path.relative_to(EXAMPLE).as_posix(): path.read_text(encoding="utf-8")
    for path in EXAMPLE.rglob("*.*")
    if path.suffix != ".pyc"
}
(COLUMNS,) = re.findall(r"(?<=columns=)\(\n.*?\n            \)", FILES["balances.py"], re.DOTALL)
ONE_COLUMN = COLUMNS.splitlines()[1]
INPUT = 'input=__import__("erp_gateway").extensions.ParameterInput('
FROM = 'options_from=__import__("erp_gateway").extensions.OptionsQuery('
MEASURE = '__import__("erp_gateway").extensions.Measure('
LINK = '__import__("erp_gateway").extensions.RecordLink('
CHART = '__import__("erp_gateway").extensions.Chart('
INHERITING = '<%inherit file="/gateway/informe.html"/>\n<%block name="{}">{}</%block>'
Check = Callable[..., tuple[int, str]]
INIT, QUERIES, DATA = "__init__.py", "queries.py", "balances.py"
HTML, JSON = "templates/balances.html", "templates/balances.json"


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Check]:
    """Return what writes the example, one piece of it exchanged, and gives the exit code and what is said."""
    monkeypatch.syspath_prepend(tmp_path)

    def checking(file: str = INIT, old: str = "", new: str = "") -> tuple[int, str]:
        assert old in FILES[file]
        for name, text in FILES.items():
            path = tmp_path / "acme_erp" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace(old, new, 1) if name == file else text, encoding="utf-8")
        importlib.invalidate_caches()
        out, err = io.StringIO(), io.StringIO()
        environ = {
            "CONFIG_FILE": os.devnull,
            "ENVIRONMENT": "test",
            "ERP_SL_URL": "http://192.0.2.1:50000/b1s/v1",
            "ERP_SL_COMPANY_DB": "SBO_DEMO",
            "ERP_SL_USER": "manager",
            "ERP_SL_PASSWORD": "x",
            "SQLITE_PATH": str(tmp_path / "app.sqlite"),
            "ADMIN_WEB_USERS": "ana",
            "ERPDB_ENGINE": "sqlite",
            "ERPDB_DATABASE": str(tmp_path / "company.sqlite"),
            "EXTENSIONS": "acme_erp",
            "LANG": "en_US.UTF-8",
        }
        return check_config(environ, out=out, err=err), err.getvalue()

    yield checking
    for name in [name for name in sys.modules if name.partition(".")[0] == "acme_erp"]:
        del sys.modules[name]


# file, original text, mistake, part of the message, line (None: the message names the declaration)
MISTAKES: list[tuple[str, str, str, str, int | None]] = [
    (INIT, "from acme_erp import balances", "from acme_erp import balance",
     "cannot import name 'balance'", None),
    (INIT, "balances.REPORT", "balances.REPROT", "has no attribute 'REPROT'", None),
    (INIT, "(balances.REPORT,)", "(balances.REPORT)", "html_reports must be a tuple: add a comma", None),
    (INIT, "(CUSTOMER_BALANCES,)", "(CUSTOMER_BALANCES)", "queries must be a tuple: add a comma", None),
    (INIT, '"U_ACME_RUTAS"', '"Orders"', "resource Orders exists already", None),
    (INIT, '"/rutas"', '"rutas"', "read_menu", None),
    (INIT, "write_menu=None", "write_menus=None",
     "unexpected keyword argument 'write_menus'", None),
    (INIT, 'name="Code", title="Código", type="text"', '"Code", "Código", "text"',
     "Column.__init__() takes 1 positional argument", None),
    (INIT, "write_menu=None", 'write_menu=None, secret_fields=frozenset("AccNo")',
     "secret_fields are single letters (A, N, c, o), add a comma", None),
    (INIT, "write_menu=None", 'write_menu=None, secret_fields=("Code",)',
     "secret field 'Code' belongs to the key", None),
    (INIT, "write_menu=None", 'write_menu=None, secret_fields=("Name",)',
     "column 'Name' is among the secret_fields", None),
    (INIT, "write_menu=None", 'write_menu=None, actions=("Cancel")',
     "actions must be a tuple: add a comma", None),
    (INIT, 'type="text"', 'type="string"',
     "columns[0].type must be 'text', 'integer', 'number', 'date' or 'choice', not 'string'", None),
    (INIT, 'title="Ruta", type="text"', 'title="Ruta", type="choice"',
     "column 'Name' must have choices as a choice, else none", None),
    (INIT, 'type="text", search="name"', 'type="date", search="name"',
     "column 'Name' is searched as a name, so its type must be text", None),
    (INIT, '"Name"', '"Code"', "column 'Code' is declared twice", None),
    (INIT, "EXTENSION =", "extension =",
     "has no EXTENSION", None),
    (INIT, "queries=(CUSTOMER_BALANCES,)", 'service_actions=("OrdersService_Cancel",)',
     "OrdersService_Cancel: a service action must only read", None),
    (INIT, "queries=(CUSTOMER_BALANCES,)", 'service_actions=("BanksService_GetList")',
     "service_actions must be a tuple: add a comma", None),
    (INIT, "queries=(CUSTOMER_BALANCES,)", "replaces=(CUSTOMER_BALANCES,)",
     "replaces must be Declarations, as in replaces=Declarations(resources=(...,)), not of type tuple", None),
    (INIT, "write_menu=None", 'write_menu=None, hidden=("Code",)',
     "unexpected keyword argument 'hidden'", None),
    (INIT, 'StrKey("Code")', '"Code"',
     'key must say its type, as IntKey("Code") or StrKey("Code") does', None),
    (INIT, "write_menu=None", 'write_menu=None, methods="READ"',
     "methods must be READ, READ_WRITE or a set of GET, POST and PATCH, not 'READ'", None),
    (QUERIES, 'title="Saldos de clientes"', "title=None", "title must be str, not of type NoneType", None),
    (QUERIES, 'type="number"),)', 'type="number"))',
     "parameters must be a tuple: add a comma", None),
    (QUERIES, 'type="number"', 'type="decimal"', "must be 'string', 'number' or 'date', not 'decimal'", None),
    (QUERIES, 'type="number"', f'type="number", {INPUT}default="nada")',
     "customer_balances: parameters[0].input.default: Debe ser un número.", None),
    (QUERIES, 'type="number"', f'type="number", {INPUT}default="")',
     "parameters[0].input.default: an empty text is no number; leave it out", None),
    (QUERIES, 'type="number"', f'type="number", {INPUT}maximum="hoy")',
     "input.maximum: Debe ser un número.", None),
    (QUERIES, 'type="number"', f'type="number", {INPUT}minimum=1, default=0)',
     "input.default: Debe ser al menos 1.", None),
    (QUERIES, 'type="number"', f'type="number", {INPUT}kind="date")',
     "parameters[0].input.kind: 'date' asks for another type", None),
    (QUERIES, 'type="number"', f'type="number", {INPUT}kind="select", {FROM}query="saldos"))',
     "parameters[0].input.options_from: there is no query 'saldos'", None),
    (QUERIES, 'type="number"', f'type="number", {INPUT}kind="select", {FROM}query="customer_balances"))',
     "options_from: the query 'customer_balances' takes parameters", None),
    (QUERIES, 'type="number"', f'type="number", {INPUT}not_before="minimo")',
     "input.notBefore: No hay otro parámetro 'minimo'", None),
    (QUERIES, 'name="minimum"', 'name="least"', "uses :minimum, which is not declared", None),
    (QUERIES, "> :minimum", "> 0", "does not use the declared parameter minimum", None),
    (QUERIES, "SELECT T0", "UPDATE T0", "customer_balances: the SQL for hana", None),
    (QUERIES, "DESC\n", "DESC; SELECT 1\n", "customer_balances: the SQL for hana", None),
    (QUERIES, '"sqlite": _BALANCES', '"hana2": _BALANCES', "there is no engine 'hana2'", None),
    (QUERIES, '{"hana": _BALANCES, "sqlite": _BALANCES}', '{"hana": _BALANCES}',
     "has no SQL for the engine sqlite", None),
    (QUERIES, '"/finanzas/saldos"', '"/finanzas/*"', "is no exact menu route", None),
    (QUERIES, "max_rows=1000", "max_rows=0", "max_rows must be 1 to", None),
    (QUERIES, "max_rows=1000", 'total_order=("code")', "total_order must be a tuple: add a comma", None),
    (QUERIES, "max_rows=1000", 'total_order=("code",)',
     "must end its ORDER BY in the total_order, as its select list has it: code", None),
    (QUERIES, "max_rows=1000", 'total_order=("Balance",)',
     "has no column 'Balance', which total_order names; did you mean 'balance'?", None),
    (QUERIES, "max_rows=1000", 'titles={"blance": "Saldo"}',
     "has no column 'blance', which titles names; did you mean 'balance'?", None),
    (QUERIES, "max_rows=1000", f'measures={{"blance": {MEASURE}kind="amount")}}',
     "has no column 'blance', which measures names; did you mean 'balance'?", None),
    (QUERIES, "max_rows=1000", f'measures={{"Balance": {MEASURE}kind="amount")}}',
     "has no column 'Balance', which measures names; did you mean 'balance'?", None),
    (QUERIES, "max_rows=1000", f'measures={{"balance": {MEASURE}kind="quantity")}}',
     "measures of 'balance': a quantity needs", None),
    (QUERIES, "max_rows=1000", f'links={{"blance": {LINK}resource="Items")}}',
     "has no column 'blance', which links names; did you mean 'balance'?", None),
    (QUERIES, "max_rows=1000", f'links={{"code": {LINK}resource="Items", key="cod")}}',
     "has no column 'cod', which links names; did you mean 'code'?", None),
    (QUERIES, "max_rows=1000", f'links={{"code": {LINK}resource="Customers")}}',
     "links of 'code': there is no resource 'Customers'", None),
    (QUERIES, "max_rows=1000", f'links={{"code": {LINK}resource="SpecialPrices")}}',
     "links of 'code': 'SpecialPrices' has a key of several parts", None),
    (QUERIES, "max_rows=1000", f'chart={CHART}x="code", y="blance")',
     "has no column 'blance', which chart names; did you mean 'balance'?", None),
    (QUERIES, "max_rows=1000", f'chart={CHART}x="code", y="balance", series="code")',
     "chart names a column twice", None),
    (QUERIES, "max_rows=1000", f'chart={CHART}x="code", y="balance", kind="pie")',
     "kind must be 'bars' or 'line', not 'pie'", None),
    (QUERIES, 'AS "name",', 'AS "name"', "lacks a comma in its select list, before T0", None),
    (QUERIES, 'AS "name"', 'AS "code"', "has two columns 'code'", None),
    (DATA, '"xsd:decimal"', '"xsd:decimals"', "there is no type 'xsd:decimals'", None),
    (DATA, 'default="0"', 'default="nada"', "parameters[0].input.default: Debe ser un número.", None),
    (DATA, 'kind="number", default="0"', 'kind="select"', "parameters[0].input.options", None),
    (DATA, 'default="0"', 'default="0", minimum=1', "input.default: Debe ser al menos 1.", None),
    (DATA, 'default="0"', 'minimum="10", maximum="5"', "input.minimum: Está más allá del máximo, 5.", None),
    (DATA, '"xsd:decimal"', '"xsd:date"',
     "input.default: Debe ser una fecha como 2026-01-31, o una de: hoy, inicio_mes, inicio_ano.", None),
    (DATA, 'default="0"', 'maximum="hoy"', "input.maximum: Debe ser un número.", None),
    (DATA, 'default="0"', 'not_before="mínimo"', "input.notBefore: No hay otro parámetro", None),
    (DATA, 'kind="number", default="0"', 'kind="select", options_from="customer_balances"',
     "options_from must be OptionsQuery", None),
    (DATA, 'kind="number", default="0"', f'kind="select", {FROM}query="customers")',
     "options_from: there is no query 'customers'", None),
    (DATA, 'kind="number", default="0"', f'kind="select", {FROM}query="customer_balances")',
     "options_from: the query 'customer_balances' takes parameters", None),
    (DATA, 'kind="number", default="0"', f'kind="number", {FROM}query="customer_balances")',
     "input.optionsFrom: Solo un parámetro de tipo select", None),
    (DATA, '"templates"', '"template"', "there is no folder", None),
    (DATA, '"balances.html"', '"saldos.html"', "there is no template 'saldos.html'", None),
    (DATA, '"balances.json"', '"saldos.json"', "there is no fixture", None),
    (DATA, "CUSTOMER_BALANCES.name", '"customer_balance"',
     "there is no query 'customer_balance'; did you mean", 20),
    (DATA, '{"minimum": values', '{"minimo": values',
     "wrong values for the query customer_balances: minimo: Este parámetro no existe.", 20),
    (DATA, '{"minimum": values["minimum"]}', "{}",
     "wrong values for the query customer_balances: minimum: Falta este parámetro.", 20),
    (DATA, "await ", "", "its data function has a run_query(…) without await before it", 21),
    (DATA, '"minimum": values["minimum"]})', '"minimum": str(values["minimum"])})',
     "minimum: Debe ser un número", 20),
    (DATA, 'row["balance"]', 'row["saldo"]', "KeyError: 'saldo'", 21),
    (DATA, 'Decimal(str(row["balance"]))', 'row["balance"] * 1.19', "unsupported operand type(s)", 21),
    (DATA, "async def", "def", "'await' outside async function", None),
    (DATA, "    return {", "    names = {", "its data function returned NoneType, no mapping", 18),
    (DATA, "        ),\n    ),\n)", "        )\n    ),\n)", "tables must be a tuple: add a comma", None),
    (DATA, COLUMNS, f"({ONE_COLUMN.strip().rstrip(',')})", "columns must be a tuple: add a comma", None),
    (DATA, 'title="Saldos",', "title=None,", "tables[0].title must be str, not of type NoneType", None),
    (DATA, 'name="rows"', 'name="rows "', "table 'rows ': the name must be", None),
    (DATA, COLUMNS, "()", "table 'rows': it has no columns", None),
    (DATA, 'title="Nombre"', 'title="Código"', "table 'rows': two columns are called 'Código'", None),
    (DATA, 'name="rows"', 'name="row"', "its data function returned no 'row'; did you mean 'rows'?", None),
    (DATA, 'name="balance"', 'name="saldo"', "table 'rows': a row has no 'saldo'", None),
    (DATA, '"rows": result.rows', '"rows": iter(result.rows)', "table 'rows': its rows must be a list", None),
    (DATA, '"rows": result.rows', '"rows": [{**row, "name": row} for row in result.rows]',
     "which no cell holds", None),
    (HTML, "% for row in rows:", "% for row in row:", "cannot access local variable 'row'", 23),
    (HTML, "${total}", "${totals}", "'totals' is not defined; did you mean 'total'?", 26),
    (HTML, 'row["name"]', 'row["nombre"]', "KeyError: 'nombre'", 24),
    (HTML, "% endfor", "", "does not compile", 23),
    (HTML, "% for row in rows:", "% for row in rows", "is ':' missing at its end?", 23),
    (HTML, "${total}", "${total:,.0f}", "an expression has no format behind it, write formato.dinero", 26),
    (HTML, "${total}", "${total", "a ${ has no } behind it", 26),
    (HTML, '${row["name"]}', '${row["name"] | n}', "the filter n switches escaping off", 24),
    (HTML, "<h1>", '<%include file="membrete.html"/><h1>', "there is no template 'membrete.html'", 16),
    (HTML, "</body>", "<script>1</script></body>", "no script runs in a report", 29),
    (HTML, "<style>", '<link rel="stylesheet" href="saldos.css"><style>', "no style sheet is fetched", 6),
    (HTML, "<h1>", '<img src="logo.png"><h1>', "nothing is fetched", 16),
    (HTML, "size: A4", "size: Carta", "no style sheet knows this paper", 7),
    (HTML, "<!doctype html>", INHERITING.format("papel", "A44"), "'A44' is no paper size", 2),
    (HTML, "<!doctype html>", INHERITING.format("estilos", "td { color: red }"),
     "the sheet has no block 'estilos', so its text would be printed; did you mean 'estilo'?", 2),
    (HTML, "${minimum}", "{{ minimum }}", "'{{ minimum }}' would be printed as it stands", 16),
    (JSON, '"minimum": "500000"}', '"minimum": "500000"', "the fixture is no JSON", 10),
    (JSON, '"minimum"', '"mínimum"', "there is no parameter 'mínimum'; did you mean 'minimum'?", 2),
    (JSON, '"500000"', '"medio millón"', "values.minimum: Debe ser un número.", 2),
    (JSON, '"customer_balances"', '"balances"', "there is no query 'balances'", 4),
    (JSON, '"balance": 1', '"saldo": 1', "the query customer_balances returns no column 'saldo'", 5),
    (JSON, ', "balance": 700000', "", "a row of the query customer_balances lacks the column 'balance'", 4),
]  # fmt: skip


def test_the_example_itself_is_without_fault(check: Check) -> None:
    assert check() == (0, "")


@pytest.mark.parametrize(("file", "old", "new", "said", "line"), MISTAKES)
def test_a_mistake_is_named(check: Check, file: str, old: str, new: str, said: str, line: int | None) -> None:
    code, complaint = check(file, old, new)
    assert code == 2
    assert said in complaint
    if line is not None:
        assert f"{Path(file).name}, line {line}" in complaint
    assert "Traceback" not in complaint


def test_a_report_without_a_fixture_is_warned_of(check: Check) -> None:
    code, complaint = check(DATA, '    fixture="balances.json",\n', "")
    assert code == 0
    assert complaint == "warning: HTML report 'balances' has no fixture, so it was not tried\n"


def test_a_write_menu_without_writes_causes_a_warning(check: Check) -> None:
    code, complaint = check(INIT, "write_menu=None", 'write_menu="/rutas/editar"')
    assert code == 0
    assert complaint == (
        "warning: resource U_ACME_RUTAS: write_menu is given, but nothing can be written: "
        "methods=READ_WRITE, or write_menu=None\n"
    )
