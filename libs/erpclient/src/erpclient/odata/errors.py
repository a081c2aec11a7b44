"""What can be wrong with a client's OData text.

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

MAX_SHOWN_CHARACTERS: Final = 20
MAX_EXPECTED: Final = 5


class ODataErrorCode(StrEnum):
    """Stable words for programs; the message may change, these may not."""

    SYNTAX = "odata_syntax"
    LIMIT = "odata_limit"
    UNKNOWN_OPTION = "odata_unknown_option"
    REPEATED_OPTION = "odata_repeated_option"
    FORBIDDEN_NAME = "odata_forbidden_name"
    BAD_VALUE = "odata_bad_value"
    ENCODING = "odata_encoding"
    KEY = "key_bad_value"
    IF_MATCH = "if_match_bad_value"


class Hint(StrEnum):
    """Usual mistakes that deserve advice of their own; a front end may translate them."""

    QUOTE_DATES = "quote_dates"
    LOWER_CASE_OPERATORS = "lower_case_operators"
    NO_PATHS_OR_LAMBDAS = "no_paths_or_lambdas"
    NO_IN_OPERATOR = "no_in_operator"


_ADVICE: Final = {
    Hint.QUOTE_DATES: "write dates in quotes, like '2024-01-31'",
    Hint.LOWER_CASE_OPERATORS: "write operators in lower case",
    Hint.NO_PATHS_OR_LAMBDAS: "lines and linked records cannot be filtered; select the collection instead",
    Hint.NO_IN_OPERATOR: "write several eq conditions joined by or",
}


class ODataError(Exception):
    """A client's OData text was refused; nothing was sent upstream.

    Attributes:
        code: what kind of fault, one of :class:`ODataErrorCode`.
        message: one English sentence with all of the facts below.
        option: the query option at fault (``$filter``), as far as one is.
        position: where, counted in characters of the decoded value from 0; the length for a missing end.
        expected: what would have been right, at most five entries of a fixed vocabulary.
        found: what was there instead, at most 20 printable characters; ``None`` at the end of the text.
        hint: the usual mistake this looks like, if it does.
    """

    def __init__(
        self,
        code: ODataErrorCode,
        message: str,
        *,
        option: str | None = None,
        position: int | None = None,
        expected: tuple[str, ...] = (),
        found: str | None = None,
        hint: Hint | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.option = option
        self.position = position
        self.expected = expected
        self.found = found
        self.hint = hint


class InvalidOption(ODataError):
    """A query option that is not allowed, not understood, or too large."""


class InvalidLiteral(ODataError):
    """A text that no string literal may hold."""


class InvalidKey(ODataError):
    """A record key that does not fit its declared type."""


class InvalidEntityTag(ODataError):
    """An ``If-Match`` that is neither ``*`` nor one weak entity tag."""
