"""Errors in a client's OData text.

::

    ODataError
    ├── InvalidOption      a query option: $select, $filter, $orderby, $expand, $top, $skip
    ├── InvalidLiteral     a text that cannot be written as a string literal
    ├── InvalidKey         the key of a record
    └── InvalidEntityTag   the value of If-Match

Every function of this package that reads a client's text raises one of these and nothing else.
"""

from enum import StrEnum
from typing import Final

_SHOWN_CHARACTERS: Final = 20
_AND_MORE: Final = "..."


class ODataErrorCode(StrEnum):
    """Stable error codes for programs; the messages may change."""

    SYNTAX = "odata_syntax"
    LIMIT = "odata_limit"
    UNKNOWN_OPTION = "odata_unknown_option"
    REPEATED_OPTION = "odata_repeated_option"
    FORBIDDEN_NAME = "odata_forbidden_name"
    BAD_VALUE = "odata_bad_value"
    ENCODING = "odata_encoding"
    KEY = "key_bad_value"
    IF_MATCH = "if_match_bad_value"


class Expected(StrEnum):
    """The whole vocabulary of :attr:`ODataError.expected`."""

    PROPERTY_NAME = "property name"
    ALLOWED_NAME = "allowed name"
    DECLARED_COLLECTION = "declared collection"
    EXPANDED_COLLECTION = "expanded collection"
    FUNCTION = "function"
    COMPARISON = "comparison operator"
    QUOTED_TEXT = "quoted text"
    QUOTED_DATE = "quoted date"
    NUMBER = "number"
    INTEGER = "integer"
    NULL = "null"
    ENTITY_TAG = "entity tag"
    PRINTABLE_CHARACTER = "printable character"
    PERCENT_ENCODING = "percent-encoded UTF-8"
    CLOSING_QUOTE = "closing quote"
    BLANK = "blank"
    AND = "and"
    OR = "or"
    NOT = "not"
    ASC = "asc"
    DESC = "desc"
    OPENING_PARENTHESIS = "("
    CLOSING_PARENTHESIS = ")"
    COMMA = ","
    EQUALS = "="
    STAR = "*"
    END = "end"


class Hint(StrEnum):
    """Common mistakes with advice of their own; a front end may translate them."""

    QUOTE_DATES = "quote_dates"
    LOWER_CASE_OPERATORS = "lower_case_operators"
    NO_PATHS_OR_LAMBDAS = "no_paths_or_lambdas"
    NO_IN_OPERATOR = "no_in_operator"
    TOP_1_COUNTS = "top_1_counts"


_ADVICE: Final = {
    Hint.QUOTE_DATES: "write dates in quotes, like '2024-01-31'",
    Hint.LOWER_CASE_OPERATORS: "write operators and functions in lower case",
    Hint.NO_PATHS_OR_LAMBDAS: "no path leads to lines and linked records; select the collection instead",
    Hint.NO_IN_OPERATOR: "write several eq conditions joined by or",
    Hint.TOP_1_COUNTS: "0 would switch the ERP's paging off; a page of 1 tells the count, too",
}


class ODataError(Exception):
    """A client's OData text was rejected; nothing was sent upstream.

    Attributes:
        code: kind of the fault.
        reason: the bare sentence, without place, expectation and finding.
        option: the query option at fault (``$filter``), if any.
        position: index of the fault in characters of the decoded value; its length for a missing end.
        expected: valid alternatives, at most five.
        found: the text at the fault, at most 20 printable characters; ``None`` if there is none, as at the
            end of a text.
        hint: the common mistake that this resembles, if any.
        message: all of the above as one English line.
    """

    def __init__(
        self,
        code: ODataErrorCode,
        reason: str,
        *,
        option: str | None = None,
        position: int | None = None,
        expected: tuple[Expected, ...] = (),
        found: str | None = None,
        hint: Hint | None = None,
    ) -> None:
        self.code = code
        self.reason = reason
        self.option = option
        self.position = position
        self.expected = expected
        self.found = found
        self.hint = hint
        self.message = self._compose()
        super().__init__(self.message)

    def _compose(self) -> str:
        place = [] if self.option is None else [self.option]
        if self.position is not None:
            place.append(f"position {self.position}")
        facts = [self.reason]
        if self.expected:
            facts.append("expected " + " | ".join(self.expected))
        if self.found is not None:
            facts.append(f"found '{self.found}'")
        if self.hint is not None:
            facts.append(_ADVICE[self.hint])
        sentence = "; ".join(facts)
        return f"{', '.join(place)}: {sentence}" if place else sentence


class InvalidOption(ODataError):  # noqa: N818 - a refusal, named after what is refused
    """A query option that is not allowed, not understood, or too large."""


class InvalidLiteral(ODataError):  # noqa: N818 - a refusal, named after what is refused
    """A text that cannot be a string literal."""


class InvalidKey(ODataError):  # noqa: N818 - a refusal, named after what is refused
    """A record key that does not fit its declared type."""


class InvalidEntityTag(ODataError):  # noqa: N818 - a refusal, named after what is refused
    """An ``If-Match`` that is neither ``*`` nor one weak entity tag."""


def shown(text: str) -> str:
    """Make a piece of a client's text fit to be shown: printable, at most 20 characters."""
    start = text[: _SHOWN_CHARACTERS + 1]
    printable = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in start
    )
    if len(printable) <= _SHOWN_CHARACTERS:
        return printable
    return printable[: _SHOWN_CHARACTERS - len(_AND_MORE)] + _AND_MORE
