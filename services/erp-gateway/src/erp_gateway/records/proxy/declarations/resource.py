"""The declaration of one resource."""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, cast

import attrs
from attrs import frozen

from erp_gateway.records.proxy.declarations.columns import Column
from erp_gateway.values.declarations import TAKES
from erpclient.odata import CompositeKey, DateKey, EntityKey, IntKey, StrKey
from erpclient.odata.keys import SimpleKey

PartnerKind: TypeAlias = Literal["customer", "supplier"]

READ: Final = frozenset({"GET"})
READ_WRITE: Final = frozenset({"GET", "POST", "PATCH"})
ALLOWED_METHODS: Final = "READ, READ_WRITE or a set of GET, POST and PATCH"

CANCEL_BY_DOCUMENT: Final = "CreateCancellationDocument"
"""The action that cancels a posted document by a new one and returns the new one."""


def _names(names: Iterable[str]) -> frozenset[str]:
    """Convert to a set. A value of another type, such as one text, stays for the check of types to report."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return cast("frozenset[str]", names)
    return frozenset(names)


@frozen(kw_only=True)
class KnownPasswords:
    """The listed passwords that answers of a shipped resource can hold, by the ERP's metadata.

    They hold while the declaration keeps this name and expands nothing else.

    Attributes:
        name: the examined entity set.
        expand: the followed navigation properties.
        names: the found properties.
    """

    name: str
    expand: frozenset[str]
    names: frozenset[str]


@frozen(kw_only=True)
class Resource:
    """One entity set that clients may use.

    Attributes:
        name: the entity set, spelt as the Service Layer spells it (names are case-sensitive there).
        key: the key of its records.
        read_menu: menu route that governs reading; `None`: any session.
        write_menu: menu route that governs creating, changing and actions; `None`: any session. Without
            meaning for a resource that can only be read.
        methods: `READ`, `READ_WRITE`, or any other set of GET, POST and PATCH.
        actions: verbs on one record, such as `Cancel`. `CreateCancellationDocument` creates a document, so an
            approval procedure can turn it into a draft where the resource is `approvable`.
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
        reference: whether it is small and rarely changed, so that cached answers may be used for a while. Not
            allowed where readers rely on the latest state, or where other writes change it.
        secret_fields: further hidden properties, beside those that hold passwords: refused in every clause of
            a query and removed from answers at every depth, whatever their letter case.
        known_passwords: spares a shipped resource the search for other passwords; extensions leave it out.
        title: title of its records in Spanish, if declared.
        singular: title of one record.
        columns: the columns that a page shows by default, in order.
        object_type: the number with which lines of other documents refer to it (`BaseType`), if there is one.
        partner: whether its documents are made with customers or suppliers; None: with neither, or both.
    """

    name: str
    key: EntityKey
    read_menu: str | None
    write_menu: str | None
    methods: frozenset[str] = attrs.field(default=READ, converter=_names, metadata={TAKES: ALLOWED_METHODS})
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
        """Names of the properties of its key."""
        return key_names(self.key)

    @property
    def writable(self) -> bool:
        """True if clients can create, change or act on its records."""
        return bool(self.actions) or "POST" in self.methods or "PATCH" in self.methods


def key_parts(key: EntityKey) -> tuple[SimpleKey, ...]:
    """Return the parts of a key; most keys have one."""
    return key.parts if isinstance(key, CompositeKey) else (cast("SimpleKey", key),)  # no other keys exist


def key_names(key: EntityKey) -> frozenset[str]:
    """Return the names of the parts; the key may be of a wrong type."""
    return frozenset(part.name for part in key_parts(key) if isinstance(part, IntKey | StrKey | DateKey))
