"""Raw query strings: split and decoded, or encoded."""

import re
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from erpclient.odata.errors import Expected, InvalidOption, ODataErrorCode, shown
from erpclient.odata.limits import QueryLimits

_USUAL_ESCAPES: Final = (("%20", " "), ("%27", "'"), ("%2C", ","), ("%24", "$"), ("%28", "("), ("%29", ")"))
_MALFORMED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ENCODED: Final = re.compile(r"[A-Za-z0-9_.~%-]*+")


def split_options(raw: bytes, allowed: tuple[str, ...], limits: QueryLimits) -> dict[str, str]:
    """Split a raw query string.

    It is split before it is decoded, so that an encoded ``&`` or ``=`` stays inside its value.

    Args:
        raw: as received, still percent-encoded.
        allowed: names of options, spelt exactly.
        limits: upper bounds.

    Returns:
        decoded, non-empty values by option.

    Raises:
        InvalidOption: the text is too long or badly encoded; an option is unknown, repeated or empty.
    """
    if len(raw) > limits.query_bytes:
        raise InvalidOption(ODataErrorCode.LIMIT, f"the query is longer than {limits.query_bytes} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise _bad_encoding(None, None) from None
    options: dict[str, str] = {}
    if not text:
        return options
    for part in text.split("&"):
        name, equals, value = part.partition("=")
        if name not in allowed and (name := _decode(name, None)) not in allowed:
            reason = "not one of " + ", ".join(allowed)
            raise InvalidOption(ODataErrorCode.UNKNOWN_OPTION, reason, option=shown(name) or None)
        if name in options:
            raise InvalidOption(ODataErrorCode.REPEATED_OPTION, "given twice", option=name)
        if not equals:
            raise InvalidOption(ODataErrorCode.SYNTAX, "no value", option=name, expected=(Expected.EQUALS,))
        if not value:
            raise InvalidOption(ODataErrorCode.SYNTAX, "empty", option=name, position=0)
        options[name] = _decode(value, name)
    return options


def encode_value(text: str) -> str:
    """Percent-encode a value as UTF-8, except ASCII letters, digits and ``_.~-``."""
    usual = text.replace("%", "%25")
    for escape, character in _USUAL_ESCAPES:
        usual = usual.replace(character, escape)
    # Fast path: most values need no other escape. The general function costs much more.
    return usual if _ENCODED.fullmatch(usual) else quote(text, safe="")


def _decode(text: str, option: str | None) -> str:
    text = text.replace("+", " ")
    if "%" not in text:
        return text
    # Fast path: most values contain no other escape. No replacement contains a % or a hex digit, so it cannot
    # complete another escape. Any remaining % goes to the general function.
    decoded = text
    for escape, character in _USUAL_ESCAPES:
        decoded = decoded.replace(escape, character)
    if "%" not in decoded:
        return decoded
    if malformed := _MALFORMED.search(text):
        before = unquote_to_bytes(text[: malformed.start()]).decode("utf-8", "replace")
        raise _bad_encoding(option, len(before))
    octets = unquote_to_bytes(text)
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise _bad_encoding(option, len(octets[: fault.start].decode("utf-8"))) from None


def _bad_encoding(option: str | None, position: int | None) -> InvalidOption:
    return InvalidOption(
        ODataErrorCode.ENCODING,
        "badly encoded",
        option=option,
        position=None if option is None else position,
        expected=(Expected.PERCENT_ENCODING,),
    )
