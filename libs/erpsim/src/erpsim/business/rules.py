"""Generic rules of entity sets: create, change, remove. Special objects refine them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

import attrs

from erpsim.company.company import Company
from erpsim.company.errors import (
    NotSimulatedError,
    SlError,
    already_exists,
    field_fixed,
    invalid,
    no_match,
)
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.rows.keys import key_of
from erpsim.company.rows.merging import merge_fields, number_rows, rows_of
from erpsim.company.rows.row_types import RowType
from erpsim.facts.model import EDM_INT32, EntitySetFacts, TypeFacts

ALL_CURRENCIES = "##"
"""Currency of a partner that accepts any."""


@attrs.frozen
class Modification:
    """A change to an entity.

    Args:
        fields: the sent fields, typed.
        replace_collections: whether sent collections replace the stored ones.
        reset: whether fields that were not sent are reset to their defaults (PUT).
        append: whether rows without a key are new.
    """

    fields: Fields
    replace_collections: bool = False
    reset: bool = False
    append: bool = False


@attrs.frozen
class Operation:
    """Company, entity set and user of an operation.

    Args:
        company: the company.
        set_name: entity set.
        user: ERP user.
    """

    company: Company
    set_name: str
    user: str

    @property
    def entity_set(self) -> EntitySetFacts:
        """Facts of the entity set."""
        return self.company.entity_set(self.set_name)

    @property
    def row_type(self) -> RowType:
        """Row type of the entity set's rows."""
        return self.company.row_type(self.set_name)


Answer: TypeAlias = tuple[str, Key] | None
"""Entity set and key of the entity that an action returns, None for 204."""


class Rules(Protocol):
    """Protocol of the rules of an entity set."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Store a new entity; return its key."""
        ...

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Store a changed entity."""
        ...

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove an entity."""
        ...

    def act(self, at: Operation, row: Fields, action: str, /) -> Answer:
        """Run a bound action."""
        ...


def _as_it_is(_at: Operation, row: Fields) -> Fields:
    return row


def _freely(_at: Operation, _row: Fields) -> None:
    return None


def _duplicate_key(_row: Fields) -> SlError:
    return already_exists()


@attrs.frozen
class PlainRules:
    """Rules of plain objects, with hooks for single kinds.

    Args:
        complete: adds an entity's defaults before it is stored.
        duplicate_key: creates the refusal of an existing key.
        check_removal: refuses to remove an entity that is in use.
    """

    complete: Callable[[Operation, Fields], Fields] = _as_it_is
    duplicate_key: Callable[[Fields], SlError] = _duplicate_key
    check_removal: Callable[[Operation, Fields], None] = _freely

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Store a new entity under its own key, or the next number.

        Raises:
            SlError: the key is taken or missing, or a code in the body does not exist.
        """
        row = {**fields}
        for prop in at.entity_set.key:
            if row.get(prop.name) in {None, ""}:
                if prop.type_name != EDM_INT32:
                    # A missing code is refused. Number and form are those of the object's own validation; the
                    # text is assumed.
                    raise invalid(f"Enter a code  [{at.set_name}.{prop.name}]")
                row[prop.name] = at.company.next_number(at.set_name)
        check_references(at.company, at.entity_set.type, row)
        row = self.complete(at, number_collections(at.row_type, row))
        if at.company.database.get(at.set_name, key_of(at.entity_set, row)) is not None:
            raise self.duplicate_key(row)
        return at.company.insert(at.set_name, row)

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Merge the change into the entity. A differing key is refused with the text for fixed fields."""
        for name in at.entity_set.type.key:
            if name in change.fields and change.fields[name] != row.get(name):
                raise field_fixed()
        check_references(at.company, at.entity_set.type, change.fields)
        changed = number_collections(at.row_type, changed_row(at.row_type, row, change))
        at.company.update(at.set_name, self.complete(at, changed))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove the entity."""
        self.check_removal(at, row)
        at.company.remove(at.set_name, key_of(at.entity_set, row))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        """Refuse: the simulator does not implement the action."""
        raise unknown_action(at, action)


class ReadOnlyRules:
    """Objects whose writes are not simulated and answer 501."""

    def create(self, at: Operation, _fields: Fields, /) -> Key:
        raise NotSimulatedError(f"POST {at.set_name}")

    def modify(self, at: Operation, _row: Fields, _change: Modification, /) -> None:
        raise NotSimulatedError(f"changes of {at.set_name}")

    def delete(self, at: Operation, _row: Fields, /) -> None:
        raise NotSimulatedError(f"DELETE {at.set_name}")

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        raise unknown_action(at, action)


def unknown_action(at: Operation, action: str) -> SlError:
    """Refusal of an action that exists in the metadata and is not simulated."""
    return NotSimulatedError(f"the action {action} of {at.set_name}")


def changed_row(row_type: RowType, row: Fields, change: Modification) -> Fields:
    """Return the entity after a change. PUT resets writable fields that were not sent."""
    base_row = row
    if change.reset:
        base_row = {
            name: value
            for name, value in row.items()
            if name in row_type.type.key
            or name not in row_type.type.properties
            or not _resettable(row_type, name)
        }
    replace = change.replace_collections or change.reset
    return merge_fields(row_type, base_row, change.fields, replace=replace, append=change.append)


def _resettable(row_type: RowType, name: str) -> bool:
    return row_type.type.properties[name].writable


def number_collections(row_type: RowType, row: Fields) -> Fields:
    """Return the entity with numbers on all rows of its collections."""
    numbered = {**row}
    for name, nested in row_type.collections.items():
        if row.get(name):
            first = 1 if "LineId" in nested.type.properties else 0
            numbered[name] = list[Value](number_rows(nested, rows_of(row, name), first))
    return numbered


def check_references(company: Company, row_type: TypeFacts, fields: Mapping[str, Value]) -> None:
    """Check that the codes in a body exist, by the metadata's relationships.

    Negative numbers mean "none" throughout the ERP (`SalesPersonCode` -1), and so do empty texts.

    Raises:
        SlError: 400 -2028.
    """
    for navigation in row_type.navigation.values():
        target = company.facts.entity_sets.get(navigation.target_set)
        if target is None or navigation.many or len(navigation.join) != 1:
            continue
        own, theirs = navigation.join[0]
        value = fields.get(own)
        if (theirs,) != target.type.key or value in {None, "", ALL_CURRENCIES}:
            continue
        if isinstance(value, int) and value <= 0:
            continue
        if isinstance(value, str | int) and company.find(target.name, value) is None:
            raise no_match()
