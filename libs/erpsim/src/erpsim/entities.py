"""What every entity set can do: create, change, remove. Objects with rules of their own refine it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import attrs

from erpsim.company import Company
from erpsim.errors import (
    NotSimulatedError,
    SlError,
    already_exists,
    field_fixed,
    invalid,
    no_match,
    not_supported,
)
from erpsim.facts import EDM_INT32, TypeFacts
from erpsim.keys import key_of
from erpsim.merging import merge_fields, number_rows, rows_of
from erpsim.records import Body, Caller, Fields, Key, Value
from erpsim.shapes import Shape

ALL_CURRENCIES = "##"
"""A partner's currency that means any."""


@attrs.frozen
class Modification:
    """A change to an entity.

    Args:
        fields: what was sent, typed.
        replace_collections: collections sent become the whole collection.
        reset: what was not sent goes back to its default (PUT).
    """

    fields: Fields
    replace_collections: bool = False
    reset: bool = False


class Rules(Protocol):
    """What a kind of object does when it is created, changed, removed or acted on."""

    def create(self, company: Company, set_name: str, fields: Fields, caller: Caller) -> Key:
        """Store a new entity; return its key."""
        ...

    def modify(
        self, company: Company, set_name: str, row: Fields, change: Modification, caller: Caller
    ) -> None:
        """Store a changed entity."""
        ...

    def delete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> None:
        """Remove an entity."""
        ...

    def act(
        self, company: Company, set_name: str, row: Fields, action: str, body: Body, caller: Caller
    ) -> tuple[str, Key] | None:
        """Run a bound action; return the entity it answers with, None for 204."""
        ...


class PlainRules:
    """Objects without rules of their own."""

    def create(self, company: Company, set_name: str, fields: Fields, caller: Caller) -> Key:
        """Store a new entity under its own key, or the next number.

        Raises:
            SlError: the key is taken or missing, or a code in the body does not exist.
        """
        entity_set = company.entity_set(set_name)
        row = {**fields}
        for prop in entity_set.key:
            if row.get(prop.name) in {None, ""}:
                if prop.type_name != EDM_INT32:
                    # A missing code is refused; number and form are the object's validation, the text is ours.
                    raise invalid(f"Enter a code  [{set_name}.{prop.name}]")
                row[prop.name] = company.next_number(set_name)
        check_references(company, entity_set.type, row)
        row = self.complete(company, set_name, number_collections(company.shape(set_name), row), caller)
        key = key_of(entity_set, row)
        if company.database.get(set_name, key) is not None:
            raise self.taken(row)
        return company.insert(set_name, row)

    def modify(
        self, company: Company, set_name: str, row: Fields, change: Modification, caller: Caller
    ) -> None:
        """Lay the change over the entity; a key that differs is refused (the text is the one for fixed fields)."""
        entity_set, shape = company.entity_set(set_name), company.shape(set_name)
        for name in entity_set.type.key:
            if name in change.fields and change.fields[name] != row.get(name):
                raise field_fixed()
        check_references(company, entity_set.type, change.fields)
        changed = number_collections(shape, changed_row(shape, row, change))
        company.update(set_name, self.complete(company, set_name, changed, caller))

    def delete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> None:
        """Remove the entity."""
        company.remove(set_name, key_of(company.entity_set(set_name), row))

    def act(
        self, company: Company, set_name: str, row: Fields, action: str, body: Body, caller: Caller
    ) -> tuple[str, Key] | None:
        """Refuse: the metadata has the action, the simulator does not."""
        raise NotSimulatedError(f"the action {action} of {set_name}")

    def complete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> Fields:
        """Return the entity with what the object itself adds."""
        return row

    def taken(self, row: Fields) -> SlError:
        """Return the refusal of a key that exists."""
        return already_exists()


class ReadOnlyRules(PlainRules):
    """Objects whose writing is not simulated: refused loudly, never guessed."""

    def create(self, company: Company, set_name: str, fields: Fields, caller: Caller) -> Key:
        """Refuse: 501."""
        raise NotSimulatedError(f"POST {set_name}")

    def modify(
        self, company: Company, set_name: str, row: Fields, change: Modification, caller: Caller
    ) -> None:
        """Refuse: 501."""
        raise NotSimulatedError(f"changes of {set_name}")

    def delete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> None:
        """Refuse: 501."""
        raise NotSimulatedError(f"DELETE {set_name}")


class UnremovableRules(PlainRules):
    """Objects that can't be removed."""

    def delete(self, company: Company, set_name: str, row: Fields, caller: Caller) -> None:
        """Refuse (SAP manual 1.22, 3.5.4)."""
        raise not_supported()


def changed_row(shape: Shape, row: Fields, change: Modification) -> Fields:
    """Return the entity after a change; PUT forgets what can be written and was not sent."""
    kept = row
    if change.reset:
        kept = {
            name: value
            for name, value in row.items()
            if name in shape.type.key or name not in shape.type.properties or not _resettable(shape, name)
        }
    return merge_fields(shape, kept, change.fields, replace=change.replace_collections or change.reset)


def _resettable(shape: Shape, name: str) -> bool:
    return shape.type.properties[name].writable


def number_collections(shape: Shape, row: Fields) -> Fields:
    """Return the entity with numbers on all rows of its collections."""
    numbered = {**row}
    for name, nested in shape.collections.items():
        if row.get(name):
            first = 1 if "LineId" in nested.type.properties else 0
            numbered[name] = list[Value](number_rows(nested, rows_of(row, name), first))
    return numbered


def check_references(company: Company, known: TypeFacts, fields: Mapping[str, Value]) -> None:
    """Check that the codes in a body exist, as the metadata's relationships tell.

    Negative numbers mean "none" all over the system (`SalesPersonCode` -1) and empty texts no code.

    Raises:
        SlError: 400 -2028.
    """
    for navigation in known.navigation.values():
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
