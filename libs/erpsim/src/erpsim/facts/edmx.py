"""Reads a `$metadata` export of a Service Layer: v1 (OData 3 CSDL) and v2 (OData 4 CSDL)."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from erpsim.facts.model import (
    EDM_DATE,
    EDM_STRING,
    EDM_TIME,
    PRIMITIVES,
    EntitySetFacts,
    EnumFacts,
    Facts,
    FactsError,
    NavigationFacts,
    OperationFacts,
    PropertyFacts,
    TypeFacts,
)

# v2 spells dates and times differently (seen in a v2 metadata of version 10.0).
_SPELLINGS = {
    "Edm.DateTimeOffset": EDM_DATE,
    "Edm.TimeOfDay": EDM_TIME,
    "Edm.Duration": EDM_TIME,
    "Edm.Decimal": "Edm.Double",
    "Edm.Int16": "Edm.Int32",
    "Edm.Int64": "Edm.Int32",
}
# Pseudo complex type of v1 that lists the database tables of each type.
_TABLES_TYPE = "Table2TypeMapping"


def read_edmx(path: Path) -> Facts:
    """Read an export.

    Raises:
        FactsError: the file can't be read, is no XML or holds no entity sets.
    """
    try:
        root = ET.parse(path).getroot()  # noqa: S314 - see the import
    except OSError as error:
        raise FactsError(f"{path}: {error.strerror}") from error
    except ET.ParseError as error:
        raise FactsError(f"{path}: no XML ({error})") from error
    document = _Document(root)
    if not document.entity_sets:
        raise FactsError(f"{path}: no $metadata export of a Service Layer (no entity sets in it)")
    return document.facts()


class _Document:
    """The parts of one export by kind."""

    def __init__(self, root: ET.Element) -> None:
        schemas = [element for element in root.iter() if _tag(element) == "Schema"]
        self._prefixes = {f"{schema.get('Namespace')}." for schema in schemas}
        self._elements: dict[str, list[ET.Element]] = defaultdict(list)
        for schema in schemas:
            for element in schema:
                self._elements[_tag(element)].append(element)
                if _tag(element) == "EntityContainer":
                    for part in element:
                        self._elements[_tag(part)].append(part)
        self.entity_sets = {
            element.get("Name", ""): self._plain(element.get("EntityType", ""))
            for element in self._elements["EntitySet"]
        }
        self._tables = self._read_tables()

    def facts(self) -> Facts:
        actions = self._read_bound_actions()
        navigation = self._read_navigation()
        types = {
            name: self._read_type(element, navigation.get(name, {}), frozenset(actions.get(name, ())))
            for element in [*self._elements["ComplexType"], *self._elements["EntityType"]]
            if (name := element.get("Name", "")) != _TABLES_TYPE
        }
        return Facts(
            entity_sets={
                name: EntitySetFacts(name, types[type_name])
                for name, type_name in self.entity_sets.items()
                if type_name in types
            },
            types=types,
            enums={
                element.get("Name", ""): EnumFacts(
                    element.get("Name", ""),
                    {
                        member.get("Name", ""): member.get("Value", "")
                        for member in element
                        if _tag(member) == "Member"
                    },
                )
                for element in self._elements["EnumType"]
            },
            operations={each.name: each for each in self._read_operations()},
        )

    def _plain(self, type_text: str) -> str:
        """Remove namespace and spelling differences from a type's name (also inside `Collection()`)."""
        if type_text.startswith("Collection("):
            return f"Collection({self._plain(type_text[11:-1])})"
        for prefix in self._prefixes:
            if type_text.startswith(prefix):
                return type_text[len(prefix) :]
        return _SPELLINGS.get(type_text, type_text)

    def _read_tables(self) -> Mapping[str, list[str]]:
        tables: dict[str, list[str]] = defaultdict(list)
        for element in self._elements["ComplexType"]:
            if element.get("Name") == _TABLES_TYPE:
                for row in element:
                    tables[self._plain(row.get("Type", ""))].append(row.get("Table", ""))
        return tables

    def _read_type(
        self, element: ET.Element, navigation: Mapping[str, NavigationFacts], actions: frozenset[str]
    ) -> TypeFacts:
        name = element.get("Name", "")
        key = tuple(
            ref.get("Name", "")
            for part in element
            if _tag(part) == "Key"
            for ref in part
            if _tag(ref) == "PropertyRef"
        )
        properties = [
            self._read_property(part, name)
            for part in element
            if _tag(part) == "Property" and part.get("Name")
        ]
        return TypeFacts(
            name,
            {prop.name: prop for prop in properties},
            key=tuple(_unrenamed(part, name) for part in key),
            navigation=navigation,
            actions=actions,
            tables=tuple(self._tables.get(name, ())),
        )

    def _read_property(self, element: ET.Element, owner: str) -> PropertyFacts:
        type_text = self._plain(element.get("Type", ""))
        collection = type_text.startswith("Collection(")
        type_name = type_text[11:-1] if collection else type_text
        if type_name.startswith("Edm.") and type_name not in PRIMITIVES:
            type_name = EDM_STRING  # binaries and the like travel as text
        name = _unrenamed(element.get("Name", ""), owner)
        return PropertyFacts(
            name,
            type_name,
            collection=collection,
            nullable=element.get("Nullable", "true") != "false",
            writable=element.get("Writable", "true") != "false",
            default=element.get("DefaultValue"),
            column=element.get("Alias"),
            user_field=element.get("UserField") == "true" or name.startswith("U_"),
            max_length=_length(element.get("MaxLength")),
        )

    def _read_navigation(self) -> Mapping[str, Mapping[str, NavigationFacts]]:
        v3 = _Associations(self._elements)
        bindings = {
            self._plain(element.get("EntityType", "")): {
                part.get("Path", ""): part.get("Target", "")
                for part in element
                if _tag(part) == "NavigationPropertyBinding"
            }
            for element in self._elements["EntitySet"]
        }
        navigation: dict[str, dict[str, NavigationFacts]] = {}
        for element in self._elements["EntityType"]:
            owner = element.get("Name", "")
            for part in element:
                if _tag(part) != "NavigationProperty":
                    continue
                nav = (
                    v3.navigation(part)
                    if part.get("Relationship")
                    else _read_v4_navigation(part, bindings.get(owner, {}))
                )
                if nav is not None:
                    navigation.setdefault(owner, {})[nav.name] = nav
        return navigation

    def _read_bound_actions(self) -> Mapping[str, set[str]]:
        actions: dict[str, set[str]] = defaultdict(set)
        for element in [*self._elements["FunctionImport"], *self._elements["Action"]]:
            bound = "true" in {_attribute(element, "IsBindable"), _attribute(element, "IsBound")}
            first = next((part for part in element if _tag(part) == "Parameter"), None)
            if bound and first is not None:
                actions[self._plain(first.get("Type", ""))].add(element.get("Name", ""))
        return actions

    def _read_operations(self) -> Iterator[OperationFacts]:
        for element in [
            *self._elements["FunctionImport"],
            *self._elements["Action"],
            *self._elements["Function"],
        ]:
            if "true" in {_attribute(element, "IsBindable"), _attribute(element, "IsBound")}:
                continue
            if element.get("Action") or element.get("Function"):
                continue  # v4 imports only point at the operation
            returns = element.get("ReturnType") or next(
                (part.get("Type") for part in element if _tag(part) == "ReturnType"), None
            )
            yield OperationFacts(
                element.get("Name", ""),
                {
                    part.get("Name", ""): self._plain(part.get("Type", ""))
                    for part in element
                    if _tag(part) == "Parameter"
                },
                self._plain(returns) if returns else None,
            )


class _Associations:
    """Associations of OData 3: the joined properties and the connected entity sets."""

    def __init__(self, elements: Mapping[str, list[ET.Element]]) -> None:
        self._associations = {element.get("Name", ""): element for element in elements["Association"]}
        self._sets: dict[str, list[Mapping[str, str]]] = defaultdict(list)
        for element in elements["AssociationSet"]:
            name = element.get("Association", "").rpartition(".")[2]
            self._sets[name].append(
                {end.get("Role", ""): end.get("EntitySet", "") for end in element if _tag(end) == "End"}
            )

    def navigation(self, element: ET.Element) -> NavigationFacts | None:
        name, relationship = element.get("Name", ""), element.get("Relationship", "").rpartition(".")[2]
        source, target = element.get("FromRole", ""), element.get("ToRole", "")
        association = self._associations.get(relationship)
        targets = {roles.get(target, "") for roles in self._sets.get(relationship, ())}
        if association is None or not targets:
            return None
        columns: dict[str, list[str]] = {}
        many = False
        for part in association.iter():
            if _tag(part) == "End" and part.get("Role") == target:
                many = part.get("Multiplicity") == "*"
            elif _tag(part) in {"Principal", "Dependent"}:
                columns[part.get("Role", "")] = [ref.get("Name", "") for ref in part]
        join = tuple(zip(columns.get(source, ()), columns.get(target, ()), strict=True))
        return NavigationFacts(name, name if name in targets else min(targets), many, join)


def _read_v4_navigation(element: ET.Element, bindings: Mapping[str, str]) -> NavigationFacts | None:
    name = element.get("Name", "")
    join = tuple(
        (part.get("Property", ""), part.get("ReferencedProperty", ""))
        for part in element
        if _tag(part) == "ReferentialConstraint"
    )
    if name not in bindings or not join:
        return None
    return NavigationFacts(name, bindings[name], element.get("Type", "").startswith("Collection("), join)


def _length(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None


def _unrenamed(name: str, owner: str) -> str:
    """Undo the renaming of v2, which appends `Property` to a property that is named like its type
    (`SeriesProperty`).
    """
    return owner if name == f"{owner}Property" else name


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _attribute(element: ET.Element, name: str) -> str | None:
    return next(
        (value for key, value in element.attrib.items() if key.rpartition("}")[2] == name),
        None,
    )
