"""``$filter``: read, bounded, and written anew.

The reader walks the text once and keeps no tree: nothing that it checks needs one, and the meaning is kept
because the tokens keep their order and their parentheses. It does not recurse, so no nesting can exhaust the
stack. It only tells right from wrong; :mod:`erpclient.odata.expressions.filter_faults` finds out what is
wrong.
"""

from typing import Any

from erpclient.odata.expressions.filter_faults import refuse_filter
from erpclient.odata.expressions.grammar import EQUALITIES, TEXT_FIRST_FUNCTION, Grammar
from erpclient.odata.literals import content_length, is_day_of_moment


def read_filter(text: str, grammar: Grammar) -> str:
    """Check a filter and write it in canonical form.

    Args:
        text: the decoded value of ``$filter``.
        grammar: patterns, rules and limits of the resource.

    Returns:
        The same condition with single blanks between words and none elsewhere.

    Raises:
        InvalidOption: the first fault found.
    """
    limits = grammar.limits
    if len(text) > limits.filter_length:
        refuse_filter(text, grammar)
    match_step = grammar.step.match
    written: list[str] = []
    names: list[str] = []
    quoted: list[str] = []
    position = len(text) - len(text.lstrip(" "))
    depth = steps = 0
    word: str | None = ""
    while word is not None:
        step = match_step(text, position)
        if step is None:
            refuse_filter(text, grammar)
        openings, *condition, closings, word = step.groups()
        if openings:
            depth += openings.count("(")
            written.append(openings.replace(" ", "").replace("not", "not "))
        steps += 1
        if depth > limits.filter_depth or steps > limits.filter_conditions:
            refuse_filter(text, grammar)
        written.append(_write_condition(condition, names, quoted))
        if closings:
            closed = closings.count(")")
            depth -= closed
            if depth < 0:
                refuse_filter(text, grammar)
            written.append(")" * closed)
        if word:
            written.append(f" {word} ")
        position = step.end()
    if depth or not _may_stand(names, quoted, grammar):
        refuse_filter(text, grammar)
    return "".join(written)


def _write_condition(condition: list[str | Any], names: list[str], quoted: list[str]) -> str:
    """Write one comparison or call; note its names and quoted values, which are still to be checked."""
    left, operator, right, negation, function, name, string, first_string, last_name = condition
    if left is not None:
        names.append(left)
        if right.endswith("'"):
            quoted.append(right)
        elif right != "null" or operator not in EQUALITIES:
            names.append(right)
        return f"{left} {operator} {right}"
    before = "not " if negation else ""
    if function is not None:
        names.append(name)
        quoted.append(string)
        return f"{before}{function}({name},{string})"
    names.append(last_name)
    quoted.append(first_string)
    return f"{before}{TEXT_FIRST_FUNCTION}({first_string},{last_name})"


def _may_stand(names: list[str], quoted: list[str], grammar: Grammar) -> bool:
    """Check what the patterns could not: reserved and denied names, long texts, days that do not exist."""
    longest = grammar.limits.string_length
    return grammar.refused.isdisjoint(map(str.lower, names)) and all(
        content_length(literal) <= longest if literal.startswith("'") else is_day_of_moment(literal)
        for literal in quoted
    )
