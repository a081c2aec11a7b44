"""What goes wrong with a template."""

from attrs import frozen


class TemplateError(Exception):
    """A template may not be used; the message names the file and says why.

    Attributes:
        is_located: whether the message says in which line, too.
    """

    def __init__(self, reason: str, file: object = None, line: int | None = None) -> None:
        self.is_located = line is not None
        super().__init__(f"template {file}, line {line}: {reason}" if self.is_located else reason)


class DocumentTooLongError(Exception):
    """The document is longer than `template.MAX_CHARS`."""


class GivenUpError(Exception):
    """Nobody waits for the document any more."""


@frozen
class TemplateFailedError(Exception):
    """A template failed while it was filled in.

    Attributes:
        template: its file, below the report's folder.
        line: where in it; None when that can't be told.
        cause: what was raised.
    """

    template: str
    line: int | None
    cause: Exception
