"""What an answer of the ERP says, in words without any value of the company's. No I/O."""

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
    """The company lacks what the question needs: an order, a stored query. The text says what."""


class UnexpectedAnswer(Exception):
    """The answer is so different that nothing more can be read of it.

    Attributes:
        word: what to show for an answer.
    """

    def __init__(self, word: str) -> None:
        super().__init__(word)
        self.word = word


def refusal(reply: HttpReply) -> str:
    """Say status and the ERP's own code, ``404/-2028``; ``404/none`` for a page that is not the ERP's."""
    code, _ = read_error(reply)
    if code is None:
        return f"{reply.status}/none"
    return f"{reply.status}/{code}" if isinstance(code, int) else f"{reply.status}/text"


def status(reply: HttpReply) -> str:
    """Say the status alone of a success, status and code of anything else."""
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
    """Say what an entity tag looks like: ``weak``, ``other``, or ``none`` where there is none."""
    if tag is None:
        return "none"
    return "weak" if isinstance(tag, str) and _TAG.fullmatch(tag) else "other"


def one_of(value: object, allowed: Sequence[str], word: str) -> str:
    """Say ``word`` for a value that is one of those allowed, else ``other``."""
    return word if value in allowed else "other"


def either(condition: object, yes: str, no: str) -> str:
    """Say the one word or the other."""
    return yes if condition else no
