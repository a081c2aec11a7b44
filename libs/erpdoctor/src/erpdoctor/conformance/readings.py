"""Replies of the ERP reduced to words without any value of the company. No I/O."""

# ruff: noqa: N818 - what ends a probe is named by what it says

import re
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec

from erpclient.http.error_replies import read_error
from erpclient.http.messages import HttpReply

_TAG: Final = re.compile(r'W/"[\x21\x23-\x7e]{1,128}"')


class QuestionSkipped(Exception):
    """The company lacks a record that the question needs. The text names it."""


class UnexpectedAnswer(Exception):
    """The reply differs so much that it can't be read.

    Attributes:
        word: what to show for an answer.
    """

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


def refusal(reply: HttpReply) -> str:
    """Return status and ERP code, ``404/-2028``; ``404/none`` for a page of another server."""
    code, _ = read_error(reply)
    if code is None:
        return f"{reply.status}/none"
    return f"{reply.status}/{code}" if isinstance(code, int) else f"{reply.status}/text"


def status(reply: HttpReply) -> str:
    """Return the status of a success, else status and code."""
    return str(reply.status) if reply.status < HTTPStatus.MULTIPLE_CHOICES else refusal(reply)


def fields(reply: HttpReply) -> dict[str, Any]:
    """Read the JSON object of a success.

    Raises:
        UnexpectedAnswer: a refusal, or no JSON object.
    """
    if reply.status >= HTTPStatus.MULTIPLE_CHOICES:
        raise UnexpectedAnswer(refusal(reply))
    try:
        return msgspec.json.decode(reply.body, type=dict[str, Any])
    except msgspec.DecodeError as error:
        raise UnexpectedAnswer("no-json-object") from error


def rows(reply: HttpReply) -> list[dict[str, Any]]:
    """Read the rows of a list.

    Raises:
        UnexpectedAnswer: as :func:`fields`, or there are no rows in ``value``.
    """
    try:
        return msgspec.convert(fields(reply).get("value"), list[dict[str, Any]])
    except msgspec.ValidationError as error:
        raise UnexpectedAnswer("no-rows-in-value") from error


def kind(value: object) -> str:
    """Name the JSON type of a value."""
    names = {str: "text", int: "number", float: "number", bool: "boolean", dict: "object", list: "array"}
    return names.get(type(value), "absent")


def tag_kind(tag: object) -> str:
    """Return the form of an entity tag: ``weak``, ``other`` or ``none``."""
    if tag is None:
        return "none"
    return "weak" if isinstance(tag, str) and _TAG.fullmatch(tag) else "other"


def one_of(value: object, allowed: Sequence[str], word: str) -> str:
    """Return ``word`` for an allowed value, else ``other``."""
    return word if value in allowed else "other"


def either(condition: object, yes: str, no: str) -> str:
    """Return one of two words."""
    return yes if condition else no
