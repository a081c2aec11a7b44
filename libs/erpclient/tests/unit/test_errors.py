"""The errors as values."""

import traceback

import pytest

from erpclient import errors
from erpclient.errors import ErpError, Outcome, Phase

EVERY_ERROR = [
    errors.ErpUnreachable("ECONNREFUSED", Phase.CONNECT),
    errors.ErpUnreachable("ECONNRESET", Phase.ANSWER),
    errors.ErpTimeout(Phase.CONNECT),
    errors.ErpTimeout(Phase.ANSWER),
    errors.ErpReplyTooLarge(),
    errors.ErpLoginRejected(-304, "No"),
    errors.SessionEnded(),
    errors.ErpRefused(400, -5002, "No"),
    errors.ErpKeyUnsupported(404, None, ""),
    errors.ErpServerError(500, None, ""),
    errors.ErpReplyUnreadable("truncated"),
    errors.QueueFull("user"),
    errors.QueueTimeout(),
    errors.QueueClosed(),
    errors.CallerGone(),
]
MAYBE_DONE = {
    "ErpReplyTooLarge",
    "ErpUnreachable/answer",
    "ErpTimeout/answer",
    "ErpServerError",
    "ErpReplyUnreadable",
}


def name_of(error: ErpError) -> str:
    phase = getattr(error, "phase", None)
    return type(error).__name__ + (f"/{phase.value}" if phase else "")


@pytest.mark.parametrize("error", EVERY_ERROR, ids=name_of)
def test_only_a_sent_request_without_valid_response_may_be_executed(error: ErpError) -> None:
    assert (error.outcome is Outcome.UNKNOWN) == (name_of(error) in MAYBE_DONE)


@pytest.mark.parametrize("error", EVERY_ERROR, ids=name_of)
def test_a_copied_error_has_the_same_facts_without_traceback(error: ErpError) -> None:
    again = error.without_traceback()
    assert again is not error
    assert (type(again), str(again), vars(again)) == (type(error), str(error), vars(error))
    assert again.__traceback__ is None


def test_a_copied_error_keeps_the_text_of_its_cause_only() -> None:
    error = errors.ErpUnreachable("CERT", Phase.CONNECT)
    error.__cause__ = OSError("below")
    again = error.without_traceback().without_traceback()
    assert again.__cause__ is None
    assert "caused by OSError: below" in "".join(traceback.format_exception(again))
    assert "__notes__" not in vars(error)


def test_a_copied_error_may_have_a_different_outcome() -> None:
    error = errors.ErpTimeout(Phase.ANSWER)
    assert error.without_traceback(outcome=Outcome.NOT_DONE).outcome is Outcome.NOT_DONE
    assert error.outcome is Outcome.UNKNOWN


def test_the_tree_in_the_docstring_is_the_tree() -> None:
    drawn = (errors.__doc__ or "").split("::")[1]
    declared = {
        value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, ErpError)
    }
    assert {name for name in drawn.split() if name[:1].isupper() and name in vars(errors)} == {
        kind.__name__ for kind in declared
    }
