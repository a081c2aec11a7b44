"""Base class of all errors that a service responds with."""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, ClassVar, Final, Self

import attrs
from typing_extensions import override

from servicekit.errors.field_problems import FieldProblem, ReportedProblems

_CODE: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

# Written out, because the standard library's phrases change between Python versions.
TITLES: Final[Mapping[int, str]] = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    412: "Precondition Failed",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    428: "Precondition Required",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
}


@attrs.frozen
class Upstream:
    """Code and text of the upstream system, returned to the client as `upstream`."""

    code: int | str | None
    message: str


DEFINED_ERRORS: Final[list[type["ServiceError"]]] = []


def type_and_text(error: BaseException) -> str:
    """Return type and text of an error, as in the log."""
    return f"{type(error).__name__}: {error}"


class ServiceError(Exception):
    """An answer that is not a success. A subclass is a status, a code and a sentence in Spanish for people.

    The class's `detail` can be replaced per instance. 429 and 503 always carry `Retry-After`, `retry_after_s`
    seconds. A subclass without a proper status, code or detail is refused when it is defined.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str | None] = None
    detail: str
    retry_after_s: int = 5
    caused_by: str | None = None

    def __init__(
        self,
        detail: str | None = None,
        *,
        errors: Iterable[FieldProblem] = (),
        upstream: Upstream | None = None,
        members: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        """Set the details of this occurrence.

        Args:
            detail: another sentence for people, in Spanish.
            errors: problems of single fields. The response lists the first ones and counts the others.
            upstream: the upstream's own code and text.
            members: further members of the body (`option`, `position`, `expected`, `found`).
            headers: further headers of the answer.
            retry_after_s: seconds for `Retry-After`; always sent with 429 and 503.
        """
        super().__init__(self.code)
        if detail is not None:
            self.detail = detail
        if retry_after_s is not None:
            self.retry_after_s = retry_after_s
        self.errors = ReportedProblems.of(errors)
        self.upstream = upstream
        self.members = dict(members or {})
        self.headers = dict(headers or {})
        if self.status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
            self.headers.setdefault("Retry-After", str(self.retry_after_s))

    @override
    def __init_subclass__(cls) -> None:
        if not _CODE.fullmatch(getattr(cls, "code", "")):
            raise TypeError(f"{cls.__name__}.code must be a snake_case word")
        if getattr(cls, "status", 0) not in TITLES:
            raise TypeError(f"{cls.__name__}.status must be one of {sorted(TITLES)}")
        if not getattr(cls, "detail", ""):
            raise TypeError(f"{cls.__name__}.detail must be a sentence")
        DEFINED_ERRORS.append(cls)

    @property
    def cause(self) -> str | None:
        """Type and text of the cause, for the log; None without a cause."""
        return self.caused_by if self.__cause__ is None else type_and_text(self.__cause__)

    def without_traceback(self) -> Self:
        """Create an error with the same facts, to store it or to raise it again: without frames, and with
        its cause as text.
        """
        bare = type(self).__new__(type(self), *self.args)
        bare.__dict__.update(self.__dict__)
        bare.caused_by = self.cause
        return bare

    def body(self, request_id: str) -> dict[str, Any]:
        """Return the problem document as a JSON-ready mapping, members that do not apply left out."""
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": self.title or TITLES[self.status],
            "status": self.status,
            "detail": self.detail,
            "message": self.detail,
            "code": self.code,
            "requestId": request_id,
        }
        if self.errors:
            body["errors"] = [{"path": problem.path, "message": problem.message} for problem in self.errors]
        if self.upstream is not None:
            body["upstream"] = {"code": self.upstream.code, "message": self.upstream.message}
        return body | {name: value for name, value in self.members.items() if value is not None}
