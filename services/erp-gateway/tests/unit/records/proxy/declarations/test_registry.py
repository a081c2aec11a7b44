"""The checks at start: what may be declared, and what may never be."""

from typing import Any

import attrs
import pytest

from erp_gateway.records.proxy.declarations.columns import Column
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.declarations.resource import READ_WRITE, KnownPasswords, Resource
from erp_gateway.records.proxy.declarations.secret_fields import SECRET_FIELDS
from erp_gateway.records.proxy.declarations.service_action import ServiceAction
from erp_gateway.values.declarations import RegistryError
from erp_gateway.values.measures import Measure
from erpclient.odata import CompositeKey, IntKey, StrKey
from erpsim.facts import load_packaged_facts

NAME = Column(name="Name", title="Nombre", type="text")
PRICE = Column(name="Price", title="Precio", type="number")


def make_resource(name: str = "Widgets", **changes: Any) -> Resource:
    declaration: dict[str, Any] = {"key": IntKey("Code"), "read_menu": None, "write_menu": None, **changes}
    return Resource(name=name, **declaration)


def problems_of(*resources: Resource, actions: tuple[str, ...] = ()) -> tuple[str, ...]:
    with pytest.raises(RegistryError) as caught:
        Registry(resources, actions)
    return caught.value.problems


def test_a_valid_declaration_is_found_by_its_exact_name() -> None:
    registry = Registry([make_resource("Widgets")], [])
    found = registry.find("Widgets")
    assert found is not None
    assert found.resource.name == "Widgets"
    assert found.service_path == "/api/sl/Widgets"
    assert registry.find("widgets") is None
    assert registry.find("WIDGETS") is None


@pytest.mark.parametrize(
    "name",
    [
        "EmployeesInfo", "employeesinfo", "EMPLOYEESINFO", "eMPLOYEESiNFO", "EmployeeInfo",
        "Users", "users", "User",
        "SQLQueries", "SqlQueries", "SQLViews", "UserQueries", "FormattedSearches", "AlertManagements",
        "UserTablesMD", "UserFieldsMD", "UserObjectsMD", "UserKeysMD", "UserPermissionTree", "UserGroups",
        "Login", "Logout", "LOGIN",
    ],
)  # fmt: skip
def test_sensitive_entity_sets_may_never_be_registered(name: str) -> None:
    assert problems_of(make_resource(name)) == (f"{name}: this entity set may never be registered",)


@pytest.mark.parametrize(
    ("name", "changes", "problem"),
    [
        ("Widgets", {"tagged": True}, "what carries entity tags can't be reference"),
        (
            "Widgets",
            {"approvable": True, "methods": READ_WRITE},
            "what an approval procedure can catch can't be reference",
        ),
        ("Widgets", {"actions": {"Cancel"}}, "what has actions can't be reference"),
        (
            "Widgets",
            {"key": IntKey("DocEntry")},
            "documents, which have the key DocEntry, can't be reference",
        ),
        (
            "Widgets",
            {"key": CompositeKey((IntKey("DocEntry"), IntKey("LineNum")))},
            "documents, which have the key DocEntry, can't be reference",
        ),
        ("Widgets", {"methods": {"POST"}}, "only what can be read can be reference"),
        ("ChartOfAccounts", {}, "this entity set can't be reference: every booking changes it"),
    ],
)
def test_resources_that_change_can_not_be_reference_data(
    name: str, changes: dict[str, Any], problem: str
) -> None:
    Registry([make_resource(name, **changes)], [])
    assert problems_of(make_resource(name, reference=True, **changes)) == (f"{name}: {problem}",)


def test_a_small_writable_catalogue_can_be_reference_data() -> None:
    Registry([make_resource(reference=True, methods=READ_WRITE)], [])


@pytest.mark.parametrize(
    "name",
    [
        "$batch",
        "$crossjoin(Orders,Users)",
        "Orders(1)/Close",
        "../Login",
        "My Doc",
        "",
        "Ñandú",
        "A" * 129,
        "A\n",
    ],
)
def test_a_name_with_other_characters_is_refused(name: str) -> None:
    assert problems_of(make_resource(name)) == (
        f"{name}: the name must consist of letters, digits and underscores",
    )


@pytest.mark.parametrize(
    "target", ["EmployeeInfo", "EmployeesInfo", "User", "Users", "User2", "employeeinfo"]
)
def test_an_expand_that_leads_to_passwords_is_refused(target: str) -> None:
    assert problems_of(make_resource("Warehouses", expand={"WarehouseLocation", target})) == (
        f"Warehouses: expand '{target}' leads to people's passwords",
    )


def test_every_navigation_to_employees_and_users_in_the_metadata_is_recognised() -> None:
    leading = {
        (entity_set.name, navigation.name)
        for entity_set in load_packaged_facts().entity_sets.values()
        for navigation in entity_set.type.navigation.values()
        if navigation.target_set in {"EmployeesInfo", "Users"}
    }
    assert len(leading) > 40
    for _, name in leading:
        assert problems_of(make_resource(expand={name})) == (
            f"Widgets: expand '{name}' leads to people's passwords",
        )


def test_harmless_navigations_of_the_metadata_are_accepted() -> None:
    harmless = {
        navigation.name
        for entity_set in load_packaged_facts().entity_sets.values()
        for navigation in entity_set.type.navigation.values()
        if navigation.target_set not in {"EmployeesInfo", "Users"}
    }
    assert len(harmless) > 200
    registered = Registry([make_resource(expand=harmless)], []).find("Widgets")
    assert registered is not None
    assert registered.rules.expand == harmless


@pytest.mark.parametrize("target", ["Lines/Item", "Nav($select=A)", "", "2nd", "$links", "A,B"])
def test_an_expand_that_is_no_navigation_property_is_refused(target: str) -> None:
    assert problems_of(make_resource(expand={target})) == (
        f"Widgets: expand {target!r} must be the name of a navigation property",
    )


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"key": "Code"},
            'key must say its type, as IntKey("Code") or StrKey("Code") does',
        ),
        (
            {"key": ("Country", "Code")},
            "key of several parts must be a CompositeKey((StrKey(...), IntKey(...)))",
        ),
        ({"key": 1}, "int is no key type: IntKey, StrKey, DateKey or a CompositeKey of some"),
        (
            {"methods": {"GET", "DELETE"}},
            "methods must be READ, READ_WRITE or a set of GET, POST and PATCH, not ['DELETE', 'GET']",
        ),
        ({"methods": ()}, "methods must be READ, READ_WRITE or a set of GET, POST and PATCH, not []"),
        ({"read_menu": "ventas"}, "read_menu must be a menu route such as /ventas/pedidos, not 'ventas'"),
        ({"read_menu": "*"}, "read_menu must be a menu route such as /ventas/pedidos, not '*'"),
        ({"write_menu": "/x/*"}, "write_menu must be a menu route such as /ventas/pedidos, not '/x/*'"),
        ({"actions": {"Cancel/Close"}}, "action 'Cancel/Close' is no name"),
        ({"digit_names": {"U_X"}}, "digit name 'U_X' must start with a digit"),
        ({"replaces_collections": True}, "collections can only be replaced where PATCH is allowed"),
        ({"traced": True}, "only what can be created can be traced"),
        (
            {"printed": True, "read_menu": None},
            "only what is read through a menu, by one whole number, has print formats",
        ),
        (
            {"printed": True, "read_menu": "/x", "key": StrKey("Code")},
            "only what is read through a menu, by one whole number, has print formats",
        ),
        ({"columns": (NAME, NAME)}, "column 'Name' is declared twice"),
        ({"columns": (attrs.evolve(NAME, name="1x"),)}, "column '1x' is no property name"),
        ({"columns": (attrs.evolve(NAME, name="u_web_pass"),)}, "column 'u_web_pass' holds passwords"),
        (
            {"columns": (attrs.evolve(NAME, type="choice"),)},
            "column 'Name' must have choices as a choice, else none",
        ),
        (
            {"columns": (attrs.evolve(NAME, type="integer", search="name"),)},
            "column 'Name' is searched as a name, so its type must be text",
        ),
        (
            {"columns": (attrs.evolve(NAME, measure=Measure(kind="amount")),)},
            "column 'Name' has a measure: its type is number, and a quantity needs `by`",
        ),
        (
            {"columns": (attrs.evolve(PRICE, measure=Measure(kind="quantity")),)},
            "column 'Price' has a measure: its type is number, and a quantity needs `by`",
        ),
        (
            {
                "columns": (attrs.evolve(PRICE, measure=Measure(kind="amount", by="U_MON")),),
                "secret_fields": {"U_MON"},
            },
            "column 'Price' has a measure by 'U_MON', which nobody may see",
        ),
        (
            {"columns": (attrs.evolve(NAME, type="date", search="code"),)},
            "column 'Name' is searched as a code, so its type must be text or integer",
        ),
    ],
)
def test_a_declaration_with_a_fault_is_refused(changes: dict[str, Any], problem: str) -> None:
    assert problems_of(make_resource(**changes)) == (f"Widgets: {problem}",)


def test_all_errors_of_all_declarations_are_reported_at_once() -> None:
    problems = problems_of(
        make_resource("Users"),
        make_resource("Orders", read_menu="x"),
        make_resource("Orders"),
        make_resource("ORDERS"),
        actions=("QueryService_PostQuery", "SeriesService_GetSeries", "seriesservice_getseries"),
    )
    assert problems == (
        "Users: this entity set may never be registered",
        "Orders: read_menu must be a menu route such as /ventas/pedidos, not 'x'",
        "Orders: declared twice",
        "ORDERS: declared twice",
        "QueryService_PostQuery: a service action must only read, and be called ...Service_Get...",
        "seriesservice_getseries: declared twice",
        "seriesservice_getseries: a service action must only read, and be called ...Service_Get...",
    )


@pytest.mark.parametrize(
    "action",
    [
        "QueryService_PostQuery", "QueryService_GetQuery", "UsersService_GetCurrentUser",
        "CompanyService_GetAdminInfo", "CompanyService_GetAdvancedGLAccount",
        "EmployeesInfoService_GetList", "UserGroupService_GetUserGroupList",
        "SeriesService_SetDefaultSeriesForAllUsers", "CompanyService_UpdateCompanyInfo",
        "OrdersService_Cancel2",
        "Login", "Logout", "$batch", "SBOBobService_SetCurrencyRate", "ExternalCallsService_GetCall",
        "SeriesService_GetSeries/../Login", "",
    ],
)  # fmt: skip
def test_a_service_action_that_writes_or_reveals_may_never_be_declared(action: str) -> None:
    assert len(problems_of(actions=(action,))) == 1


def test_service_actions_are_found_by_their_exact_name() -> None:
    registry = Registry([], ["SeriesService_GetDocumentSeries"])
    assert registry.service_actions == ("SeriesService_GetDocumentSeries",)
    assert registry.is_service_action("SeriesService_GetDocumentSeries")
    assert not registry.is_service_action("SeriesService_getDocumentSeries")
    assert registry.find_service_action("SeriesService_getDocumentSeries") is None


def test_only_a_full_declaration_has_parameters() -> None:
    declared = ServiceAction("BanksService_GetBankList", ("Country",))
    registry = Registry([], ["SeriesService_GetSeries", declared])
    assert registry.find_service_action("BanksService_GetBankList") is declared
    bare = registry.find_service_action("SeriesService_GetSeries")
    assert bare is not None
    assert bare.parameters is None


@pytest.mark.parametrize("parameter", ["", "a b", "A..B", ".A", "A.", "A[]B", "A[0]", "Ñ", "A\n"])
def test_a_parameter_is_a_path_of_property_names(parameter: str) -> None:
    with pytest.raises(RegistryError, match="is no path of property names"):
        Registry([], [ServiceAction("SeriesService_GetSeries", (parameter,))])


def test_queries_refuse_secret_fields_in_any_letter_case() -> None:
    registered = Registry([make_resource()], []).find("Widgets")
    assert registered is not None
    assert {"u_web_pass", "password", "userpassword", "approverpassword"} <= registered.rules.denied


def test_the_list_of_secret_fields_can_be_extended() -> None:
    registry = Registry(
        [make_resource()], [], secret_fields=frozenset({"U_PIN"}), secret_body_fields=frozenset({"U_Pin"})
    )
    registered = registry.find("Widgets")
    assert registered is not None
    assert registered.rules.denied == {"u_pin"}
    assert registry.secret_fields == {"U_PIN"}
    assert registry.secret_body_fields == {"u_pin"}


def test_secret_fields_are_added_to_the_passwords_and_never_in_their_place() -> None:
    registry = Registry([make_resource("A"), make_resource("B", secret_fields=("AccNo",))], [])
    found = [registry.find(name) for name in "AB"]
    assert [each.hidden for each in found if each] == [SECRET_FIELDS, SECRET_FIELDS | {"AccNo"}]
    assert found[1] is not None
    assert {"accno", "password"} <= found[1].rules.denied


@pytest.mark.parametrize(
    ("changes", "hidden"),
    [
        ({}, {"Password"}),
        ({"secret_fields": {"Phone1"}}, {"Password", "Phone1"}),
        ({"expand": ()}, {"Password"}),
        ({"expand": {"PriceList", "SalesPerson"}}, SECRET_FIELDS),
        ({"name": "Customers"}, SECRET_FIELDS),
    ],
)
def test_known_passwords_apply_while_name_and_expand_are_unchanged(
    changes: dict[str, Any], hidden: set[str]
) -> None:
    known = KnownPasswords(name="Partners", expand=frozenset({"PriceList"}), names=frozenset({"Password"}))
    shipped = make_resource("Partners", expand={"PriceList"}, known_passwords=known)
    (registered,) = Registry([attrs.evolve(shipped, **changes)], []).registered
    assert registered.hidden == hidden


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"secret_fields": frozenset("AccNo")}, "secret_fields are single letters (A, N, c, o), add a comma"),
        ({"secret_fields": ("Acc No",)}, "secret field 'Acc No' is no property name"),
        ({"secret_fields": ("code",)}, "secret field 'code' belongs to the key"),
        (
            {"key": CompositeKey((StrKey("Country"), StrKey("Area"))), "secret_fields": ("Area",)},
            "secret field 'Area' belongs to the key",
        ),
        ({"secret_fields": ("Bank",), "expand": ("Bank",)}, "secret field 'Bank' is what `expand` lets"),
        ({"secret_fields": ("name",), "columns": (NAME,)}, "column 'Name' is among the secret_fields"),
    ],
)
def test_an_invalid_secret_field_is_refused(changes: dict[str, Any], problem: str) -> None:
    (told,) = problems_of(make_resource(**changes))
    assert told.startswith(f"Widgets: {problem}")


def test_invalid_methods_are_reported_once() -> None:
    (told,) = problems_of(make_resource(methods=("READ",), reference=True))
    assert told == "Widgets: methods must be READ, READ_WRITE or a set of GET, POST and PATCH, not ['READ']"


def test_a_secret_field_may_begin_with_a_digit_or_have_one_letter() -> None:
    Registry([make_resource(secret_fields=("2Pin",)), make_resource("B", secret_fields=("X",))], [])


def test_allow_names_the_methods_of_the_collection_and_of_a_record() -> None:
    registry = Registry(
        [make_resource("A", methods=READ_WRITE), make_resource("B"), make_resource("C", methods={"POST"})], []
    )
    allows = [
        (found.allow, found.allow_record) for name in "ABC" if (found := registry.find(name)) is not None
    ]
    assert allows == [("GET, HEAD, POST", "GET, HEAD, PATCH"), ("GET, HEAD", "GET, HEAD"), ("POST", "")]


def test_writable_means_that_something_can_be_changed() -> None:
    assert not make_resource().writable
    assert make_resource(methods=READ_WRITE).writable
    assert make_resource(actions={"Cancel"}).writable
    assert make_resource(key=StrKey("Code"), methods={"PATCH"}).writable
