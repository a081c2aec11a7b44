"""The resources and actions that a caller may use, with the facts that a page needs to show them."""

from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from attrs import frozen

from erp_gateway.records.proxy.client_request import Allows
from erp_gateway.records.proxy.declarations.columns import Column
from erp_gateway.records.proxy.declarations.meanings import with_meanings
from erp_gateway.records.proxy.declarations.registry import Registered, Registry
from erp_gateway.records.proxy.declarations.resource import Resource, key_parts
from erpclient.odata import DateKey, IntKey, StrKey

KeyType: TypeAlias = Literal["integer", "text", "date"]

_METHODS: Final = ("GET", "POST", "PATCH")
_KEY_TYPES: Final[Mapping[type, KeyType]] = {IntKey: "integer", StrKey: "text", DateKey: "date"}


@frozen(kw_only=True)
class KeyPart:
    """One property of a key and the type of its values."""

    name: str
    type: KeyType


@frozen(kw_only=True)
class OfferedResource:
    """One resource, with the caller's rights and the facts that a page needs to show it.

    Attributes:
        name: the resource.
        title: title of its records; None if it is not declared.
        singular: title of one record, such as above its page; None if it is not declared.
        area: the first word of its menu route to read, or else to write, such as `ventas`; None without any.
        path: path of its records.
        methods: methods that the caller's permissions cover.
        key: one part, or several of a composite key.
        actions: verbs on one record that the caller may use.
        expand: navigation properties that `$expand` may name.
        etag: whether records carry entity tags, and `If-Match` is honoured.
        replaces_collections: whether PATCH takes `B1S-ReplaceCollectionsOnPatch`.
        approvable: whether a new record may end as a draft that waits for approval.
        attachments: whether records have files at `/api/attachments`.
        screen: menu route of the screen whose print formats print its records (`GET /api/gateway/documents`);
            None where there are none for the caller.
        columns: columns to show, in order; empty if none are declared.
    """

    name: str
    title: str | None
    singular: str | None
    area: str | None
    path: str
    methods: tuple[str, ...]
    key: tuple[KeyPart, ...]
    actions: tuple[str, ...]
    expand: tuple[str, ...]
    etag: bool
    replaces_collections: bool
    approvable: bool
    attachments: bool
    screen: str | None
    columns: tuple[Column, ...]


@frozen(kw_only=True)
class Offer:
    """Everything that the caller may use, by name."""

    items: tuple[OfferedResource, ...]
    service_actions: tuple[str, ...]


def offer(registry: Registry, allows: Allows, *, prints: bool) -> Offer:
    """Return the offer for a caller; it leaves out resources that the caller may not use at all.

    Args:
        registry: the registered resources and service actions.
        allows: whether the caller's permissions cover a menu route.
        prints: whether there is a report gateway, which print formats need.
    """
    offered = (_offer(registered, allows, prints=prints) for registered in registry.registered)
    return Offer(
        items=tuple(each for each in offered if each.methods or each.actions),
        service_actions=registry.service_actions,
    )


def _offer(registered: Registered, allows: Allows, *, prints: bool) -> OfferedResource:
    resource = registered.resource
    may_write = _permitted(resource.write_menu, allows)
    may_print = prints and resource.printed and _permitted(resource.read_menu, allows)
    return OfferedResource(
        name=resource.name,
        title=resource.title,
        singular=resource.singular,
        area=_area(resource),
        path=registered.service_path,
        methods=tuple(_methods(resource, allows, may_write=may_write)),
        key=tuple(KeyPart(name=part.name, type=_KEY_TYPES[type(part)]) for part in key_parts(resource.key)),
        actions=tuple(sorted(resource.actions)) if may_write else (),
        expand=tuple(sorted(resource.expand)),
        etag=resource.tagged,
        replaces_collections=resource.replaces_collections,
        approvable=resource.approvable,
        attachments=resource.attachments,
        screen=resource.read_menu if may_print else None,
        columns=with_meanings(resource),
    )


def _area(resource: Resource) -> str | None:
    menu = resource.read_menu or resource.write_menu  # master data that any session may read
    return None if menu is None else menu.split("/")[1]


def _methods(resource: Resource, allows: Allows, *, may_write: bool) -> Iterator[str]:
    for method in _METHODS:
        permitted = _permitted(resource.read_menu, allows) if method == "GET" else may_write
        if method in resource.methods and permitted:
            yield method


def _permitted(menu: str | None, allows: Allows) -> bool:
    return menu is None or allows(menu)
