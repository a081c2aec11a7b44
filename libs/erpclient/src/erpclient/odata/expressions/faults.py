"""Building blocks of rejections, shared by all query options."""

import re
from typing import Final, NoReturn

from erpclient.odata.errors import Expected, Hint, InvalidOption, ODataErrorCode, shown
from erpclient.odata.expressions.grammar import COMPARISONS, FUNCTIONS, RESERVED, Grammar

_TOKEN: Final = re.compile(r"datetime'[^']*+|[A-Za-z0-9_@$.:/+*-]++|.", re.DOTALL)
_LOWER_CASE_WORDS: Final = COMPARISONS | FUNCTIONS | {"and", "or", "not", "asc", "desc"}


def token_at(text: str, position: int) -> str:
    """Return the token at a position, empty at the end of the text."""
    piece = _TOKEN.match(text, position)
    return "" if piece is None else piece.group()


def skip_blanks(text: str, position: int) -> int:
    """Find the first character from ``position`` on that is no blank."""
    while text.startswith(" ", position):
        position += 1
    return position


def _recognised(piece: str) -> Hint | None:
    if piece.startswith("/"):
        return Hint.NO_PATHS_OR_LAMBDAS
    if piece == "in":
        return Hint.NO_IN_OPERATOR
    if piece not in _LOWER_CASE_WORDS and piece.lower() in _LOWER_CASE_WORDS:
        return Hint.LOWER_CASE_OPERATORS
    return None


def refuse(
    option: str, text: str, position: int, *expected: Expected, code: ODataErrorCode, hint: Hint | None = None
) -> NoReturn:
    """Reject the text at this position of the decoded value."""
    piece = token_at(text, position)
    raise InvalidOption(
        code,
        "not understood" if piece else "ends too early",
        option=option,
        position=position,
        expected=expected,
        found=shown(piece) if piece else None,
        hint=hint or _recognised(piece),
    )


def refuse_syntax(
    option: str, text: str, position: int, *expected: Expected, hint: Hint | None = None
) -> NoReturn:
    """Reject a syntax error at this position."""
    refuse(option, text, position, *expected, code=ODataErrorCode.SYNTAX, hint=hint)


def refuse_size(option: str, reason: str, position: int) -> NoReturn:
    """Reject a text that exceeds a limit at this position."""
    raise InvalidOption(ODataErrorCode.LIMIT, reason, option=option, position=position)


def refuse_forbidden(
    option: str, name: str, position: int, expected: Expected = Expected.ALLOWED_NAME
) -> NoReturn:
    """Reject a well-formed name that this resource does not expose."""
    raise InvalidOption(
        ODataErrorCode.FORBIDDEN_NAME,
        "this name is not available here",
        option=option,
        position=position,
        expected=(expected,),
        found=shown(name),
    )


def expect_name(option: str, text: str, position: int, grammar: Grammar, *expected: Expected) -> int:
    """Skip a property name and return its end.

    Raises:
        InvalidOption: there is no name, or one that is too long, reserved or denied.
    """
    match = grammar.name.match(text, position)
    if match is None:
        refuse_syntax(option, text, position, *expected)
    name = match.group()
    if len(name) > grammar.limits.name_length:
        refuse_size(option, f"a name has more than {grammar.limits.name_length} characters", position)
    if name.lower() in RESERVED:
        refuse_syntax(option, text, position, *expected)
    if name.lower() in grammar.rules.denied:
        refuse_forbidden(option, name, position)
    return match.end()
