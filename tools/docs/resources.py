"""Tables of docs/resources.md: the default resources of the proxy and its service actions."""

from collections.abc import Iterator

from erp_gateway.records.proxy.declarations.resource import Resource, key_parts
from erp_gateway.records.proxy.declarations.resources import DEFAULT_RESOURCES, DEFAULT_SERVICE_ACTIONS
from erpclient.odata import IntKey
from tools.docs.part import Part, table

_HEAD = ("Resource", "Key", "Methods", "Read", "Write", "Actions", "Expand", "Marks")
_METHODS = ("GET", "POST", "PATCH")


def resources_table() -> str:
    """Return the table of the default resources, by name."""
    return table(_HEAD, map(row, sorted(DEFAULT_RESOURCES, key=lambda each: each.name)))


def row(resource: Resource) -> tuple[str, ...]:
    """Return the cells of a resource."""
    return (
        f"`{resource.name}`",
        _key(resource),
        ", ".join(method for method in _METHODS if method in resource.methods),
        _menu(resource.read_menu),
        _menu(resource.write_menu) if resource.writable else "-",
        ", ".join(sorted(resource.actions)) or "-",
        ", ".join(sorted(resource.expand)) or "-",
        ", ".join(_marks(resource)) or "-",
    )


def _key(resource: Resource) -> str:
    parts = key_parts(resource.key)
    return ", ".join(f"{part.name} ({'int' if isinstance(part, IntKey) else 'str'})" for part in parts)


def _menu(route: str | None) -> str:
    return "any session" if route is None else f"`{route}`"


def _marks(resource: Resource) -> Iterator[str]:
    marks = {
        "tags": resource.tagged,
        "replace": resource.replaces_collections,
        "trace": resource.traced,
        "print": resource.printed,
        "reference": resource.reference,
        "files": resource.attachments,
    }
    return (mark for mark, applies in marks.items() if applies)


def actions_table() -> str:
    """Return the table of the service actions, by name."""
    actions = sorted(DEFAULT_SERVICE_ACTIONS, key=lambda each: each.name)
    rows = (
        (f"`{each.name}`", ", ".join(f"`{parameter}`" for parameter in each.parameters or ()))
        for each in actions
    )
    return table(("Action", "Parameters"), rows)


PARTS = (
    Part("docs/resources.md", actions_table, markers="service actions"),
    Part("docs/resources.md", resources_table, markers="resources"),
)
