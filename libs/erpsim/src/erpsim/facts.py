"""What the metadata of a company says: entity sets, properties, types, enums, actions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import attrs


@attrs.frozen
class EnumFacts:
    """Members of an enumeration in order.

    Args:
        name: `BoYesNoEnum`.
        members: member name to database value (`tYES` to `Y`).
    """

    name: str
    members: Mapping[str, str]


@attrs.frozen
class PropertyFacts:
    """One property.

    Args:
        name: as it stands in JSON.
        type_name: `Edm.String`, `Edm.Int32`, `Edm.Double`, `Edm.DateTime`, `Edm.Time`, an enum's or a complex
            type's name without its namespace.
        collection: whether it holds a list.
        nullable: False for keys and the like.
        writable: False: silently ignored in bodies.
        default: text of the default as the metadata gives it, None without one.
        column: database column, None for complex ones.
        user_field: a field of the customer (`U_...`).
    """

    name: str
    type_name: str
    collection: bool = False
    nullable: bool = True
    writable: bool = True
    default: str | None = None
    column: str | None = None
    user_field: bool = False


@attrs.frozen
class NavigationFacts:
    """A navigation property of one entity set.

    Args:
        name: as in `$expand`.
        target_set: entity set it leads to.
        many: whether it leads to a collection.
        join: pairs of own property and target property.
    """

    name: str
    target_set: str
    many: bool
    join: tuple[tuple[str, str], ...]


@attrs.frozen
class TypeFacts:
    """An entity type or a complex type.

    Args:
        name: without its namespace: `Document`.
        properties: by name, in the order of the metadata.
        key: names of the key's properties, empty for complex types.
        table: main database table where the metadata names one.
    """

    name: str
    properties: Mapping[str, PropertyFacts]
    key: tuple[str, ...] = ()
    table: str | None = None


@attrs.frozen
class EntitySetFacts:
    """One entity set.

    Args:
        name: `Orders`.
        type: its entity type.
        actions: names of the bound actions.
        navigation: by name.
        tagged: whether its entities carry tags and `DataVersion`.
    """

    name: str
    type: TypeFacts
    actions: frozenset[str]
    navigation: Mapping[str, NavigationFacts]
    tagged: bool


@attrs.frozen
class OperationFacts:
    """A service action at the root.

    Args:
        name: `SeriesService_GetDocumentSeries`.
        parameters: parameter name to type.
        returns: type of the answer, None for 204.
        function: whether v2 answers GET too.
    """

    name: str
    parameters: Mapping[str, str]
    returns: str | None
    function: bool = False


Named: TypeAlias = Mapping[str, EntitySetFacts]


@attrs.frozen
class Facts:
    """Everything a company's `$metadata` says, as far as the simulator needs it.

    Args:
        entity_sets: by name.
        types: complex and entity types by name.
        enums: by name.
        operations: service actions by name.
    """

    entity_sets: Mapping[str, EntitySetFacts]
    types: Mapping[str, TypeFacts]
    enums: Mapping[str, EnumFacts]
    operations: Mapping[str, OperationFacts]

    @classmethod
    def load_default(cls) -> Facts:
        """Return the facts packaged with the simulator (read once)."""
        raise NotImplementedError

    @classmethod
    def load_edmx(cls, path: Path) -> Facts:
        """Read a `$metadata` export, v1 or v2.

        Raises:
            FactsError: the file is no such export.
        """
        raise NotImplementedError
