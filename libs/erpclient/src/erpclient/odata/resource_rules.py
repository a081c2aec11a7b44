"""Rules of one resource for queries."""

import re
from collections.abc import Iterable
from typing import Final

from attrs import Attribute, field, frozen

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NAME_AFTER_DIGIT: Final = re.compile(r"[0-9][A-Za-z0-9_]*")


def _names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(names)


def _casefolded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names)


def _check_expand(_: "OptionRules", __: "Attribute[frozenset[str]]", names: frozenset[str]) -> None:
    if invalid := sorted(name for name in names if not _NAME.fullmatch(name)):
        raise ValueError(f"not names of navigation properties: {invalid}")


def _check_extra_names(_: "OptionRules", __: "Attribute[frozenset[str]]", names: frozenset[str]) -> None:
    if invalid := sorted(name for name in names if not _NAME_AFTER_DIGIT.fullmatch(name)):
        raise ValueError(f"not names that start with a digit: {invalid}")


@frozen(cache_hash=True)
class OptionRules:
    """Rules of one resource beyond the common grammar.

    Attributes:
        expand: navigation properties that ``$expand`` may name, spelt exactly.
        denied: property names rejected in every clause, in any letter case.
        extra_names: property names the grammar would refuse because they start with a digit
            (rows of user-defined objects whose code starts with one).

    Raises:
        ValueError: a name of ``expand`` or ``extra_names`` is not of the right form.
    """

    expand: frozenset[str] = field(default=frozenset(), converter=_names, validator=_check_expand)
    denied: frozenset[str] = field(default=frozenset(), converter=_casefolded)
    extra_names: frozenset[str] = field(default=frozenset(), converter=_names, validator=_check_extra_names)
