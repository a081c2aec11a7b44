"""Loading a customer's modules: real files on the import path, good ones and faulty ones of every kind."""

import importlib
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from erp_gateway.__main__ import main
from erp_gateway.extensions import SHIPPED, Declarations, ExtensionError, load_extensions
from erp_gateway.records.proxy.declarations.resources import DEFAULT_SERVICE_ACTIONS

WriteModule = Callable[..., str]

HEAD = "from erp_gateway.extensions import *\nfrom erp_gateway.extensions import Declarations, Extension\n"
ROUTES = 'Resource(name="U_ACME_RUTAS", key=StrKey("Code"), read_menu="/rutas", write_menu=None)'
ORDERS = 'Resource(name="Orders", key=IntKey("DocEntry"), read_menu="/otra", write_menu=None)'
ONE = 'Query(name="uno", title="Uno", sql={"hana": "SELECT 1 FROM DUMMY", "sqlite": "SELECT 1"})'
REPORT = """
async def data(run_query, values):
    return {}
FOLDER = __import__("pathlib").Path(__file__).parent
def report(title="Hola", template="hola.html"):
    return HtmlReport(code="hola", title=title, folder=FOLDER, template=template, data=data)
"""

_numbers = itertools.count()


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[WriteModule]:
    """Return what writes a module (its text given) on the import path and returns its name."""
    monkeypatch.syspath_prepend(tmp_path)
    names: list[str] = []

    def write(text: str, *, name: str | None = None) -> str:
        names.append(name or f"customer_{next(_numbers)}")
        tmp_path.joinpath(f"{names[-1]}.py").write_text(HEAD + text, encoding="utf-8")
        importlib.invalidate_caches()
        return names[-1]

    yield write
    for name in names:
        sys.modules.pop(name, None)


def fault_of(*modules: str) -> str:
    """Return the one line that stops the start."""
    with pytest.raises(ExtensionError) as refused:
        load_extensions(modules)
    text = str(refused.value)
    assert "\n" not in text
    assert text.startswith(f"extension {refused.value.module}: ")
    return text


def test_without_extensions_only_shipped_declarations_exist() -> None:
    registries = load_extensions([])
    assert {each.name for each in registries.resources.resources} == {each.name for each in SHIPPED.resources}
    assert set(registries.resources.service_actions) == {each.name for each in DEFAULT_SERVICE_ACTIONS}
    assert (registries.queries.queries, list(registries.html_reports)) == ((), [])


def test_an_extension_declares_service_actions_with_parameters_or_by_name(module: WriteModule) -> None:
    name = module(
        "EXTENSION = Extension(service_actions=(ServiceAction('BanksService_GetBankList', ('Country',)),"
        " 'LandedCostsService_GetList'), replaces=Declarations(service_actions=("
        "ServiceAction('SBOBobService_GetLocalCurrency', ('Any',)),)))"
    )
    resources = load_extensions([name]).resources
    found = {
        action: getattr(resources.find_service_action(action), "parameters", "none")
        for action in (
            "BanksService_GetBankList",
            "LandedCostsService_GetList",
            "SBOBobService_GetLocalCurrency",
        )
    }
    assert found == {
        "BanksService_GetBankList": ("Country",),
        "LandedCostsService_GetList": None,
        "SBOBobService_GetLocalCurrency": ("Any",),
    }


def test_an_extension_adds_to_the_shipped_declarations(module: WriteModule, tmp_path: Path) -> None:
    tmp_path.joinpath("hola.html").write_text("hola")
    name = module(
        f"{REPORT}\nEXTENSION = Extension(resources=({ROUTES},), queries=({ONE},), html_reports=(report(),),"
        " service_actions=('LandedCostsService_GetList',))"
    )
    registries = load_extensions([name])
    routes, orders = registries.resources.find("U_ACME_RUTAS"), registries.resources.find("Orders")
    assert routes is not None
    assert routes.resource.read_menu == "/rutas"
    assert orders is not None
    assert registries.resources.is_service_action("LandedCostsService_GetList")
    assert registries.resources.is_service_action("CompanyService_GetCompanyInfo")
    assert registries.queries.find("uno") is not None
    assert [report.code for report in registries.html_reports] == ["hola"]


def test_a_later_extension_may_replace_what_an_earlier_one_added(module: WriteModule, tmp_path: Path) -> None:
    tmp_path.joinpath("hola.html").write_text("hola")
    first = module(f"{REPORT}\nEXTENSION = Extension(queries=({ONE},), html_reports=(report(),))")
    query = ONE.replace('"Uno"', '"Otro"')
    second = module(
        f"{REPORT}\nEXTENSION = Extension(replaces=Declarations(queries=({query},),"
        " html_reports=(report(title='Adiós'),)))"
    )
    registries = load_extensions([first, second])
    assert [query.title for query in registries.queries.queries] == ["Otro"]
    assert [report.title for report in registries.html_reports] == ["Adiós"]


def test_a_shipped_resource_is_replaced_where_the_extension_says_so(module: WriteModule) -> None:
    name = module(f"EXTENSION = Extension(replaces=Declarations(resources=({ORDERS},)))")
    registries = load_extensions([name])
    orders = registries.resources.find("Orders")
    assert orders is not None
    assert (orders.resource.read_menu, orders.resource.writable) == ("/otra", False)
    assert len(registries.resources.resources) == len(SHIPPED.resources)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"EXTENSION = Extension(resources=({ORDERS},))", "resource Orders exists already"),
        (
            "EXTENSION = Extension(service_actions=('CompanyService_GetCompanyInfo',))",
            "service action CompanyService_GetCompanyInfo exists already",
        ),
        (
            f"EXTENSION = Extension(replaces=Declarations(resources=({ROUTES},)))",
            "resource U_ACME_RUTAS can't be replaced: there is none",
        ),
        (
            f"EXTENSION = Extension(replaces=Declarations(queries=({ONE},)))",
            "query uno can't be replaced: there is none",
        ),
        (
            f"{REPORT}\nEXTENSION = Extension(replaces=Declarations(html_reports=(report(),)))",
            "HTML report hola can't be replaced: there is none",
        ),
        (f"EXTENSION = Extension(queries=({ONE}, {ONE}))", "query uno is declared twice"),
        (
            f"EXTENSION = Extension(resources=({ORDERS},), replaces=Declarations(resources=({ORDERS},)))",
            "resource Orders is declared twice",
        ),
    ],
)
def test_names_that_exist_are_replaced_explicitly_or_not_at_all(
    module: WriteModule, text: str, said: str
) -> None:
    assert said in fault_of(module(text))


def test_all_problems_of_an_extension_are_reported_at_once(module: WriteModule) -> None:
    text = fault_of(
        module(
            f"EXTENSION = Extension(resources=({ORDERS},), replaces=Declarations(queries=({ONE},)))",
        )
    )
    assert "resource Orders" in text
    assert "query uno" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no EXTENSION"),
        ("EXTENSION = None", "has no EXTENSION"),
        ("EXTENSION = [1]", "its EXTENSION is of type list, not an Extension"),
        ("EXTENSION = Extension", "its EXTENSION is the class Extension, not an Extension"),
        ("EXTENSION = Declarations()", "its EXTENSION is of type Declarations"),
        ("EXTENSION = (", "can't be imported: SyntaxError"),
        (
            "import no_such_library",
            "can't be imported: ModuleNotFoundError: No module named 'no_such_library'",
        ),
        ("1 / 0", "can't be imported: ZeroDivisionError"),
        ("raise SystemExit(0)", "can't be imported: SystemExit"),
        ("raise RuntimeError('one\\ntwo')", "can't be imported: RuntimeError: one two"),
        ("EXTENSION = Extension(service_actions='SeriesService_GetX')", "can't be imported: TypeError"),
        (
            "EXTENSION = Extension(service_actions=(ServiceAction('BanksService_GetX', 'Country'),))",
            "parameters must be a tuple: add a comma",
        ),
        (
            "EXTENSION = Extension(service_actions=(ServiceAction('BanksService_GetX', ('a b',)),))",
            "BanksService_GetX: parameter 'a b' is no path of property names",
        ),
        (
            "EXTENSION = Extension(service_actions=(ServiceAction('SBOBobService_GetLocalCurrency'),))",
            "service action SBOBobService_GetLocalCurrency exists already",
        ),
        ("EXTENSION = Extension(resources=['U_ACME_RUTAS'])", "can't be imported: TypeError"),
        ("EXTENSION = Extension(queries=(1,))", "can't be imported: TypeError"),
        ("EXTENSION = Extension(html_reports=(1,))", "can't be imported: TypeError"),
        ("EXTENSION = Extension(replaces=('Orders',))", "can't be imported: TypeError"),
        ("EXTENSION = Extension(reports=())", "can't be imported: TypeError"),
        ("class Odd(BaseException): ...\nraise Odd('so')", "Odd: so"),
        ("class Mute(Exception):\n    def __str__(self): 1 / 0\nraise Mute", "can't be imported: "),
        ("def __getattr__(name): raise ValueError(name)", "can't be imported: ValueError"),
    ],
)
def test_a_module_that_is_no_extension_is_refused_by_name(module: WriteModule, text: str, said: str) -> None:
    assert said in fault_of(module(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"EXTENSION = Extension(resources=({ROUTES.replace('U_ACME_RUTAS', 'employeesinfo')},))",
            "employeesinfo: this entity set may never be registered",
        ),
        ("EXTENSION = Extension(service_actions=('UsersService_GetList',))", "UsersService_GetList"),
        (
            "EXTENSION = Extension(queries=(Query(name='malo', title='x', sql={'hana': 'DELETE FROM T'}),))",
            "malo",
        ),
        (f"{REPORT}\nEXTENSION = Extension(html_reports=(report(template='no.html'),))", "'hola'"),
    ],
)
def test_a_forbidden_declaration_is_reported_with_its_module(
    module: WriteModule, text: str, said: str
) -> None:
    assert said in fault_of(module(text))


INPUT = "ParameterInput(kind='integer')"
QUERY = "name='q', title='t', sql={'sqlite': 'SELECT 1'}"


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("queries=(Query(name=5, title='t', sql={}),)", "EXTENSION.queries[0].name must be str"),
        ("queries=(Query(name='q', title=None, sql={}),)", "EXTENSION.queries[0].title must be str"),
        ("queries=(Query(name='q', title='t', sql='SELECT 1'),)", "EXTENSION.queries[0].sql must be"),
        (
            "queries=(Query(name='q', title='t', sql={'hana': 1}),)",
            "EXTENSION.queries[0].sql['hana'] must be",
        ),
        (
            "queries=(Query(name='q', title='t', sql={1: 'x'}),)",
            "EXTENSION.queries[0].sql: the name 1 must be",
        ),
        (
            f"queries=(Query({QUERY}, menu=5),)",
            "EXTENSION.queries[0].menu must be str | None, not of type int",
        ),
        (f"queries=(Query({QUERY}, max_rows=True),)", "EXTENSION.queries[0].max_rows must be int | None"),
        (f"queries=(Query({QUERY}, max_rows=1.5),)", "EXTENSION.queries[0].max_rows must be int | None"),
        (f"queries=(Query({QUERY}, parameters=('a',)),)", "EXTENSION.queries[0].parameters[0] must be"),
        (
            f"queries=(Query({QUERY}, parameters=(QueryParameter(name=5, type='text'),)),)",
            "parameters[0].name must be str, not of type int",
        ),
        (
            "resources=(Resource(name=[], key=IntKey('A'), read_menu=5, write_menu=None),)",
            "; EXTENSION.resources[0].read_menu must be str | None, not of type int",
        ),
        (
            f"replaces=Declarations(resources=({ORDERS[:-1]}, secret_fields='Password'),))",
            "EXTENSION.replaces.resources[0].secret_fields must be a tuple: add a comma",
        ),
        (
            f"resources=({ROUTES[:-1]}, actions=('Cancel')),)",
            "EXTENSION.resources[0].actions must be a tuple: add a comma",
        ),
        (
            f"resources=({ROUTES[:-1]}, expand=('Route')),)",
            "EXTENSION.resources[0].expand must be a tuple: add a comma",
        ),
        (
            f"resources=({ROUTES[:-1]}, methods='READ', reference=True),)",
            "[0].methods must be READ, READ_WRITE or a set of GET, POST and PATCH, not 'READ'",
        ),
        (
            f"resources=({ROUTES[:-1]}, columns=(Column(name='A', title='A', type=7),)),)",
            "columns[0].type must be 'text', 'integer', 'number', 'date' or 'choice', not 7",
        ),
        (
            f"queries=(Query({QUERY}, parameters=(QueryParameter(name='p', type='date', input={INPUT}),)),)",
            "input.kind must be 'text', 'number', 'date', 'boolean', 'select' or 'hidden', not 'integer'",
        ),
        (
            f"resources=({ROUTES[:-1]}, actions=None),)",
            "EXTENSION.resources[0].actions must be frozenset[str], not of type NoneType",
        ),
    ],
)
def test_a_value_of_the_wrong_type_is_reported_with_its_path(
    module: WriteModule, declared: str, said: str
) -> None:
    assert said in fault_of(module(f"EXTENSION = Extension({declared})"))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ("code=5", "code must be str"),
        ("template=None", "template must be str"),
        ("data=5", "data must be Callable"),
        ("parameters='x'", "parameters[0] must be ReportParameter"),
        (
            "parameters=[ReportParameter(name='a', type='string', input=ParameterInput(options=['b']))]",
            "parameters[0].input.options must be",
        ),
    ],
)
def test_a_report_with_a_value_of_another_type_is_refused(
    module: WriteModule, changed: str, said: str
) -> None:
    text = f"{REPORT}\nEXTENSION = Extension(html_reports=(attrs.evolve(report(), {changed}),))"
    assert f"EXTENSION.html_reports[0].{said}" in fault_of(module(f"import attrs\n{text}"))


def test_a_query_must_have_a_text_for_the_database_that_is_connected(module: WriteModule) -> None:
    name = module("EXTENSION = Extension(queries=(Query(name='uno', title='x', sql={'hana': 'SELECT 1'}),))")
    assert load_extensions([name], engine="hana").queries.find("uno") is not None
    with pytest.raises(ExtensionError, match=f"extension {name}: uno: has no SQL for the engine sqlite"):
        load_extensions([name], engine="sqlite")


def test_the_extension_at_fault_is_named_and_not_the_one_before_it(module: WriteModule) -> None:
    good, bad = module(f"EXTENSION = Extension(resources=({ROUTES},))"), module("")
    assert fault_of(good, bad).startswith(f"extension {bad}:")


def test_a_module_named_twice_is_refused(module: WriteModule) -> None:
    name = module("EXTENSION = Extension()")
    assert "names it twice" in fault_of(name, name)


def test_an_unknown_module_is_refused_by_name() -> None:
    text = fault_of("no_such_customer.extension")
    assert "can't be imported: ModuleNotFoundError" in text


def test_a_long_reason_is_cut(module: WriteModule) -> None:
    assert len(fault_of(module("raise RuntimeError('x' * 2_000_000)"))) < 2_000


def test_the_shipped_declarations_can_be_passed(module: WriteModule) -> None:
    name = module(f"EXTENSION = Extension(resources=({ORDERS},))")
    registries = load_extensions([name], shipped=Declarations())
    assert [each.name for each in registries.resources.resources] == ["Orders"]


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "CONFIG_FILE": "/dev/null",
        "ENVIRONMENT": "test",
        "ERP_SL_URL": "http://127.0.0.1:9/b1s/v1",
        "ERP_SL_COMPANY_DB": "SBO_DEMO",
        "ERP_SL_USER": "manager",
        "ERP_SL_PASSWORD": "erpsim",
        "SQLITE_PATH": str(tmp_path / "data" / "app.sqlite"),
        "ADMIN_WEB_USERS": "ana",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("configured")
def test_check_config_says_which_extension_is_at_fault_in_one_line(
    module: WriteModule, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = module("EXTENSION = 1")
    monkeypatch.setenv("EXTENSIONS", name)
    assert main(["check-config"]) == 2
    assert capsys.readouterr() == ("", f"extension {name}: its EXTENSION is of type int, not an Extension\n")


@pytest.mark.usefixtures("configured")
def test_check_config_loads_good_extensions(
    module: WriteModule, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = module(f"EXTENSION = Extension(resources=({ROUTES},))")
    monkeypatch.setenv("EXTENSIONS", name)
    assert main(["check-config"]) == 0
    assert f"EXTENSIONS={name}\n" in capsys.readouterr().out


@pytest.mark.usefixtures("configured")
def test_check_config_says_how_much_each_extension_declares(
    module: WriteModule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tmp_path.joinpath("hola.html").write_text("hola")
    other = ONE.replace('"uno"', '"dos"')
    full = module(
        f"{REPORT}\nEXTENSION = Extension(resources=({ROUTES},), queries=({ONE}, {other}),"
        " html_reports=(report(),), service_actions=('LandedCostsService_GetList',),"
        f" replaces=Declarations(resources=({ORDERS},)))"
    )
    empty = module(f"UNLISTED = {ONE}\nEXTENSION = Extension()")
    monkeypatch.setenv("EXTENSIONS", f"{full},{empty}")
    assert main(["check-config"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        f"extension {full}: 1 resource, 1 service action, 2 queries, 1 report; replaces 1 resource",
        f"extension {empty}: nothing",
    ]


@pytest.mark.usefixtures("configured")
def test_serve_does_not_start_with_a_faulty_extension(
    module: WriteModule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    name = module(f"EXTENSION = Extension(resources=({ORDERS},))")
    monkeypatch.setenv("EXTENSIONS", name)
    assert main(["serve"]) == 1
    line, *_ = capsys.readouterr().out.splitlines()
    assert "start_failed" in line
    assert f"extension {name}: resource Orders exists already" in line
    assert not tmp_path.joinpath("data").exists()


def test_roles_are_added_and_replaced_by_name(module: WriteModule) -> None:
    first = module('EXTENSION = Extension(roles=(RoleTemplate(name="Ventas", paths=("/ventas/*",)),))')
    second = module(
        'EXTENSION = Extension(roles=(RoleTemplate(name="Bodega", paths=("/inventario/*",)),), replaces='
        'Declarations(roles=(RoleTemplate(name="Ventas", paths=("/ventas/pedidos",)),)))'
    )
    roles = load_extensions([first, second]).roles
    assert [(role.name, role.paths) for role in roles] == [
        ("Ventas", ("/ventas/pedidos",)),
        ("Bodega", ("/inventario/*",)),
    ]


@pytest.mark.parametrize(
    ("role", "fault"),
    [
        ('RoleTemplate(name="V", paths=("ventas",))', "role 'V': 'ventas' is no route pattern"),
        ('RoleTemplate(name="V", paths=())', "role 'V': it needs at least one route"),
        ('RoleTemplate(name="V", paths=["/x"])', "EXTENSION.roles[0].paths must be"),
        ('Resource(name="U", key=StrKey("C"), read_menu="/x", write_menu=None)', "roles[0] must be"),
    ],
)
def test_a_faulty_role_stops_the_start(module: WriteModule, role: str, fault: str) -> None:
    assert fault in fault_of(module(f"EXTENSION = Extension(roles=({role},))"))
