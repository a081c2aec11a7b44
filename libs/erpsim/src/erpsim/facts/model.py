"""Facts of a company's metadata: entity sets, properties, types, enums, operations.

The packaged facts are derived from a real `$metadata` of version 10.0 (see `erpsim.facts.derive`). Your own
export can be merged into them (`load_own_facts`), so that its user fields and objects exist too.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs


class FactsError(Exception):
    """A metadata file can't be used; the message says why."""


EDM_STRING = "Edm.String"
EDM_INT32 = "Edm.Int32"
EDM_DOUBLE = "Edm.Double"
EDM_DATE = "Edm.DateTime"
EDM_TIME = "Edm.Time"
PRIMITIVES = frozenset({EDM_STRING, EDM_INT32, EDM_DOUBLE, EDM_DATE, EDM_TIME})
"""The five primitive types a company uses; v2 spells the last two `Edm.DateTimeOffset` and
`Edm.TimeOfDay`."""


@attrs.frozen
class EnumFacts:
    """Members of an enumeration, in the order of the metadata.

    Args:
        name: `BoYesNoEnum`.
        members: member name to database value (`tYES` to `Y`).
        names: database value to member name.
    """

    name: str
    members: Mapping[str, str]
    names: Mapping[str, str] = attrs.field(init=False, repr=False)

    @names.default
    def _names(self) -> Mapping[str, str]:
        names: dict[str, str] = {}
        for member, value in self.members.items():
            names.setdefault(value, member)
        return names

    def member(self, text: str) -> str | None:
        """Return the member for a name or a database value, None for neither.

        Requests accept both forms, responses contain names (SAP manual 1.22, 3.5.1 and 3.7.3).
        """
        return text if text in self.members else self.names.get(text)


@attrs.frozen
class PropertyFacts:
    """One property.

    Args:
        name: as in JSON.
        type_name: a primitive (`Edm.String`), or the name of an enum or a complex type without its namespace.
        collection: whether it holds a list of complex values.
        nullable: False for example for keys.
        writable: whether requests can set it; otherwise it is silently ignored (SAP manual 1.29, create and
            update).
        default: the database's default as the metadata writes it, None without one.
        column: database column, None for complex ones.
        user_field: a field of the customer (`U_...`).
        max_length: limit of characters; None if unknown.
    """

    name: str
    type_name: str
    collection: bool = False
    nullable: bool = True
    writable: bool = True
    default: str | None = None
    column: str | None = None
    user_field: bool = False
    max_length: int | None = None

    @property
    def primitive(self) -> bool:
        """True if it is a plain value: neither an enum nor a complex value."""
        return self.type_name in PRIMITIVES


@attrs.frozen
class NavigationFacts:
    """A navigation property.

    Args:
        name: as in `$expand`.
        target_set: entity set it leads to; not every such set is simulated.
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
        navigation: by name.
        actions: names of the actions bound to it.
        tables: database tables of its rows, as far as the metadata names them.
    """

    name: str
    properties: Mapping[str, PropertyFacts]
    key: tuple[str, ...] = ()
    navigation: Mapping[str, NavigationFacts] = attrs.field(factory=dict)
    actions: frozenset[str] = frozenset()
    tables: tuple[str, ...] = ()


@attrs.frozen
class EntitySetFacts:
    """One entity set.

    Args:
        name: `Orders`.
        type: its entity type.
        tagged: whether its entities carry tags and `DataVersion` (28 sets, seen in a v2 metadata of FP 2102
            or later, and `SQLQueries`, which carry tags without being annotated).
    """

    name: str
    type: TypeFacts
    tagged: bool = False

    @property
    def key(self) -> tuple[PropertyFacts, ...]:
        """The key's properties in order."""
        return tuple(self.type.properties[name] for name in self.type.key)

    @property
    def user_object(self) -> bool:
        """True if it is a table or an object of the customer."""
        return any(table.startswith("@") for table in self.type.tables) or self.name.startswith("U_")


@attrs.frozen
class OperationFacts:
    """A service action at the root of the service.

    Args:
        name: `SeriesService_GetDocumentSeries`.
        parameters: parameter name to type.
        returns: type of the answer (`Collection(Series)`), None for 204.
    """

    name: str
    parameters: Mapping[str, str]
    returns: str | None

    @property
    def function(self) -> bool:
        """True if it is a function, which v2 also accepts as a GET. v2 metadata lists company reads and
        `SBOBobService_Get...` as functions.
        """
        return self.name.startswith("SBOBobService_Get") or self.name in {
            "CompanyService_GetCompanyInfo",
            "CompanyService_GetAdminInfo",
        }


@attrs.frozen
class Facts:
    """All facts of a company's `$metadata` that the simulator uses.

    Args:
        entity_sets: by name.
        types: complex and entity types by name.
        enums: by name.
        operations: service actions by name.
        other_sets: names of entity sets that a real company has and the simulator does not (answered 501).
    """

    entity_sets: Mapping[str, EntitySetFacts]
    types: Mapping[str, TypeFacts]
    enums: Mapping[str, EnumFacts]
    operations: Mapping[str, OperationFacts]
    other_sets: frozenset[str] = frozenset()

    def overlaid(self, own: Facts) -> Facts:
        """Merge in `own`: its sets, types, properties, members and actions.

        On conflict the packaged facts win, because the simulator's rules depend on them. Lengths come from
        the export.
        """
        enums = dict(own.enums) | {
            name: EnumFacts(
                name, {**own.enums[name].members, **enum.members} if name in own.enums else enum.members
            )
            for name, enum in self.enums.items()
        }
        types = dict(own.types)
        for name, base_type in self.types.items():
            types[name] = _merged_type(base_type, own.types[name]) if name in own.types else base_type
        sets = dict(self.entity_sets) | {
            name: other for name, other in own.entity_sets.items() if name not in self.entity_sets
        }
        # A custom set of a standard object stays unsimulated if the object is. The customer's own objects are
        # added.
        extra = {name for name in own.entity_sets if name in self.other_sets}
        return Facts(
            entity_sets={
                name: attrs.evolve(each, type=types[each.type.name])
                for name, each in sets.items()
                if name not in extra
            },
            types=types,
            enums=enums,
            operations={**own.operations, **self.operations},
            other_sets=self.other_sets | extra,
        )


def _merged_type(base_type: TypeFacts, own: TypeFacts) -> TypeFacts:
    added = {name: prop for name, prop in own.properties.items() if name not in base_type.properties}
    properties = {
        name: _own_length(prop, own.properties.get(name)) for name, prop in base_type.properties.items()
    }
    return attrs.evolve(
        base_type,
        properties={**properties, **added},
        navigation={**own.navigation, **base_type.navigation},
        actions=base_type.actions | own.actions,
    )


def _own_length(base_property: PropertyFacts, own: PropertyFacts | None) -> PropertyFacts:
    own_length = None if own is None else own.max_length
    return base_property if own_length is None else attrs.evolve(base_property, max_length=own_length)
