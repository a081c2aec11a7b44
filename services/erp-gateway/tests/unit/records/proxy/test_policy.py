"""The rules of the proxy as one table: no network, no application, no clock."""

from collections.abc import Callable
from typing import Any, NoReturn

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.records.proxy import errors
from erp_gateway.records.proxy.client_headers import ClientHeaders, read_client_headers
from erp_gateway.records.proxy.client_request import ClientRequest
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.declarations.resource import READ_WRITE, Resource
from erp_gateway.records.proxy.declarations.service_action import ServiceAction
from erp_gateway.records.proxy.plans import (
    ActionPlan,
    CreatePlan,
    ListPlan,
    ModifyPlan,
    RecordPlan,
    ServiceActionPlan,
)
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.values.errors import PermissionDenied
from erpclient.odata import CompositeKey, IntKey, ListQuery, ODataError, RecordQuery, StrKey
from servicekit.errors import MethodNotAllowed, ServiceError

REGISTRY = Registry(
    [
        Resource(
            name="Orders",
            key=IntKey("DocEntry"),
            read_menu="/ventas/pedidos",
            write_menu="/ventas/pedidos/editar",
            methods=READ_WRITE,
            actions={"Close"},
            expand={"SalesPerson"},
            tagged=True,
            replaces_collections=True,
        ),
        Resource(
            name="Payments",
            key=IntKey("DocEntry"),
            read_menu="/bancos",
            write_menu="/bancos/editar",
            methods=READ_WRITE,
            actions={"Cancel"},
        ),
        Resource(name="Items", key=StrKey("ItemCode", 20), read_menu=None, write_menu=None),
        Resource(
            name="Prices",
            key=CompositeKey((StrKey("CardCode"), IntKey("List"))),
            read_menu=None,
            write_menu=None,
            methods=READ_WRITE,
            actions={"Copy"},
        ),
        Resource(name="Inbox", key=IntKey("Code"), read_menu="/x", write_menu="/x", methods={"POST"}),
    ],
    ["SeriesService_GetDocumentSeries"],
)
POLICY = ProxyPolicy(REGISTRY)
TAG = 'W/"356A192B7913B04C54574D18C28D46E6395428AB"'
REPLACE = "B1S-ReplaceCollectionsOnPatch"

READER = frozenset({"/ventas/pedidos", "/bancos"})
WRITER = READER | {"/ventas/pedidos/editar", "/bancos/editar"}


def target(name: str) -> Registered:
    found = REGISTRY.find(name)
    assert found is not None
    return found


def headers(*pairs: tuple[str, str]) -> ClientHeaders:
    return read_client_headers([(name.lower().encode(), value.encode()) for name, value in pairs])


@attrs.frozen(kw_only=True)
class Ask:
    """A request as the policy sees it."""

    name: str
    key: str | None = None
    action: str | None = None
    method: str = "GET"
    query: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()
    routes: frozenset[str] = WRITER

    def plan(self) -> object:
        asked = ClientRequest(
            name=self.name,
            key=self.key or "",
            action=self.action or "",
            query=self.query,
            headers=headers(*self.headers),
            allows=self.routes.__contains__,
        )
        if self.method == "PATCH":
            return POLICY.plan_modify(asked)
        if self.method == "POST":
            return POLICY.plan_action(asked) if self.key and self.action else POLICY.plan_post(asked)
        return POLICY.plan_list(asked) if self.key is None else POLICY.plan_record(asked)


def ask(
    method: str, path: str, query: str = "", *sent: tuple[str, str], routes: frozenset[str] = WRITER
) -> Ask:
    """Write a request shortly; the path's segments are separated by blanks."""
    name, *rest = path.split(" ")
    return Ask(
        name=name,
        key=rest[0] if rest else None,
        action=rest[1] if len(rest) > 1 else None,
        method=method,
        query=query.encode(),
        headers=sent,
        routes=routes,
    )


NOBODY: frozenset[str] = frozenset()

PLANS: list[tuple[str, Ask, Callable[[], object]]] = [
    ("list with defaults", ask("GET", "Items"), lambda: ListPlan(target("Items"), ListQuery())),
    (
        "list with every option",
        ask(
            "GET",
            "Orders",
            "$select=DocEntry,SalesPerson/Name&$filter=DocNum%20gt%205&$orderby=DocNum desc"
            "&$expand=SalesPerson&$top=500&$skip=7",
        ),
        lambda: ListPlan(
            target("Orders"),
            ListQuery(
                select=("DocEntry", "SalesPerson/Name"),
                filter="DocNum gt 5",
                orderby=("DocNum desc",),
                expand=("SalesPerson",),
                top=500,
                skip=7,
            ),
        ),
    ),
    (
        "a catalogue for a session without any permission",
        ask("GET", "Items", routes=NOBODY),
        lambda: ListPlan(target("Items"), ListQuery()),
    ),
    (
        "reading with the menu for reading",
        ask("GET", "Orders", routes=READER),
        lambda: ListPlan(target("Orders"), ListQuery()),
    ),
    (
        "the headers that a read may carry are ignored",
        ask("GET", "Items", "", ("B1S-PageSize", "0"), ("B1S-CaseInsensitive", "no"), ("If-Match", "junk")),
        lambda: ListPlan(target("Items"), ListQuery()),
    ),
    (
        "a record",
        ask("GET", "Orders 12", "$select=DocNum"),
        lambda: RecordPlan(target("Orders"), "(12)", None, RecordQuery(select=("DocNum",))),
    ),
    (
        "a key with a slash has a condition to fall back to",
        ask("GET", "Items A/1"),
        lambda: RecordPlan(target("Items"), "('A%2F1')", "ItemCode eq 'A/1'", RecordQuery()),
    ),
    (
        "a key with a backslash too",
        ask("GET", "Items A\\1"),
        lambda: RecordPlan(target("Items"), "('A%5C1')", "ItemCode eq 'A\\1'", RecordQuery()),
    ),
    (
        "a key with a quote",
        ask("GET", "Items O'Neil"),
        lambda: RecordPlan(target("Items"), "('O%27%27Neil')", None, RecordQuery()),
    ),
    (
        "a composite key in any order",
        ask("GET", "Prices List=3,CardCode='C1'"),
        lambda: RecordPlan(target("Prices"), "(CardCode='C1',List=3)", None, RecordQuery()),
    ),
    ("creating", ask("POST", "Orders"), lambda: CreatePlan(target("Orders"))),
    (
        "creating where any session may",
        ask("POST", "Prices", routes=NOBODY),
        lambda: CreatePlan(target("Prices")),
    ),
    (
        "a service action for any session",
        ask("POST", "SeriesService_GetDocumentSeries", routes=NOBODY),
        lambda: ServiceActionPlan(ServiceAction("SeriesService_GetDocumentSeries", None)),
    ),
    (
        "changing a record whose key has several parts, in any order",
        ask("PATCH", "Prices List=3,CardCode='O''Neil5%'"),
        lambda: ModifyPlan(
            target("Prices"),
            "CardCode='O''Neil5%',List=3",
            "(CardCode='O%27%27Neil5%25',List=3)",
            None,
            replace_collections=False,
        ),
    ),
    (
        "an action on a record whose key has several parts, in any order",
        ask("POST", "Prices List=3,CardCode='C1' Copy"),
        lambda: ActionPlan(target("Prices"), "CardCode='C1',List=3", "(CardCode='C1',List=3)", "Copy", None),
    ),
    (
        "changing",
        ask("PATCH", "Orders 12"),
        lambda: ModifyPlan(target("Orders"), "12", "(12)", None, replace_collections=False),
    ),
    (
        "changing what was read",
        ask("PATCH", "Orders 12", "", ("If-Match", TAG), (REPLACE, "true")),
        lambda: ModifyPlan(target("Orders"), "12", "(12)", TAG, replace_collections=True),
    ),
    (
        "changing whatever is there",
        ask("PATCH", "Orders 12", "", ("If-Match", "*"), (REPLACE, "false")),
        lambda: ModifyPlan(target("Orders"), "12", "(12)", "*", replace_collections=False),
    ),
    (
        "an action",
        ask("POST", "Payments 12 Cancel"),
        lambda: ActionPlan(target("Payments"), "12", "(12)", "Cancel", None),
    ),
    (
        "an action on what was read",
        ask("POST", "Orders 12 Close", "", ("If-Match", TAG)),
        lambda: ActionPlan(target("Orders"), "12", "(12)", "Close", TAG),
    ),
]

REFUSALS: list[tuple[str, Ask, type[Exception], str]] = [
    (
        "unregistered list",
        ask("GET", "EmployeesInfo"),
        errors.ResourceNotRegistered,
        "resource_not_registered",
    ),
    ("unregistered record", ask("GET", "Users 1"), errors.ResourceNotRegistered, "resource_not_registered"),
    ("other letter case", ask("GET", "items"), errors.ResourceNotRegistered, "resource_not_registered"),
    ("unregistered create", ask("POST", "Users"), errors.ResourceNotRegistered, "resource_not_registered"),
    (
        "unregistered change",
        ask("PATCH", "Users 1"),
        errors.ResourceNotRegistered,
        "resource_not_registered",
    ),
    ("batch", ask("POST", "$batch"), errors.ResourceNotRegistered, "resource_not_registered"),
    ("login", ask("POST", "Login"), errors.ResourceNotRegistered, "resource_not_registered"),
    (
        "unregistered resource's action",
        ask("POST", "Users 1 Close"),
        errors.ResourceNotRegistered,
        "resource_not_registered",
    ),
    (
        "undeclared service action",
        ask("POST", "QueryService_PostQuery"),
        errors.ActionNotRegistered,
        "action_not_registered",
    ),
    (
        "a service action is run and not read",
        ask("GET", "SeriesService_GetDocumentSeries"),
        MethodNotAllowed,
        "method_not_allowed",
    ),
    (
        "undeclared action",
        ask("POST", "Orders 12 Cancel"),
        errors.ActionNotRegistered,
        "action_not_registered",
    ),
    (
        "action in other case",
        ask("POST", "Orders 12 close"),
        errors.ActionNotRegistered,
        "action_not_registered",
    ),
    (
        "action where there is none",
        ask("POST", "Items A Cancel"),
        errors.ActionNotRegistered,
        "action_not_registered",
    ),
    ("undeclared create", ask("POST", "Items"), MethodNotAllowed, "method_not_allowed"),
    ("undeclared change", ask("PATCH", "Items A1"), MethodNotAllowed, "method_not_allowed"),
    ("undeclared list", ask("GET", "Inbox"), MethodNotAllowed, "method_not_allowed"),
    ("undeclared read", ask("GET", "Inbox 1"), MethodNotAllowed, "method_not_allowed"),
    ("list without the menu", ask("GET", "Orders", routes=NOBODY), PermissionDenied, "permission_denied"),
    ("read without the menu", ask("GET", "Orders 1", routes=NOBODY), PermissionDenied, "permission_denied"),
    (
        "create with the menu for reading",
        ask("POST", "Orders", routes=READER),
        PermissionDenied,
        "permission_denied",
    ),
    (
        "change with the menu for reading",
        ask("PATCH", "Orders 1", routes=READER),
        PermissionDenied,
        "permission_denied",
    ),
    (
        "action with the menu for reading",
        ask("POST", "Payments 1 Cancel", routes=READER),
        PermissionDenied,
        "permission_denied",
    ),
    (
        "permission before query",
        ask("GET", "Orders", "$apply=x", routes=NOBODY),
        PermissionDenied,
        "permission_denied",
    ),
    ("undeclared option", ask("GET", "Items", "$apply=x"), ODataError, "odata_unknown_option"),
    ("option without its sign", ask("GET", "Items", "top=5"), ODataError, "odata_unknown_option"),
    ("option given twice", ask("GET", "Items", "$top=5&$top=6"), ODataError, "odata_repeated_option"),
    ("paging switched off", ask("GET", "Items", "$top=0"), ODataError, "odata_bad_value"),
    ("more than the most", ask("GET", "Items", "$top=501"), ODataError, "odata_bad_value"),
    ("negative skip", ask("GET", "Items", "$skip=-1"), ODataError, "odata_bad_value"),
    ("undeclared expand", ask("GET", "Items", "$expand=ItemGroups"), ODataError, "odata_forbidden_name"),
    (
        "expand towards passwords",
        ask("GET", "Orders", "$expand=EmployeeInfo"),
        ODataError,
        "odata_forbidden_name",
    ),
    ("selecting a password", ask("GET", "Items", "$select=U_WEB_PASS"), ODataError, "odata_forbidden_name"),
    (
        "selecting it in other case",
        ask("GET", "Items", "$select=u_Web_Pass"),
        ODataError,
        "odata_forbidden_name",
    ),
    ("sorting by one", ask("GET", "Items", "$orderby=password desc"), ODataError, "odata_forbidden_name"),
    (
        "asking for it letter by letter",
        ask("GET", "Items", "$filter=startswith(UserPassword,'a')"),
        ODataError,
        "odata_forbidden_name",
    ),
    ("path in a filter", ask("GET", "Orders", "$filter=SalesPerson/Name eq 'a'"), ODataError, "odata_syntax"),
    ("broken filter", ask("GET", "Items", "$filter=A eq"), ODataError, "odata_syntax"),
    ("bad encoding", ask("GET", "Items", "$filter=%FF"), ODataError, "odata_encoding"),
    ("filter on a record", ask("GET", "Items A1", "$filter=A eq 1"), ODataError, "odata_unknown_option"),
    ("word for a number", ask("GET", "Orders abc"), ODataError, "key_bad_value"),
    ("number too large", ask("GET", "Orders 2147483648"), ODataError, "key_bad_value"),
    ("injected action", ask("PATCH", "Orders 12)/Close"), ODataError, "key_bad_value"),
    ("an action inside a key", ask("GET", "Payments 12/Cancel"), ODataError, "key_bad_value"),
    (
        "an action inside an action's key",
        ask("POST", "Payments 12/Cancel Cancel"),
        ODataError,
        "key_bad_value",
    ),
    ("key too long", ask("GET", "Items " + "A" * 21), ODataError, "key_bad_value"),
    ("composite key with a part missing", ask("GET", "Prices CardCode='C1'"), ODataError, "key_bad_value"),
    ("options on a create", ask("POST", "Orders", "$select=A"), ODataError, "odata_unknown_option"),
    (
        "options on a service action",
        ask("POST", "SeriesService_GetDocumentSeries", "a=1"),
        ODataError,
        "odata_unknown_option",
    ),
    ("options on a change", ask("PATCH", "Orders 1", "x"), ODataError, "odata_unknown_option"),
    ("options on an action", ask("POST", "Payments 1 Cancel", "$top=1"), ODataError, "odata_unknown_option"),
    (
        "foreign header on a list",
        ask("GET", "Items", "", ("B1S-Schema", "x")),
        errors.HeaderNotAllowed,
        "header_not_allowed",
    ),
    (
        "replacing on a read",
        ask("GET", "Orders", "", (REPLACE, "true")),
        errors.HeaderNotAllowed,
        "header_not_allowed",
    ),
    (
        "replacing on a record's read",
        ask("GET", "Orders 1", "", (REPLACE, "true")),
        errors.HeaderNotAllowed,
        "header_not_allowed",
    ),
    (
        "replacing on a create",
        ask("POST", "Orders", "", (REPLACE, "true")),
        errors.HeaderNotAllowed,
        "header_not_allowed",
    ),
    (
        "replacing without lines",
        ask("PATCH", "Payments 1", "", (REPLACE, "true")),
        errors.HeaderNotAllowed,
        "header_not_allowed",
    ),
    (
        "page size on a change",
        ask("PATCH", "Orders 1", "", ("B1S-PageSize", "5")),
        errors.HeaderNotAllowed,
        "header_not_allowed",
    ),
    (
        "header on an action",
        ask("POST", "Payments 1 Cancel", "", (REPLACE, "true")),
        errors.HeaderNotAllowed,
        "header_not_allowed",
    ),
    (
        "replacing perhaps",
        ask("PATCH", "Orders 1", "", (REPLACE, "yes")),
        errors.HeaderBadValue,
        "header_bad_value",
    ),
    (
        "replacing twice",
        ask("PATCH", "Orders 1", "", (REPLACE, "true"), (REPLACE, "false")),
        errors.HeaderBadValue,
        "header_bad_value",
    ),
    ("strong tag", ask("PATCH", "Orders 1", "", ("If-Match", '"356A"')), ODataError, "if_match_bad_value"),
    (
        "list of tags",
        ask("PATCH", "Orders 1", "", ("If-Match", f"{TAG}, {TAG}")),
        ODataError,
        "if_match_bad_value",
    ),
    (
        "two tags",
        ask("PATCH", "Orders 1", "", ("If-Match", TAG), ("If-Match", "*")),
        ODataError,
        "if_match_bad_value",
    ),
    (
        "tag in other case",
        ask("PATCH", "Orders 1", "", ("If-Match", 'w/"A"')),
        ODataError,
        "if_match_bad_value",
    ),
    (
        "bad tag on an action",
        ask("POST", "Orders 1 Close", "", ("If-Match", "A")),
        ODataError,
        "if_match_bad_value",
    ),
    (
        "tag where there are none",
        ask("PATCH", "Payments 1", "", ("If-Match", TAG)),
        errors.EtagUnsupported,
        "etag_unsupported",
    ),
    (
        "any tag where there are none",
        ask("PATCH", "Payments 1", "", ("If-Match", "*")),
        errors.EtagUnsupported,
        "etag_unsupported",
    ),
    (
        "tag on an untagged action",
        ask("POST", "Payments 1 Cancel", "", ("If-Match", TAG)),
        errors.EtagUnsupported,
        "etag_unsupported",
    ),
    (
        "tag on a create",
        ask("POST", "Orders", "", ("If-Match", TAG)),
        errors.EtagUnsupported,
        "etag_unsupported",
    ),
]


@pytest.mark.parametrize(("asked", "plan"), [row[1:] for row in PLANS], ids=[row[0] for row in PLANS])
def test_an_allowed_request_becomes_a_complete_plan(asked: Ask, plan: Callable[[], object]) -> None:
    assert asked.plan() == plan()


@pytest.mark.parametrize(
    ("asked", "kind", "code"), [row[1:] for row in REFUSALS], ids=[row[0] for row in REFUSALS]
)
def test_every_other_request_is_refused_with_a_typed_error(
    asked: Ask, kind: type[Exception], code: str
) -> None:
    with pytest.raises(kind) as caught:
        asked.plan()
    refusal: Any = caught.value
    assert refusal.code == code


@pytest.mark.parametrize(
    ("asked", "allow"),
    [
        (ask("POST", "Items"), "GET, HEAD"),
        (ask("PATCH", "Items A"), "GET, HEAD"),
        (ask("GET", "Inbox"), "POST"),
        (ask("GET", "Inbox 1"), ""),
    ],
)
def test_a_missing_method_is_refused_with_the_allowed_ones(asked: Ask, allow: str) -> None:
    with pytest.raises(MethodNotAllowed) as caught:
        asked.plan()
    assert caught.value.headers["Allow"] == allow


@pytest.mark.parametrize(
    ("refuse", "allow"),
    [
        (lambda: POLICY.refuse_collection_method("Orders"), "GET, HEAD, POST"),
        (lambda: POLICY.refuse_collection_method("Inbox"), "POST"),
        (lambda: POLICY.refuse_collection_method("SeriesService_GetDocumentSeries"), "POST"),
        (lambda: POLICY.refuse_record_method("Orders"), "GET, HEAD, PATCH"),
        (lambda: POLICY.refuse_record_method("Items"), "GET, HEAD"),
        (lambda: POLICY.refuse_action_method("Orders", "Close"), "POST"),
        (lambda: POLICY.refuse_action_method("Payments", "Cancel"), "POST"),
    ],
)
def test_an_unsupported_method_is_refused_with_the_allowed_ones(
    refuse: Callable[[], NoReturn], allow: str
) -> None:
    with pytest.raises(MethodNotAllowed) as refused:
        refuse()
    assert refused.value.headers == {"Allow": allow}


@pytest.mark.parametrize(
    ("refuse", "code"),
    [
        (lambda: POLICY.refuse_collection_method("Users"), "resource_not_registered"),
        (lambda: POLICY.refuse_record_method("Users"), "resource_not_registered"),
        (lambda: POLICY.refuse_action_method("Users", "Close"), "resource_not_registered"),
        (lambda: POLICY.refuse_action_method("Orders", "Cancel"), "action_not_registered"),
        (lambda: POLICY.refuse_action_method("Items", "Close"), "action_not_registered"),
    ],
)
def test_a_method_on_an_unregistered_resource_names_the_missing_registration(
    refuse: Callable[[], NoReturn], code: str
) -> None:
    with pytest.raises(ServiceError) as refused:
        refuse()
    assert refused.value.code == code


def test_an_entity_tag_on_a_create_does_not_blame_the_resource() -> None:
    with pytest.raises(errors.EtagUnsupported) as caught:
        ask("POST", "Orders", "", ("If-Match", TAG)).plan()
    assert "Este recurso no tiene" not in caught.value.detail


def test_a_denial_names_resource_and_key_for_the_audit() -> None:
    with pytest.raises(PermissionDenied) as caught:
        ask("PATCH", "Orders 12", routes=NOBODY).plan()
    assert (caught.value.subject, caught.value.key) == ("Orders", "12")


def test_a_denial_keeps_the_beginning_of_a_very_long_key() -> None:
    with pytest.raises(PermissionDenied) as caught:
        ask("GET", "Orders " + "9" * 5000, routes=NOBODY).plan()
    assert caught.value.key == "9" * 254


texts = st.text(max_size=40) | st.sampled_from(
    ["Orders", "Items", "Payments", "SeriesService_GetDocumentSeries", "12"]
)


@given(
    method=st.sampled_from(["GET", "POST", "PATCH"]),
    name=texts,
    key=texts,
    action=texts | st.sampled_from(["Close", "Cancel"]),
    query=st.binary(max_size=60) | st.sampled_from([b"", b"$top=1", b"$filter=A eq 'x'"]),
    sent=st.lists(
        st.tuples(st.sampled_from([REPLACE, "If-Match", "B1S-X"]), st.text('W/"A*true', max_size=8)),
        max_size=2,
    ),
)
def test_every_request_yields_a_plan_or_a_declared_refusal(
    method: str, name: str, key: str, action: str, query: bytes, sent: list[tuple[str, str]]
) -> None:
    asked = Ask(name=name, key=key, action=action, method=method, query=query, headers=tuple(sent))
    try:
        plan = asked.plan()
    except (ServiceError, ODataError):
        return
    predicate = getattr(plan, "predicate", "")
    assert isinstance(predicate, str)
    assert not set("/?#\\ \x00\r\n") & set(predicate)


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        (ask("GET", "Orders(1)"), "/api/sl/Orders/1"),
        (ask("GET", "Items('A-1.b')"), "/api/sl/Items/A-1.b"),
        (ask("PATCH", "Orders(1) x"), "/api/sl/Orders/1"),
        (ask("POST", "Orders(1)"), "/api/sl/Orders/1"),
    ],
)
def test_a_key_in_parentheses_is_refused_with_the_right_path(asked: Ask, path: str) -> None:
    with pytest.raises(errors.ResourceNotRegistered) as refused:
        asked.plan()
    assert str(refused.value.detail).endswith(f" La clave de un registro va en la ruta, así: {path}")


@pytest.mark.parametrize(
    "name", ["Users(1)", "orders(1)", "Orders(", "Orders('A/1')", "Orders(1)x", "Orders()"]
)
def test_an_unregistered_resource_gets_no_path_hint(name: str) -> None:
    with pytest.raises(errors.ResourceNotRegistered) as refused:
        ask("GET", name).plan()
    assert refused.value.detail == "El recurso no está registrado en este servicio."


def test_a_resource_is_usable_only_with_read_or_write_rights() -> None:
    letters = Resource(
        name="Letters", key=IntKey("Code"), read_menu=None, write_menu="/cartas", methods={"POST"}
    )
    policy = ProxyPolicy(Registry([letters], []))
    assert policy.find_usable("Letters", lambda route: route == "/cartas").resource == letters
    with pytest.raises(PermissionDenied):
        policy.find_usable("Letters", lambda _: False)
