"""A query that may go upstream, and how a query is written: options joined by ``&``, percent-encoded.

It is decoded once and encoded once.
"""

import re
from enum import Enum
from typing import Final
from urllib.parse import quote, unquote_to_bytes

from attrs import field, frozen

from erpclient.odata.errors import Expected, InvalidOption, ODataErrorCode, shown
from erpclient.odata.rules import QueryLimits

_USUAL_ESCAPES: Final = (("%20", " "), ("%27", "'"), ("%2C", ","), ("%24", "$"), ("%28", "("), ("%29", ")"))
_MALFORMED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ENCODED: Final = re.compile(r"[A-Za-z0-9_.~%-]*+")


class Dialect(Enum):
    """Version segment of the Service Layer's URL; it decides how a count is asked for."""

    V1 = "v1"
    V2 = "v2"


@frozen
class _Selection:
    """What both queries say of the properties that they ask for."""

    select: tuple[str, ...] | None = None

    def selects(self, name: str) -> bool:
        """Tell whether the answer holds this property without an addition to ``$select``."""
        return self.select is None or name in self.select or "*" in self.select

    def leaves_unnamed(self, name: str) -> bool:
        """Tell whether there is a ``$select`` that does not spell out this property; ``*`` does not."""
        return self.select is not None and name not in self.select

    def _options(self, add_select: tuple[str, ...]) -> list[str]:
        if self.select is None:
            return []
        added = [name for name in add_select if name not in self.select]
        return ["$select=" + encode_value(",".join([*self.select, *added]))]


@frozen
class ListQuery(_Selection):
    """Options of a list request.

    Made by :func:`erpclient.odata.parse_list_query` from a client's text, or directly by a program
    that vouches for what it writes (literals through :func:`erpclient.odata.quote_string`).

    Attributes:
        select: names (``ItemCode``), paths into an expanded collection (``ItemGroups/Number``) or ``*``;
            ``None`` for all properties.
        filter: condition in canonical form, not percent-encoded.
        orderby: ``Name``, ``Name asc`` or ``Name desc`` each.
        expand: navigation properties.
        top: largest number of rows to answer; also the page size to ask for.
        skip: rows to leave out at the start.
    """

    filter: str | None = None
    orderby: tuple[str, ...] = ()
    expand: tuple[str, ...] = ()
    top: int = 50
    skip: int = 0
    _written: dict[tuple[str, ...], str] = field(factory=dict, init=False, eq=False, repr=False)

    def encode(self, dialect: Dialect, add_select: tuple[str, ...] = ()) -> str:
        """Write the upstream query string, percent-encoded once, always with a count.

        Where there is a ``$select``, the entity tags of the answer are right only if it names ``DataVersion``
        (seen live on Service Layer 1000340); ``add_select`` is for that. ``*`` does not count as naming it;
        names are allowed beside it (SAP's manual shows ``$select=*,BusinessPartner``).

        Args:
            dialect: ``$inlinecount=allpages`` for v1, ``$count=true`` for v2.
            add_select: names to add to ``$select`` where there is one that does not name them.

        Returns:
            Options in a fixed order joined by ``&``, without a leading ``?``; ASCII.
        """
        options = self._written.get(add_select)
        if options is None:
            options = self._written[add_select] = self._write(add_select)
        count = "$count=true" if dialect is Dialect.V2 else "$inlinecount=allpages"
        return f"{options}&{count}"

    def _write(self, add_select: tuple[str, ...]) -> str:
        options = self._options(add_select)
        if self.filter is not None:
            options.append("$filter=" + encode_value(self.filter))
        if self.orderby:
            options.append("$orderby=" + encode_value(",".join(self.orderby)))
        if self.expand:
            options.append("$expand=" + encode_value(",".join(self.expand)))
        options.append(f"$top={self.top}")
        if self.skip:
            options.append(f"$skip={self.skip}")
        return "&".join(options)


@frozen
class RecordQuery(_Selection):
    """Options of a request for one record.

    Attributes:
        select: as of :class:`ListQuery`.
        expand: as of :class:`ListQuery`.
    """

    expand: tuple[str, ...] = ()

    def encode(
        self,
        dialect: Dialect,  # noqa: ARG002 - both versions spell these options alike; one signature for both queries
        add_select: tuple[str, ...] = (),
        *,
        key_filter: str | None = None,
    ) -> str:
        """Write the upstream query string, percent-encoded once; empty when there is nothing to say.

        Args:
            dialect: as for :meth:`ListQuery.encode`; it makes no difference here.
            add_select: names to add to ``$select``, as for :meth:`ListQuery.encode`.
            key_filter: a key's ``filter()`` text, to read the record as a list of at most one row where the
                ERP's web server does not take the key in a path.
        """
        options = self._options(add_select)
        if key_filter is not None:
            options.append("$filter=" + encode_value(key_filter))
        if self.expand:
            options.append("$expand=" + encode_value(",".join(self.expand)))
        if key_filter is not None:
            options.append("$top=1")
        return "&".join(options)


def split_options(raw: bytes, allowed: tuple[str, ...], limits: QueryLimits) -> dict[str, str]:
    """Take a raw query string apart.

    It is split before it is decoded, so that an encoded ``&`` or ``=`` stays inside its value.

    Args:
        raw: as received, still percent-encoded.
        allowed: names of options, spelt exactly.
        limits: how much is allowed.

    Returns:
        Decoded, non-empty values by option.

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
    """Percent-encode a value as UTF-8; only ASCII letters, digits and ``_.~-`` stay as they are."""
    usual = text.replace("%", "%25")
    for escape, character in _USUAL_ESCAPES:
        usual = usual.replace(character, escape)
    # Nearly always this is all there is to encode, and much cheaper than the function made for it.
    return usual if _ENCODED.fullmatch(usual) else quote(text, safe="")


def _decode(text: str, option: str | None) -> str:
    text = text.replace("+", " ")
    if "%" not in text:
        return text
    # Nearly always this is all there is to decode, and much cheaper. No replacement holds a % or a hex
    # digit, so none can complete another escape; whatever is left leaves a % and takes the long way.
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
