"""Maximum text lengths by database column, which the `$metadata` of v1 lacks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import attrs

from erpsim.facts.model import EDM_STRING, Facts, PropertyFacts, TypeFacts

COLUMN_LENGTHS: Final[Mapping[str, int]] = {
    "CardCode": 15,
    "CardName": 100,
    "Comments": 254,
    "Currency": 3,
    "DfltWH": 8,
    "DistNumber": 36,
    "DocCur": 3,
    "Dscription": 200,
    "FolioPref": 2,
    "InvntryUom": 100,
    "ItemCode": 50,
    "ItemName": 200,
    "JrnlMemo": 50,
    "LicTradNum": 32,
    "NumAtCard": 100,
    "OcrCode": 8,
    "TaxCode": 8,
    "VatGroup": 8,
    "WhsCode": 8,
    "WhsName": 100,
    "unitMsr": 100,
}
"""Lengths from integrators' notes and the API reference that programs rely on. Longer text is refused
wherever it is sent (integrators' notes: `Comments`, `JournalMemo`, cost centres, codes).
"""


def with_lengths(facts: Facts) -> Facts:
    """Add the listed lengths to these facts. Lengths in an export take precedence."""
    types = {name: _measured(each) for name, each in facts.types.items()}
    sets = {
        name: attrs.evolve(each, type=types.get(each.type.name, each.type))
        for name, each in facts.entity_sets.items()
    }
    return attrs.evolve(facts, types=types, entity_sets=sets)


def _measured(each: TypeFacts) -> TypeFacts:
    properties = {
        name: attrs.evolve(prop, max_length=COLUMN_LENGTHS[str(prop.column)]) if _has_length(prop) else prop
        for name, prop in each.properties.items()
    }
    return attrs.evolve(each, properties=properties)


def _has_length(prop: PropertyFacts) -> bool:
    return (
        prop.type_name == EDM_STRING
        and not prop.user_field
        and prop.max_length is None
        and prop.column in COLUMN_LENGTHS
    )
