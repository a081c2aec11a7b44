"""Name the right that a user lacks in the ERP."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

from erpclient import (
    ErpRefused,
)


class RightMissingError(ErpRefused):
    """Refusal of the ERP because of a missing right, with its name.

    It stays an `ErpRefused` for code that handles refusals.

    Attributes:
        task: task of the user, as the end of a Spanish sentence.
        right: name of the right in the ERP, or of the object that it protects.
    """

    def __init__(self, error: ErpRefused, *, task: str, right: str) -> None:
        super().__init__(error.status, error.code, error.text)
        self.task = task
        self.right = right


@contextmanager
def needing_right(right: str, *, task: str) -> Iterator[None]:
    """Name the missing right if the ERP answers with 403. Other errors don't change.

    Args:
        right: name of the right in the ERP, or of the object that it protects.
        task: task of the user, as the end of a Spanish sentence.

    Raises:
        RightMissingError: replaces the ERP's 403.
    """
    try:
        yield
    except ErpRefused as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
        raise RightMissingError(error, task=task, right=right) from error
