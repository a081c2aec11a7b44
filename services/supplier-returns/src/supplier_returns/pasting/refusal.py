"""Refusal of a whole paste."""

from collections.abc import Mapping, Sequence
from typing import Any


class PasteRefusedError(Exception):
    """The whole paste is unusable.

    Attributes:
        code: ``columns_unknown``, ``unreadable_paste``, ``paste_too_large``, or an error code of the body.
        message: Spanish reason for the user.
        problems: problems of single fields of the body.
        members: further members of the response.
    """

    def __init__(
        self,
        code: str,
        message: str,
        problems: Sequence[Any] = (),
        members: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(
            code, message, problems, members
        )  # all arguments, so that pickle can restore it in the parent process
        self.code = code
        self.message = message
        self.problems = problems
        self.members = members
