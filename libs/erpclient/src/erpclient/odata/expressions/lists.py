"""``$select``, ``$orderby`` and ``$expand``: lists of names, read and bounded.

The readers only tell right from wrong; :mod:`erpclient.odata.expressions.list_faults` finds out what is
wrong.
"""

from collections.abc import Collection, Iterable
from itertools import chain

from erpclient.odata.expressions.grammar import Grammar
from erpclient.odata.expressions.list_faults import refuse_expand, refuse_orderby, refuse_select


def read_select(text: str, expand: tuple[str, ...], grammar: Grammar) -> tuple[str, ...]:
    """Read the value of ``$select``.

    Args:
        text: the decoded value.
        expand: what the same request expands; only into these may a path lead.
        grammar: patterns, rules and limits of the resource.

    Returns:
        ``ItemCode``, ``ItemGroups/Number`` or ``*`` each, in the order given.

    Raises:
        InvalidOption: the first fault found.
    """
    limits = grammar.limits
    if len(text) > limits.select_length or not grammar.select.fullmatch(text):
        refuse_select(text, expand, grammar)
    entries = tuple(text.replace(" ", "").split(","))
    names: Iterable[str] = entries
    if "/" in text:
        paths = [entry.split("/") for entry in entries]
        if not all(path[0] in expand for path in paths if len(path) > 1):
            refuse_select(text, expand, grammar)
        names = chain.from_iterable(paths)
    if not _may_stand(names, entries, limits.select_names, grammar):
        refuse_select(text, expand, grammar)
    return entries


def read_orderby(text: str, grammar: Grammar) -> tuple[str, ...]:
    """Read the value of ``$orderby``.

    Args:
        text: the decoded value.
        grammar: patterns, rules and limits of the resource.

    Returns:
        ``Name``, ``Name asc`` or ``Name desc`` each, in the order given.

    Raises:
        InvalidOption: the first fault found.
    """
    limits = grammar.limits
    if len(text) > limits.orderby_length or not grammar.orderby.fullmatch(text):
        refuse_orderby(text, grammar)
    entries = [entry.split() for entry in text.split(",")]
    names = [entry[0] for entry in entries]
    if not _may_stand(names, names, limits.orderby_names, grammar):
        refuse_orderby(text, grammar)
    return tuple([" ".join(entry) for entry in entries])


def read_expand(text: str, grammar: Grammar) -> tuple[str, ...]:
    """Read the value of ``$expand``.

    Args:
        text: the decoded value.
        grammar: patterns, rules and limits of the resource.

    Returns:
        Declared navigation properties, in the order given.

    Raises:
        InvalidOption: the first fault found.
    """
    limits = grammar.limits
    if len(text) > limits.expand_length or not grammar.expand.fullmatch(text):
        refuse_expand(text, grammar)
    names = tuple(text.replace(" ", "").split(","))
    if not grammar.rules.expand.issuperset(names) or not _may_stand(
        names, names, limits.expand_names, grammar
    ):
        refuse_expand(text, grammar)
    return names


def _may_stand(names: Iterable[str], entries: Collection[str], most: int, grammar: Grammar) -> bool:
    """Check what the patterns could not: not too many, each once, no reserved or denied name."""
    return len(set(entries)) == len(entries) <= most and grammar.refused.isdisjoint(map(str.lower, names))
