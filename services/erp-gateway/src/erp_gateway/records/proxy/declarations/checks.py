"""Checks of a resource's declaration at start."""

import re
from collections.abc import Iterator
from typing import Final

from erp_gateway.records.proxy.declarations.columns import ColumnSearch, ColumnType
from erp_gateway.records.proxy.declarations.resource import ALLOWED_METHODS, READ_WRITE, Resource, key_names
from erp_gateway.records.proxy.declarations.secret_fields import SECRET_FIELDS
from erp_gateway.values.declarations import ADD_A_COMMA, is_menu_route
from erpclient.odata import CompositeKey, DateKey, IntKey, StrKey

_SECRET_CASEFOLDED: Final = frozenset(name.casefold() for name in SECRET_FIELDS)


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
_NAME: Final = re.compile(r"[A-Za-z0-9_]{1,128}")
_DIGIT_NAME: Final = re.compile(r"[0-9][A-Za-z0-9_]{0,127}")
_NAVIGATION: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_KEY_TYPES: Final = (IntKey, StrKey, DateKey, CompositeKey)

# The Service Layer names a navigation property after the entity set or type it leads to and numbers names
# that repeat: EmployeeInfo, EmployeesInfo, User, Users, User2 (all 74 of them in the metadata of 10.0).
_LEADS_TO_USERS: Final = re.compile(r"(employeesinfo|employeeinfo|users|user)\d*")

_NEVER_REFERENCE: Final = frozenset({"chartofaccounts"})
"""Entity sets that only seem to be catalogues: every booking changes the balances of accounts."""


def resource_problems(resource: Resource) -> Iterator[str]:
    """Yield one sentence for each fault of a declaration."""
    if not _NAME.fullmatch(resource.name):
        yield "the name must consist of letters, digits and underscores"
    if resource.name.casefold() in _FORBIDDEN_CASEFOLDED:
        yield "this entity set may never be registered"
    if not isinstance(resource.key, _KEY_TYPES):
        yield _key_problem(resource.key)
    if not resource.methods or not resource.methods <= READ_WRITE:
        yield f"methods must be {ALLOWED_METHODS}, not {sorted(resource.methods)}"
    for name, route in (("read_menu", resource.read_menu), ("write_menu", resource.write_menu)):
        if route is not None and not is_menu_route(route):
            yield f"{name} must be a menu route such as /ventas/pedidos, not {route!r}"
    yield from _mark_problems(resource)
    yield from _reference_problems(resource) if resource.reference else ()
    yield from (
        f"action {action!r} is no name" for action in sorted(resource.actions) if not _NAME.fullmatch(action)
    )
    yield from (
        f"digit name {name!r} must start with a digit"
        for name in sorted(resource.digit_names)
        if not _DIGIT_NAME.fullmatch(name)
    )
    yield from _column_problems(resource)
    yield from _secret_problems(resource)
    for target in sorted(resource.expand):
        if not _NAVIGATION.fullmatch(target):
            yield f"expand {target!r} must be the name of a navigation property"
        elif _LEADS_TO_USERS.fullmatch(target.casefold()):
            yield f"expand {target!r} leads to people's passwords"


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
    if "DocEntry" in key_names(resource.key):
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
    key = {name.casefold() for name in key_names(resource.key)}
    expand = {name.casefold() for name in resource.expand}
    for name in names:
        if not _NAVIGATION.fullmatch(name) and not _DIGIT_NAME.fullmatch(name):
            yield f"secret field {name!r} is no property name"
        elif name.casefold() in key:
            yield f"secret field {name!r} belongs to the key, which every record shows"
        elif name.casefold() in expand:
            yield f"secret field {name!r} is what `expand` lets people ask for"
