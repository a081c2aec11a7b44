"""The outcome of a write, and the answer that its client gets."""

from collections.abc import Mapping
from datetime import datetime

from attrs import evolve, field, frozen

from erp_gateway.writes.rules import WriteState
from servicekit.erp.errors import ClientGone
from servicekit.errors import PROBLEM_MEDIA_TYPE, InternalError, ServiceError, problem_response


@frozen(kw_only=True)
class WriteAnswer:
    """The answer to the client.

    Attributes:
        status: the HTTP status.
        body: the body's bytes, possibly empty.
        media_type: media type of the body.
        headers: further headers, such as `Location` and `ETag`.
        short_body: the body to store where the whole one is too large; empty for none.
        replayed: whether it repeats the answer of the first request with the same idempotency key.
    """

    status: int
    body: bytes = field(default=b"", repr=False)
    media_type: str = "application/json"
    headers: Mapping[str, str] = field(factory=dict)
    short_body: bytes = field(default=b"", repr=False)
    replayed: bool = False

    def as_replay(self) -> "WriteAnswer":
        """Return the same answer, marked as a replay."""
        return evolve(self, replayed=True)


@frozen(kw_only=True)
class WriteOutcome:
    """The outcome of a write: an answer or a refusal.

    The journal adds the last four attributes when it records the outcome.

    Attributes:
        state: state of the write.
        answer: the client's answer to a write that was done.
        refusal: the client's refusal in any other state.
        keys: keys of the created records, one for each write; None for any other write.
        write_id: number of the row; of a change set the first one's.
        request_id: the request that made the write.
        is_recorded: whether the outcome is committed.
        next_lookup_at: when an unknown write is looked up first.
    """

    state: WriteState
    answer: WriteAnswer | None = None
    refusal: ServiceError | None = None
    keys: tuple[str | None, ...] = ()
    write_id: str = ""
    request_id: str = ""
    is_recorded: bool = False
    next_lookup_at: datetime | None = None

    @property
    def reason(self) -> str | None:
        """The `code` of the refusal."""
        return None if self.refusal is None else self.refusal.code

    def key_of(self, position: int | None) -> str | None:
        """Return the key of the record that a write created.

        Args:
            position: of the write in its change set; None for a write alone.
        """
        return self.keys[position or 0] if self.keys else None

    @property
    def client_left(self) -> bool:
        """True if the write was not sent because its client had disconnected."""
        return isinstance(self.refusal, ClientGone)

    def answer_or_raise(self) -> WriteAnswer:
        """Return the answer of a write that was done.

        Raises:
            ServiceError: the refusal of any other write.
        """
        if self.answer is None:
            raise InternalError if self.refusal is None else self.refusal.without_traceback()
        return self.answer

    def as_answer(self) -> WriteAnswer:
        """Return the answer, or the refusal as a problem document."""
        if self.answer is not None:
            return self.answer
        response = problem_response(self.refusal or InternalError(), self.request_id)
        return WriteAnswer(
            status=response.status_code,
            body=bytes(response.body),
            media_type=PROBLEM_MEDIA_TYPE,
            headers={} if self.refusal is None else self.refusal.headers,
        )
