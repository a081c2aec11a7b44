"""Errors in replies: of the ERP, of the web server before it, and bodies that can't be read. No I/O."""

import re
from functools import lru_cache
from http import HTTPStatus
from typing import Final

import msgspec

from erpclient.errors import (
    TOO_LARGE,
    ErpError,
    ErpRefused,
    ErpReplyTooLarge,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    bounded,
)
from erpclient.http.cleaner import VERSION
from erpclient.http.decoding import DECODE_ERRORS
from erpclient.http.half_characters import with_whole_characters
from erpclient.http.messages import HttpReply

_SLASH_IN_KEY: Final = re.compile(r"%2F|%5C", re.IGNORECASE)
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_CHARSET: Final = re.compile(r";\s*charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)


class _ErrorText(msgspec.Struct):
    value: str | None = None


class _Error(msgspec.Struct):
    code: int | str | None = None
    message: _ErrorText | str | None = None


class _ErrorEnvelope(msgspec.Struct):
    error: _Error


_error_decoder: Final = msgspec.json.Decoder(_ErrorEnvelope)


def read_error(reply: HttpReply) -> tuple[int | str | None, str]:
    """Read the ERP's code and text from an error reply of v1 or v2.

    v1: number and ``{"lang": …, "value": text}`` (SAP manual 1.22); v2: both as plain text.

    Returns:
        ``(None, "")`` for a body that is not the ERP's own.
    """
    error = _error_in(reply.body)
    if error is None:
        return None, ""
    message = error.message.value if isinstance(error.message, _ErrorText) else error.message
    code = error.code
    if isinstance(code, str) and _INTEGER.fullmatch(code):
        code = int(code)
    return code, bounded(message or "")


def _error_in(body: bytes) -> _Error | None:
    try:
        return _error_decoder.decode(body).error
    except DECODE_ERRORS:
        try:
            return _error_decoder.decode(with_whole_characters(body)).error
        except DECODE_ERRORS:
            return None


def _is_cut_off(reply: HttpReply) -> bool:
    if reply.fault is not None or not reply.body.lstrip().startswith(b"{"):
        return reply.fault is not None
    try:
        msgspec.json.decode(with_whole_characters(reply.body), type=msgspec.Raw)  # checked, and not built
    except DECODE_ERRORS:
        return True
    return False


def find_error(reply: HttpReply) -> ErpError | None:
    """Return the error of a reply by its status and form, ``None`` without one."""
    status = reply.status
    if is_success(status):
        reason = reply.fault or (None if _is_utf8(reply.content_type) else "not UTF-8")
        if reason == TOO_LARGE:
            return ErpReplyTooLarge()
        return None if reason is None else ErpReplyUnreadable(reason)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ErpServerError(status, *read_error(reply))
    if status >= HTTPStatus.BAD_REQUEST:
        return ErpRefused(status, *read_error(reply), is_cut_off=_is_cut_off(reply))
    return ErpReplyUnreadable(f"status {status}")


def is_gateway_page(reply: HttpReply) -> bool:
    """Return whether the web server reports that the ERP behind it does not respond.

    Balancer and web server send HTML or JSON of their own. The ERP's own failures have its code and text.
    """
    return reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR and read_error(reply) == (None, "")


def is_unanswered(error: ErpError) -> bool:
    """Return whether an error means that the ERP did not reply, not even with a refusal."""
    if isinstance(error, ErpServerError):
        return error.code is None and not error.text
    return isinstance(error, ErpTimeout | ErpUnreachable)


def raise_for(reply: HttpReply) -> None:
    """Raise the error of :func:`find_error`.

    Raises:
        ErpRefused: a 4xx status.
        ErpServerError: a 5xx status.
        ErpReplyUnreadable: any other status than 2xx, or a body that could not be read whole.
    """
    error = find_error(reply)
    if error is not None:
        # A bound exception would keep its own frame alive, and the reply with it.
        raise error.without_traceback()


def key_is_unsupported(key_predicate: str, reply: HttpReply) -> bool:
    """Return whether the web server, not the ERP, returned 404 because of the key in the path.

    By default Apache answers 404 to an encoded slash.
    """
    return (
        reply.status == HTTPStatus.NOT_FOUND
        and _SLASH_IN_KEY.search(key_predicate) is not None
        and read_error(reply) == (None, "")
    )


def refuses_version(reply: HttpReply) -> bool:
    """Return whether the ERP does not have ``DataVersion``: it is older than FP 2102."""
    return reply.status == HTTPStatus.BAD_REQUEST and VERSION in read_error(reply)[1]


def is_success(status: int) -> bool:
    """Return whether a status is a success."""
    return HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES


@lru_cache(maxsize=64)
def _is_utf8(content_type: str) -> bool:
    charset = _CHARSET.search(content_type)
    return charset is None or charset[1].lower() in ("utf-8", "utf8", "us-ascii")
