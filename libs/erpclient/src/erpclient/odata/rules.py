"""What one resource allows in a query."""

from collections.abc import Iterable

from attrs import field, frozen


def _casefolded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.casefold() for name in names)


@frozen(cache_hash=True)
class OptionRules:
    """What one resource allows beyond the common grammar.

    Attributes:
        expand: navigation properties that ``$expand`` may name, spelt exactly.
        denied: property names refused in every clause, whatever their letter case.
        extra_names: property names the grammar would refuse because they start with a digit
            (rows of user-defined objects whose code starts with one).
    """

    expand: frozenset[str] = field(default=frozenset(), converter=frozenset)
    denied: frozenset[str] = field(default=frozenset(), converter=_casefolded)
    extra_names: frozenset[str] = field(default=frozenset(), converter=frozenset)
