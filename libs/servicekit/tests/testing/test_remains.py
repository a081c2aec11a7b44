"""The objects that tests count exist, and are freed once no error refers to them."""

import gc

import pytest

from servicekit.testing.remains import uncollected

pytestmark = [pytest.mark.asyncio, pytest.mark.check]


class AnswerError(Exception):
    """An error of a test."""


class Body:
    """An answer of a test."""


def fail(*, holding: bool) -> None:
    body = Body()
    error = AnswerError(str(body))
    try:
        raise error
    except AnswerError:
        if not holding:
            del error


async def test_an_error_holding_its_frames_is_found_until_garbage_is_collected() -> None:
    there_before = Body()
    with uncollected(AnswerError, Body) as remains:
        fail(holding=False)
        assert await remains.names() == []
        fail(holding=True)
        assert sorted(await remains.names()) == ["AnswerError", "Body"]
        gc.collect()
        assert await remains.names() == []
    assert gc.isenabled()
    del there_before


async def test_an_error_without_frames_and_cause_keeps_nothing_alive() -> None:
    with uncollected(AnswerError) as remains:
        error = AnswerError()
        assert await remains.names() == []
        error.__cause__ = AnswerError()
        assert await remains.names() == ["AnswerError"]
