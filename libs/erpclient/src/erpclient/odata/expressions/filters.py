"""Reader of ``$filter``: checks, limits and rewrites it.

It walks the text once without building a tree: no check needs one, and the meaning is preserved because
tokens keep their order and parentheses. It does not recurse, so nesting cannot exhaust the stack. On an
error, :func:`refuse_filter` walks the text again to find the first fault. It only ever rejects, so a bug in
it can not accept a text.
"""

import re
from typing import Any, Final, NoReturn

from erpclient.odata.errors import Expected, Hint, ODataErrorCode
from erpclient.odata.expressions.faults import (
    expect_name,
    refuse,
    refuse_size,
    refuse_syntax,
    skip_blanks,
    token_at,
)
from erpclient.odata.expressions.grammar import (
    COMPARISONS,
    EQUALITIES,
    FUNCTIONS,
    TEXT_FIRST_FUNCTION,
    Grammar,
)
from erpclient.odata.limits import QueryLimits
from erpclient.odata.literals import content_length, find_untypable, is_day_of_moment

_OPTION: Final = "$filter"

_CONDITION: Final = (
    Expected.PROPERTY_NAME,
    Expected.FUNCTION,
    Expected.NOT,
    Expected.OPENING_PARENTHESIS,
)
_VALUE: Final = (Expected.QUOTED_TEXT, Expected.NUMBER, Expected.QUOTED_DATE, Expected.PROPERTY_NAME)
_OPENING: Final = re.compile(r"(?>(?:not\ *+)?)\(\ *+")
_NUMBER: Final = re.compile(r"-?(?P<whole>[0-9]++)(?>(?:\.(?P<decimals>[0-9]++))?)")
_BEGINNING_OF_DATE: Final = re.compile(r"[0-9]{4}-[0-9]")


def read_filter(text: str, grammar: Grammar) -> str:
    """Check a filter and return it in canonical form.

    Args:
        text: the decoded value of ``$filter``.
        grammar: patterns, rules and limits of the resource.

    Returns:
        the same condition with single blanks between words and none elsewhere.

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
    if depth or not _check_values(names, quoted, grammar):
        refuse_filter(text, grammar)
    return "".join(written)


def _write_condition(condition: list[str | Any], names: list[str], quoted: list[str]) -> str:
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


def _check_values(names: list[str], quoted: list[str], grammar: Grammar) -> bool:
    """Check rules beyond the patterns: reserved and denied names, long texts, dates that do not exist."""
    longest = grammar.limits.string_length
    return grammar.refused.isdisjoint(map(str.lower, names)) and all(
        content_length(literal) <= longest if literal.startswith("'") else is_day_of_moment(literal)
        for literal in quoted
    )


def refuse_filter(text: str, grammar: Grammar) -> NoReturn:
    """Find the first fault of a filter that was found wrong.

    Args:
        text: the decoded value.
        grammar: patterns, rules and limits of the resource.
    """
    limits = grammar.limits
    if len(text) > limits.filter_length:
        refuse_size(_OPTION, f"longer than {limits.filter_length} characters", limits.filter_length)
    position = skip_blanks(text, 0)
    depth = 0
    for _ in range(limits.filter_conditions):
        position, depth = _expect_openings(text, position, depth, limits)
        position = _expect_condition(text, position, grammar)
        position, depth = _step_over_closings(text, position, depth)
        position = _expect_connective(text, position, depth)
    refuse_size(_OPTION, f"more than {limits.filter_conditions} conditions", position)


def _expect_openings(text: str, position: int, depth: int, limits: QueryLimits) -> tuple[int, int]:
    while opening := _OPENING.match(text, position):
        depth += 1
        if depth > limits.filter_depth:
            refuse_size(_OPTION, f"more than {limits.filter_depth} levels of parentheses", position)
        position = opening.end()
    return position, depth


def _expect_condition(text: str, position: int, grammar: Grammar) -> int:
    word = _word_at(text, position, grammar)
    negated = word == "not"
    if negated:
        position = skip_blanks(text, position + len(word))
        word = _word_at(text, position, grammar)
    if word in FUNCTIONS:
        return _expect_call(text, position + len(word), word, grammar)
    if negated:
        refuse_syntax(_OPTION, text, position, Expected.FUNCTION, Expected.OPENING_PARENTHESIS)
    return _expect_comparison(text, position, grammar)


def _step_over_closings(text: str, position: int, depth: int) -> tuple[int, int]:
    """Skip closing parentheses, at most as many as are open. Return the end and the number that stays
    open.
    """
    behind = skip_blanks(text, position)
    while depth and text.startswith(")", behind):
        depth -= 1
        position = behind + 1
        behind = skip_blanks(text, position)
    return position, depth


def _expect_connective(text: str, position: int, depth: int) -> int:
    behind = skip_blanks(text, position)
    word = token_at(text, behind)
    if word not in {"and", "or"}:
        closing = Expected.CLOSING_PARENTHESIS if depth else Expected.END
        refuse_syntax(_OPTION, text, behind, Expected.AND, Expected.OR, closing)
    end = behind + len(word)
    if behind == position:
        refuse_syntax(_OPTION, text, position, Expected.BLANK)
    return _expect_blank(text, end)


def _expect_call(text: str, position: int, function: str, grammar: Grammar) -> int:
    position = _expect_symbol(text, position, Expected.OPENING_PARENTHESIS)
    position = skip_blanks(text, position)
    if function == TEXT_FIRST_FUNCTION:
        position = _expect_string(text, position, grammar)
        position = _expect_comma(text, position)
        position = expect_name(_OPTION, text, position, grammar, Expected.PROPERTY_NAME)
    else:
        position = expect_name(_OPTION, text, position, grammar, Expected.PROPERTY_NAME)
        position = _expect_comma(text, position)
        position = _expect_string(text, position, grammar)
    return _expect_symbol(text, skip_blanks(text, position), Expected.CLOSING_PARENTHESIS)


def _expect_comparison(text: str, position: int, grammar: Grammar) -> int:
    position = skip_blanks(text, expect_name(_OPTION, text, position, grammar, *_CONDITION))
    operator = token_at(text, position)
    if operator not in COMPARISONS:
        refuse_syntax(_OPTION, text, position, Expected.COMPARISON)
    position = _expect_blank(text, position + len(operator))
    return _expect_value(text, position, _values_of(operator), grammar)


def _expect_value(text: str, position: int, expected: tuple[Expected, ...], grammar: Grammar) -> int:
    piece = token_at(text, position)
    if piece == "'":
        return _expect_string(text, position, grammar)
    if text.startswith("datetime'", position):
        return _expect_moment(text, position, grammar)
    if number := _NUMBER.fullmatch(piece):
        _check_digits(number, position, grammar.limits)
        return position + len(piece)
    if _BEGINNING_OF_DATE.match(piece):
        refuse_syntax(_OPTION, text, position, Expected.QUOTED_DATE, hint=Hint.QUOTE_DATES)
    if piece == "null" and Expected.NULL in expected:
        return position + len(piece)
    return expect_name(_OPTION, text, position, grammar, *expected)


def _expect_moment(text: str, position: int, grammar: Grammar) -> int:
    moment = grammar.moment.match(text, position)
    if moment is None or not is_day_of_moment(moment.group()):
        refuse(_OPTION, text, position, Expected.QUOTED_DATE, code=ODataErrorCode.BAD_VALUE)
    return moment.end()


def _word_at(text: str, position: int, grammar: Grammar) -> str:
    match = grammar.name.match(text, position)
    return "" if match is None else match.group()


def _values_of(operator: str) -> tuple[Expected, ...]:
    return (*_VALUE, Expected.NULL) if operator in EQUALITIES else _VALUE


def _expect_blank(text: str, position: int) -> int:
    end = skip_blanks(text, position)
    if position == end < len(text):
        refuse_syntax(_OPTION, text, position, Expected.BLANK)
    return end


def _expect_symbol(text: str, position: int, symbol: Expected) -> int:
    if not text.startswith(symbol, position):
        refuse_syntax(_OPTION, text, position, symbol)
    return position + len(symbol)


def _expect_comma(text: str, position: int) -> int:
    return skip_blanks(text, _expect_symbol(text, skip_blanks(text, position), Expected.COMMA))


def _expect_string(text: str, position: int, grammar: Grammar) -> int:
    if not text.startswith("'", position):
        refuse_syntax(_OPTION, text, position, Expected.QUOTED_TEXT)
    match = grammar.string.match(text, position)
    if match is None:
        _refuse_string(text, position)
    if content_length(match.group()) > grammar.limits.string_length:
        refuse_size(_OPTION, f"a text has more than {grammar.limits.string_length} characters", position)
    return match.end()


def _refuse_string(text: str, position: int) -> NoReturn:
    untypable = find_untypable(text[position:])
    if untypable is None:
        refuse_syntax(_OPTION, text, len(text), Expected.CLOSING_QUOTE)
    refuse(_OPTION, text, position + untypable, Expected.PRINTABLE_CHARACTER, code=ODataErrorCode.BAD_VALUE)


def _check_digits(number: re.Match[str], position: int, limits: QueryLimits) -> None:
    if len(number["whole"]) > limits.number_digits or len(number["decimals"] or "") > limits.number_decimals:
        digits, decimals = limits.number_digits, limits.number_decimals
        refuse_size(_OPTION, f"a number has more than {digits} digits or {decimals} decimals", position)
