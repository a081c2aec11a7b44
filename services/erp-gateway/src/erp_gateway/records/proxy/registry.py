"""What of the ERP the proxy may touch: declared resources and service actions, checked at start.

The list is positive. What is not declared does not exist for a client, and a few things may never be
declared: the employee directory with its passwords, and everything that could reach it or write past this
registry.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, Literal, TypeAlias, cast

import attrs
from attrs import frozen

from erp_gateway.records.proxy.object_types import ENTITY_SETS
from erp_gateway.records.proxy.service_action import ServiceAction
from erp_gateway.values.declarations import (
    ADD_A_COMMA,
    TAKES,
    RegistryError,
    is_menu_route,
)
from erp_gateway.values.measures import Measure
from erpclient.odata import CompositeKey, DateKey, EntityKey, IntKey, OptionRules, StrKey
from erpclient.odata.keys import SimpleKey

ColumnType: TypeAlias = Literal["text", "integer", "number", "date", "choice"]
ColumnSearch: TypeAlias = Literal["code", "name"]
PartnerKind: TypeAlias = Literal["customer", "supplier"]


@frozen(kw_only=True)
class Choice:
    """One value of a column that has few, as the ERP writes it, and its name for people."""

    value: str
    title: str


@frozen(kw_only=True)
class Lookup:
    """Where the values of a field are the keys of records.

    Attributes:
        resource: whose records.
        filter: which of them may be chosen, as `$filter` takes it; None: any.
        shows: what helps to choose, its name first.
    """

    resource: str
    filter: str | None
    shows: tuple[str, ...]


@frozen(kw_only=True)
class Column:
    """One property worth a column in a table, a part of a filter, or a place in the order.

    Attributes:
        name: the property, spelt as the Service Layer spells it.
        title: what people call it, in Spanish.
        type: how its values are written and compared; a `choice` is compared as a text.
        choices: the values of a `choice`.
        search: what a search in the list looks in: `code` is a number or a code that people know a record by,
            `name` what it is called; None where no search looks.
        lookup: whose keys its values are; None where nobody has said.
        measure: what its numbers count; None where nobody has said.
    """

    name: str
    title: str
    type: ColumnType
    choices: tuple[Choice, ...] = ()
    search: ColumnSearch | None = None
    lookup: Lookup | None = None
    measure: Measure | None = None


Columns: TypeAlias = tuple[Column, ...]


def text(name: str, title: str, search: ColumnSearch | None = None) -> Column:
    """Declare a column of texts."""
    return Column(name=name, title=title, type="text", search=search)


def integer(name: str, title: str, search: ColumnSearch | None = None) -> Column:
    """Declare a column of whole numbers."""
    return Column(name=name, title=title, type="integer", search=search)


def number(name: str, title: str) -> Column:
    """Declare a column of amounts and other numbers."""
    return Column(name=name, title=title, type="number")


def date(name: str, title: str) -> Column:
    """Declare a column of days."""
    return Column(name=name, title=title, type="date")


def choice(name: str, title: str, **choices: str) -> Column:
    """Declare a column of few values, each with its name for people."""
    named = tuple(Choice(value=value, title=said) for value, said in choices.items())
    return Column(name=name, title=title, type="choice", choices=named)


def yes_no(name: str, title: str) -> Column:
    """Declare a column of the ERP's `tYES` and `tNO`."""
    return choice(name, title, tYES="Sí", tNO="No")


DOC_ENTRY: Final = integer("DocEntry", "Número interno")
DOC_NUM: Final = integer("DocNum", "Número", "code")
DOC_DATE: Final = date("DocDate", "Fecha")
CARD_CODE: Final = text("CardCode", "Código del socio", "code")
CARD_NAME: Final = text("CardName", "Nombre del socio", "name")
ITEM_CODE: Final = text("ItemCode", "Artículo", "code")
CODE: Final = text("Code", "Código", "code")
NUMERIC_CODE: Final = integer("Code", "Código", "code")
ABS_ENTRY: Final = integer("AbsEntry", "Número interno")
NAME: Final = text("Name", "Nombre", "name")
DESCRIPTION: Final = text("Description", "Descripción", "name")
ACTIVE: Final = yes_no("Active", "Activo")
CANCELLED: Final = yes_no("Cancelled", "Anulado")
DOCUMENT_STATUS: Final = choice("DocumentStatus", "Estado", bost_Open="Abierto", bost_Close="Cerrado")
COMMENTS: Final = text("Comments", "Comentarios")

DOCUMENT: Final = (
    DOC_NUM,
    DOC_DATE,
    date("DocDueDate", "Vencimiento"),
    CARD_CODE,
    CARD_NAME,
    number("DocTotal", "Total"),
    text("DocCurrency", "Moneda"),
    DOCUMENT_STATUS,
    CANCELLED,
    COMMENTS,
    DOC_ENTRY,
    number("DocTotalFc", "Total en divisa"),
)
STOCK_DOCUMENT: Final = (DOC_NUM, DOC_DATE, number("DocTotal", "Total"), COMMENTS, DOC_ENTRY)
TRANSFER: Final = (
    DOC_NUM,
    DOC_DATE,
    text("FromWarehouse", "Desde el almacén"),
    text("ToWarehouse", "Hacia el almacén"),
    CARD_NAME,
    COMMENTS,
    DOC_ENTRY,
)
PAYMENT: Final = (
    DOC_NUM,
    DOC_DATE,
    CARD_CODE,
    CARD_NAME,
    number("CashSum", "Efectivo"),
    number("TransferSum", "Transferencia"),
    text("DocCurrency", "Moneda"),
    CANCELLED,
    DOC_ENTRY,
)


READ: Final = frozenset({"GET"})
READ_WRITE: Final = frozenset({"GET", "POST", "PATCH"})

SECRET_FIELDS: Final = frozenset(
    {"U_WEB_PASS", "Password", "UserPassword", "ServicePassword", "AuthorityPassword", "ApproverPassword"}
)
"""Properties that hold passwords: `U_WEB_PASS` by contract, the others by the metadata of Service Layer 10.0.

Refused in every clause whatever their letter case, and taken out of answers."""

_SECRET_CASEFOLDED: Final = frozenset(name.casefold() for name in SECRET_FIELDS)

SECRET_BODY_FIELDS: Final = frozenset({"U_WEB_PASS"})
"""Properties that no body may write; the ERP's own passwords of partners and contacts may be set."""

_FORBIDDEN_SETS: Final = frozenset(
    {
        # passwords, users and what they may do
        "EmployeesInfo", "EmployeeInfo", "Users", "User", "UserGroups", "UserPermissionTree",
        "UserDefaultGroups", "EmployeeTransfers", "EmployeeRolesSetup",
        # SQL and scripts that reach any table
        "SQLQueries", "SQLViews", "UserQueries", "QueryCategories", "QueryAuthGroups", "FormattedSearches",
        "AlertManagements", "UserKeysMD",
        # the shape of the company, hence ways around this list
        "UserTablesMD", "UserFieldsMD", "UserObjectsMD", "ExtendedTranslations", "ChooseFromList",
        # not resources at all; attachments are those of a record (`/api/attachments`)
        "Attachments2", "Login", "Logout", "batch", "crossjoin", "metadata", "ExtensionsService",
    }
)  # fmt: skip
_FORBIDDEN_CASEFOLDED: Final = frozenset(name.casefold() for name in _FORBIDDEN_SETS)

_SEARCHED: Final[dict[ColumnSearch, tuple[ColumnType, ...]]] = {
    "code": ("text", "integer"),
    "name": ("text",),
}
_METHODS: Final = "READ, READ_WRITE or a set of GET, POST and PATCH"
_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,128}")
_DIGIT_NAME: Final = re.compile(r"[0-9][A-Za-z0-9_]{0,127}")
_NAVIGATION: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_KEY_TYPES: Final = (IntKey, StrKey, DateKey, CompositeKey)

# The Service Layer names a navigation property after the entity set or type it leads to and numbers names
# that repeat: EmployeeInfo, EmployeesInfo, User, Users, User2 (all 74 of them in the metadata of 10.0).
_LEADS_TO_USERS: Final = re.compile(r"(employeesinfo|employeeinfo|users|user)\d*")

_NEVER_REFERENCE: Final = frozenset({"chartofaccounts"})
"""Entity sets that look like catalogues and are not: accounts carry balances, which every booking changes."""

# A query-only service action reads, says so in its name, and is not one of those that reach other people's
# passwords (AdminInfo holds ServicePassword) or any table (QueryService).
_QUERY_ACTION: Final = re.compile(r"[A-Za-z0-9_]+Service_Get[A-Za-z0-9_]+")
_FORBIDDEN_SERVICES: Final = re.compile(
    r"(query|users?|employees?info|userpermission|usergroup|sql|external)[a-z]*service_.*"
    r"|companyservice_get(admininfo|advancedglaccount)",
)


def _names(names: Iterable[str]) -> frozenset[str]:
    """Make it a set; anything else, such as one text, stays as it is for the check of types to tell."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return cast("frozenset[str]", names)
    return frozenset(names)


@frozen(kw_only=True)
class KnownPasswords:
    """Which of the listed passwords the answers of a shipped resource can hold, by the ERP's metadata.

    It counts as long as the declaration still has this name and expands nothing else.

    Attributes:
        name: the entity set that was looked at.
        expand: the navigation properties that were followed.
        names: the properties that were found.
    """

    name: str
    expand: frozenset[str]
    names: frozenset[str]


@frozen(kw_only=True)
class Resource:
    """One entity set that clients may use.

    Attributes:
        name: the entity set, spelt as the Service Layer spells it (names are case-sensitive there).
        key: the declared key of its records.
        read_menu: menu route that governs reading; `None`: any session.
        write_menu: menu route that governs creating, changing and actions; `None`: any session. Without
            meaning for a resource that can only be read.
        methods: `READ` or `READ_WRITE`, or any other part of GET, POST and PATCH.
        actions: verbs on one record, such as `Cancel`.
        expand: navigation properties that `$expand` may name.
        tagged: whether records carry entity tags. Annotated in the metadata from FP 2102 on: marketing
            documents, Items, BusinessPartners, Activities and AdditionalExpenses, and no others.
        replaces_collections: whether PATCH takes `B1S-ReplaceCollectionsOnPatch`, which deletes the lines
            that are not sent; only for resources that have collections.
        printed: whether the print formats of the screen that `read_menu` names print its records; needs a key
            of one whole number.
        traced: whether new records have the field that `WRITE_TRACE_FIELD` names.
        approvable: whether an approval procedure of the company can turn a new record into a draft.
        attachments: whether records have `AttachmentEntry`: people read and add their files at
            `/api/attachments`, with the permissions of reading and changing the record.
        digit_names: property names that start with a digit, which the query grammar refuses otherwise.
        reference: whether it is small and rarely changed, so that answers may come from memory for a while;
            not possible where somebody relies on having read the latest, or where other writes change it.
        secret_fields: further properties that nobody may see, beside those that hold passwords: refused in
            every clause of a query, taken out of its answers at every depth, whatever their letter case.
        known_passwords: what spares a shipped resource the search for the others; extensions leave it out.
        title: what people call its records, in Spanish; `None` where nobody has said.
        singular: what they call one of them.
        columns: what a page shows of a record before anybody chose, in order.
        object_type: the number by which lines of other documents name it (`BaseType`); `None`: none do.
        partner: with whom its documents are made; `None`: with nobody, or with either.
    """

    name: str
    key: EntityKey
    read_menu: str | None
    write_menu: str | None
    methods: frozenset[str] = attrs.field(default=READ, converter=_names, metadata={TAKES: _METHODS})
    actions: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    expand: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    tagged: bool = False
    replaces_collections: bool = False
    approvable: bool = False
    printed: bool = False
    traced: bool = False
    attachments: bool = False
    reference: bool = False
    digit_names: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    secret_fields: frozenset[str] = attrs.field(default=frozenset(), converter=_names)
    known_passwords: KnownPasswords | None = attrs.field(default=None)
    title: str | None = None
    singular: str | None = None
    columns: tuple[Column, ...] = ()
    object_type: int | None = None
    partner: PartnerKind | None = None

    @property
    def key_names(self) -> frozenset[str]:
        """Names of the properties that make up its key."""
        return _key_names(self.key)

    @property
    def writable(self) -> bool:
        """Whether anything about it can be created, changed or acted upon."""
        return bool(self.actions) or "POST" in self.methods or "PATCH" in self.methods

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with the declaration, one sentence each."""
        if not _NAME.fullmatch(self.name):
            yield "the name must consist of letters, digits and underscores"
        if self.name.casefold() in _FORBIDDEN_CASEFOLDED:
            yield "this entity set may never be registered"
        if not isinstance(self.key, _KEY_TYPES):
            yield _key_problem(self.key)
        if not self.methods or not self.methods <= READ_WRITE:
            yield f"methods must be {_METHODS}, not {sorted(self.methods)}"
        for name, route in (("read_menu", self.read_menu), ("write_menu", self.write_menu)):
            if route is not None and not is_menu_route(route):
                yield f"{name} must be a menu route such as /ventas/pedidos, not {route!r}"
        yield from _mark_problems(self)
        yield from _reference_problems(self) if self.reference else ()
        yield from (
            f"action {action!r} is no name" for action in sorted(self.actions) if not _NAME.fullmatch(action)
        )
        yield from (
            f"digit name {name!r} must start with a digit"
            for name in sorted(self.digit_names)
            if not _DIGIT_NAME.fullmatch(name)
        )
        yield from _column_problems(self)
        yield from _secret_problems(self)
        for target in sorted(self.expand):
            if not _NAVIGATION.fullmatch(target):
                yield f"expand {target!r} must be the name of a navigation property"
            elif _LEADS_TO_USERS.fullmatch(target.casefold()):
                yield f"expand {target!r} leads to people's passwords"


@frozen(kw_only=True)
class Registered:
    """A resource that passed the checks, with what every request about it needs.

    Attributes:
        resource: the declaration.
        rules: what its queries may name.
        hidden: what is taken out of its answers.
        allow: value of an `Allow` header for the collection path.
        allow_record: the same for the path of one record.
        service_path: its path below the API's root, `/api/sl/Orders`.
    """

    resource: Resource
    rules: OptionRules
    hidden: frozenset[str]
    allow: str
    allow_record: str
    service_path: str


class Registry:
    """The declared resources and service actions.

    Args:
        resources: one declaration for each entity set.
        service_actions: query-only actions without a record; any session may call them.
        secret_fields: properties refused in queries and taken out of answers.
        secret_body_fields: properties refused in bodies.

    Raises:
        RegistryError: with all faults of all declarations.
    """

    def __init__(
        self,
        resources: Iterable[Resource],
        service_actions: Iterable[ServiceAction | str],
        *,
        secret_fields: frozenset[str] = SECRET_FIELDS,
        secret_body_fields: frozenset[str] = SECRET_BODY_FIELDS,
    ) -> None:
        declared = tuple(resources)
        actions = tuple(map(ServiceAction.of, service_actions))
        problems = [*_resource_problems(declared), *_action_problems(actions)]
        if problems:
            raise RegistryError(problems)
        self.secret_fields = secret_fields
        self.secret_body_fields = frozenset(name.casefold() for name in secret_body_fields)
        self._resources = {
            resource.name: _register(resource, secret_fields)
            for resource in sorted(declared, key=lambda resource: resource.name)
        }
        self._service_actions = {action.name: action for action in actions}

    @property
    def resources(self) -> tuple[Resource, ...]:
        """All declarations, by name."""
        return tuple(registered.resource for registered in self._resources.values())

    @property
    def registered(self) -> tuple[Registered, ...]:
        """All resources as registered, by name."""
        return tuple(self._resources.values())

    @property
    def object_types(self) -> dict[int, str]:
        """Entity set by object type, with those that the resources declare."""
        declared = {each.object_type: each.name for each in self.resources if each.object_type is not None}
        return {**ENTITY_SETS, **declared}

    @property
    def service_actions(self) -> tuple[str, ...]:
        """Names of all service actions, in their order."""
        return tuple(sorted(self._service_actions))

    def find(self, name: str) -> Registered | None:
        """Return the resource of this exact name, or `None`."""
        return self._resources.get(name)

    def is_service_action(self, name: str) -> bool:
        """Whether a service action of this exact name is declared."""
        return name in self._service_actions

    def find_service_action(self, name: str) -> ServiceAction | None:
        """Return the service action of this exact name, or `None`."""
        return self._service_actions.get(name)


def _register(resource: Resource, secret_fields: frozenset[str]) -> Registered:
    reading = ["GET", "HEAD"] if "GET" in resource.methods else []
    collection = [*reading, *(["POST"] if "POST" in resource.methods else [])]
    record = [*reading, *(["PATCH"] if "PATCH" in resource.methods else [])]
    return Registered(
        resource=resource,
        hidden=_passwords(resource, secret_fields) | resource.secret_fields,
        rules=OptionRules(
            expand=resource.expand,
            denied=secret_fields | resource.secret_fields,
            extra_names=resource.digit_names,
        ),
        allow=", ".join(collection),
        allow_record=", ".join(record),
        service_path=f"/api/sl/{resource.name}",
    )


def _passwords(resource: Resource, secret_fields: frozenset[str]) -> frozenset[str]:
    """Return which passwords its answers can hold: all of the list where nobody looked."""
    known = resource.known_passwords
    if known is None or known.name != resource.name or not resource.expand <= known.expand:
        return secret_fields
    return known.names


def key_parts(key: EntityKey) -> tuple[SimpleKey, ...]:
    """Return the parts of a key, of which most have one."""
    return key.parts if isinstance(key, CompositeKey) else (cast("SimpleKey", key),)  # there are no others


def _key_names(key: EntityKey) -> frozenset[str]:
    """Return the names of what may be no key at all."""
    return frozenset(part.name for part in key_parts(key) if isinstance(part, IntKey | StrKey | DateKey))


def _key_problem(key: object) -> str:
    if isinstance(key, str):
        return f'key must say its type, as IntKey("{key}") or StrKey("{key}") does'
    if isinstance(key, tuple):
        return "key of several parts must be a CompositeKey((StrKey(...), IntKey(...)))"
    return f"{type(key).__name__} is no key type: IntKey, StrKey, DateKey or a CompositeKey of some"


def _mark_problems(resource: Resource) -> Iterator[str]:
    if resource.replaces_collections and "PATCH" not in resource.methods:
        yield "collections can only be replaced where PATCH is allowed"
    if resource.traced and "POST" not in resource.methods:
        yield "only what can be created can be traced"
    if resource.printed and (resource.read_menu is None or not isinstance(resource.key, IntKey)):
        yield "only what is read through a menu, by one whole number, has print formats"


def _reference_problems(resource: Resource) -> Iterator[str]:
    if resource.name.casefold() in _NEVER_REFERENCE:
        yield "this entity set can't be reference: every booking changes it"
    if "GET" not in resource.methods and resource.methods <= READ_WRITE:
        yield "only what can be read can be reference"
    if resource.tagged:
        yield "what carries entity tags can't be reference"
    if resource.approvable:
        yield "what an approval procedure can catch can't be reference"
    if resource.actions:
        yield "what has actions can't be reference"
    if "DocEntry" in _key_names(resource.key):
        yield "documents, which have the key DocEntry, can't be reference"


def _column_problems(resource: Resource) -> Iterator[str]:
    columns = resource.columns
    names = [column.name for column in columns]
    secret = {name.casefold() for name in resource.secret_fields}
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"column {name!r} is declared twice"
    for name in names:
        if not _NAVIGATION.fullmatch(name) and name not in resource.digit_names:
            yield f"column {name!r} is no property name"
        elif name.casefold() in _SECRET_CASEFOLDED:
            yield f"column {name!r} holds passwords"
        elif name.casefold() in secret:
            yield f"column {name!r} is among the secret_fields: it would stay empty"
    for column in columns:
        if bool(column.choices) != (column.type == "choice"):
            yield f"column {column.name!r} must have choices as a choice, else none"
        if column.search and column.type not in _SEARCHED[column.search]:
            types = " or ".join(_SEARCHED[column.search])
            yield f"column {column.name!r} is searched as a {column.search}, so its type must be {types}"
        if column.measure and (column.type != "number" or not column.measure.is_whole):
            yield f"column {column.name!r} has a measure: its type is number, and a quantity needs `by`"
        elif column.measure and (column.measure.by or "").casefold() in secret | _SECRET_CASEFOLDED:
            yield f"column {column.name!r} has a measure by {column.measure.by!r}, which nobody may see"


def _secret_problems(resource: Resource) -> Iterator[str]:
    names = sorted(resource.secret_fields)
    if len(names) > 1 and all(len(name) == 1 for name in names):
        yield f"secret_fields are single letters ({', '.join(names)}), {ADD_A_COMMA}"
        return
    key = {name.casefold() for name in _key_names(resource.key)}
    expand = {name.casefold() for name in resource.expand}
    for name in names:
        if not _NAVIGATION.fullmatch(name) and not _DIGIT_NAME.fullmatch(name):
            yield f"secret field {name!r} is no property name"
        elif name.casefold() in key:
            yield f"secret field {name!r} belongs to the key, which every record shows"
        elif name.casefold() in expand:
            yield f"secret field {name!r} is what `expand` lets people ask for"


def _resource_problems(resources: tuple[Resource, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for resource in resources:
        if resource.name.casefold() in seen:
            yield f"{resource.name}: declared twice"
        seen.add(resource.name.casefold())
        yield from (f"{resource.name}: {problem}" for problem in resource.problems())


def _action_problems(actions: tuple[ServiceAction, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for action in actions:
        name = action.name
        if name.casefold() in seen:
            yield f"{name}: declared twice"
        seen.add(name.casefold())
        if not _QUERY_ACTION.fullmatch(name):
            yield f"{name}: a service action must only read, and be called ...Service_Get..."
        elif _FORBIDDEN_SERVICES.fullmatch(name.casefold()):
            yield f"{name}: this service action may never be registered"
        yield from (f"{name}: {problem}" for problem in action.problems())
