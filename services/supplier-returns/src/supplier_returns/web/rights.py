"""Names the ERP authorisation that a user lacks."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from erpclient import (
    ErpRefused,
)


class RightMissingError(ErpRefused):
    """The ERP's refusal because of an authorisation, with the name of what the user lacks.

    It stays a refusal for those who decide on refusals.

    Attributes:
        task: what the user wanted, as the end of a Spanish sentence.
        right: the authorisation's name in the ERP, or that of the object that it protects.
    """

    def __init__(self, error: ErpRefused, *, task: str, right: str) -> None:
        super().__init__(error.status, error.code, error.text)
        self.task = task
        self.right = right


@contextmanager
def needing_right(right: str, *, task: str) -> Iterator[None]:
    """Name what the user lacks where the ERP answers a call with 403; any other error passes.

    Args:
        right: the authorisation's name in the ERP, or that of the object that it protects.
        task: what the user wants, as the end of a Spanish sentence.

    Raises:
        RightMissingError: in place of the ERP's 403, which it still is.
    """
    try:
        yield
    except ErpRefused as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
        raise RightMissingError(error, task=task, right=right) from error
