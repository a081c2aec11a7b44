"""Field descriptions, merged from declared columns and the ERP's metadata. Pure functions."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

import attrs
import msgspec
from attrs import frozen

from erp_gateway.records.fields.titles import COLLECTIONS, TITLES, USER_FIELD_TABLES, WORDS
from erp_gateway.records.proxy.declarations.columns import Choice, Column, ColumnType, Lookup
from erp_gateway.records.proxy.declarations.meanings import lookups_of, measure_of, with_meanings
from erp_gateway.records.proxy.declarations.registry import Registered
from erp_gateway.records.proxy.declarations.resource import PartnerKind
from erp_gateway.values.measures import Measure
from erpclient.metadata import Metadata

_USER_FIELD: Final = "U_"
_COLLECTION: Final = "Collection("
_BASE: Final = "BaseType"
_PARTNERS: Final = "BusinessPartners"
_TYPES: Final[Mapping[str, ColumnType]] = {
    **dict.fromkeys(("Edm.Int16", "Edm.Int32", "Edm.Int64"), "integer"),
    **dict.fromkeys(("Edm.Double", "Edm.Decimal"), "number"),
    **dict.fromkeys(("Edm.DateTime", "Edm.DateTimeOffset", "Edm.Date"), "date"),
}


@frozen(kw_only=True)
class Field:
    """One property of a record, or of a row of one of its collections.

    Attributes:
        name: in the Service Layer.
        title: in Spanish; None if unknown.
        type: format of its values.
        choices: values of a `choice`; a value without a title is its own title.
        lookup: resource whose keys its values are; None if unknown.
        measure: unit of its numbers; None if unknown.
    """

    name: str
    title: str | None
    type: ColumnType
    choices: tuple[Choice, ...] = ()
    lookup: Lookup | None = None
    measure: Measure | None = None


@frozen(kw_only=True)
class FieldCollection:
    """One collection of a record, such as its lines."""

    name: str
    title: str | None
    fields: tuple[Field, ...]


@frozen(kw_only=True)
class DocumentKind:
    """A kind of document.

    Attributes:
        resource: of its records.
        number: its `BaseType` in lines of other documents; None if lines never refer to it.
        partner: type of its business partner; None if it has none or accepts both types.
    """

    resource: str
    number: int | None
    partner: PartnerKind | None


@frozen(kw_only=True)
class CurrencyFacts:
    """Currencies of amounts in all resources.

    Attributes:
        local: code of the company's own currency; None if unknown.
        decimals: by currency code.
    """

    local: str | None = None
    decimals: Mapping[str, int] = attrs.field(factory=dict)


@frozen(kw_only=True)
class Description:
    """All fields and collections of a resource.

    Attributes:
        name: of the resource.
        complete: whether the fields come from the ERP; otherwise only the declared columns are listed.
        fields: of a record.
        collections: of a record.
        documents: kinds of base documents of its lines; for partners, kinds of documents that name one.
        currencies: of amounts.
    """

    name: str
    complete: bool
    fields: tuple[Field, ...]
    collections: tuple[FieldCollection, ...]
    documents: tuple[DocumentKind, ...] = ()
    currencies: CurrencyFacts = CurrencyFacts()


class ValidValue(msgspec.Struct, rename="pascal"):
    """A value that a user field may have."""

    value: str | None = None
    description: str | None = None


class UserFieldRow(msgspec.Struct):
    """A row of `UserFieldsMD`, which defines a user field in one table."""

    table: str = msgspec.field(name="TableName")
    name: str = msgspec.field(name="Name")
    description: str | None = msgspec.field(name="Description", default=None)
    valid_values: list[ValidValue] = msgspec.field(name="ValidValuesMD", default_factory=list)


def of_columns(registered: Registered) -> Description:
    """Describe a resource by its declared columns, without the ERP."""
    fields = tuple(_of_column(column) for column in with_meanings(registered.resource))
    return Description(name=registered.resource.name, complete=False, fields=fields, collections=())


def describe(
    registered: Iterable[Registered], metadata: Metadata, user_fields: Iterable[UserFieldRow]
) -> dict[str, Description]:
    """Describe all resources that exist in the ERP.

    Args:
        registered: all resources.
        metadata: of the Service Layer.
        user_fields: definitions of the tables in `USER_FIELD_TABLES`.
    """
    reading = _Reading(metadata, {(row.table, row.name): row for row in user_fields})
    resources = [each for each in registered if each.resource.name in metadata.sets]
    documents = tuple(_kinds_of(resources))
    return {each.resource.name: reading.description(each, documents) for each in resources}


def _kinds_of(registered: Iterable[Registered]) -> Iterator[DocumentKind]:
    for each in registered:
        number, partner = each.resource.object_type, each.resource.partner
        if number is not None or partner is not None:
            yield DocumentKind(resource=each.resource.name, number=number, partner=partner)


class _Reading:
    """Build descriptions. Many resources share types, so each type of the metadata is parsed only once."""

    def __init__(self, metadata: Metadata, user_fields: Mapping[tuple[str, str], UserFieldRow]) -> None:
        self._metadata = metadata
        self._user_fields = user_fields
        self._types: dict[str, tuple[tuple[Field, ...], tuple[FieldCollection, ...]]] = {}

    def description(self, registered: Registered, documents: tuple[DocumentKind, ...]) -> Description:
        resource = registered.resource
        own = {column.name: _of_column(column) for column in with_meanings(resource)}
        hidden = frozenset(name.casefold() for name in registered.rules.denied)
        fields, collections = self._type(self._metadata.sets[resource.name].type_name)
        lookups = lookups_of(resource)
        around = {field.name for field in fields if field.name.casefold() not in hidden}

        def with_meaning(field: Field, at_hand: Container[str]) -> Field:
            lookup = field.lookup or lookups.get(field.name)
            counted = measure_of(field.name, at_hand) if field.type == "number" else None
            return attrs.evolve(field, lookup=lookup, measure=field.measure or counted)

        def shown(of: Sequence[Field]) -> tuple[Field, ...]:
            visible = [field for field in of if field.name.casefold() not in hidden]
            at_hand = around | {field.name for field in visible}
            return tuple(with_meaning(field, at_hand) for field in visible)

        inside = tuple(
            attrs.evolve(each, fields=shown(each.fields))
            for each in collections
            if each.name.casefold() not in hidden
        )
        has_bases = any(field.name == _BASE for each in inside for field in each.fields)
        return Description(
            name=resource.name,
            complete=True,
            fields=shown([own.get(field.name, field) for field in fields]),
            collections=inside,
            documents=documents if has_bases or resource.name == _PARTNERS else (),
        )

    def _type(self, name: str) -> tuple[tuple[Field, ...], tuple[FieldCollection, ...]]:
        """Return a type's fields and collections. Collections of collections are omitted."""
        if name not in self._types:
            properties = self._metadata.properties_of(name)
            fields = tuple(self._fields(properties, USER_FIELD_TABLES.get(name, "")))
            self._types[name] = fields, ()  # a type may contain itself
            self._types[name] = fields, tuple(self._collections(properties))
        return self._types[name]

    def _collections(self, properties: Mapping[str, str]) -> Iterator[FieldCollection]:
        for name, type_name in properties.items():
            inner = _bare(type_name.removeprefix(_COLLECTION).rstrip(")"))
            if type_name.startswith(_COLLECTION) and self._metadata.properties_of(inner):
                yield FieldCollection(name=name, title=COLLECTIONS.get(name), fields=self._type(inner)[0])

    def _fields(self, properties: Mapping[str, str], table: str) -> Iterator[Field]:
        for name, type_name in properties.items():
            if not type_name or type_name.startswith(_COLLECTION):
                continue
            values = self._metadata.enums.get(_bare(type_name))
            if name.startswith(_USER_FIELD):
                defined = self._user_fields.get((table, name.removeprefix(_USER_FIELD)))
                yield _of_user_field(name, _TYPES.get(type_name, "text"), defined)
            elif values is not None:
                choices = tuple(Choice(value=value, title=WORDS.get(value, value)) for value in values)
                yield Field(name=name, title=TITLES.get(name), type="choice", choices=choices)
            elif not self._metadata.properties_of(_bare(type_name)):  # the others are nested records
                yield Field(name=name, title=TITLES.get(name), type=_TYPES.get(type_name, "text"))


def _of_user_field(name: str, type_: ColumnType, defined: UserFieldRow | None) -> Field:
    if defined is None:
        return Field(name=name, title=None, type=type_)
    values = tuple(
        Choice(value=each.value, title=each.description or each.value)
        for each in defined.valid_values
        if each.value
    )
    return Field(
        name=name, title=defined.description or None, type="choice" if values else type_, choices=values
    )


def _of_column(column: Column) -> Field:
    return Field(**{name: getattr(column, name) for name in attrs.fields_dict(Field)})


def _bare(type_name: str) -> str:
    return type_name.rpartition(".")[2]
