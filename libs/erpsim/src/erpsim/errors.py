"""The one refusal of the simulated Service Layer."""

from __future__ import annotations


class SlError(Exception):
    """A refusal as the Service Layer words it; the HTTP side renders it in the shape of its OData generation.

    Args:
        status: HTTP status of the answer.
        code: number of the refusal; OData v4 writes it as a string.
        text: the message, in English as a login without `Language` gets it.
    """

    def __init__(self, status: int, code: int, text: str) -> None:
        super().__init__(f"{status} {code}: {text}")
        self.status = status
        self.code = code
        self.text = text
