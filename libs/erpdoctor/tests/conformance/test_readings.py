import pytest

from erpclient.http.messages import HttpReply
from erpdoctor.conformance.readings import (
    UnexpectedAnswer,
    fields,
    kind,
    one_of,
    refusal,
    rows,
    status,
    tag_kind,
)


def reply(status: int, body: bytes = b"") -> HttpReply:
    return HttpReply(status, "application/json", body=body)


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (reply(404, b'{"error":{"code":-2028,"message":{"value":"x"}}}'), "404/-2028"),
        (reply(404, b'{"error":{"code":"-2028","message":"x"}}'), "404/-2028"),
        (reply(400, b'{"error":{"code":"SBO_DEMO is closed","message":"x"}}'), "400/text"),
        (reply(502, b"<html>"), "502/none"),
    ],
)
def test_a_refusal_is_status_and_number_and_never_a_text(answer: HttpReply, word: str) -> None:
    assert refusal(answer) == status(answer) == word


def test_a_success_is_its_status() -> None:
    assert status(reply(204)) == "204"


@pytest.mark.parametrize("body", [b"[1]", b"no JSON", b""])
def test_a_reply_that_is_not_an_object_is_unexpected(body: bytes) -> None:
    with pytest.raises(UnexpectedAnswer, match="no-json-object"):
        fields(reply(200, body))


@pytest.mark.parametrize("body", [b"{}", b'{"value":1}', b'{"value":[1]}'])
def test_a_list_without_rows_is_an_unexpected_answer(body: bytes) -> None:
    with pytest.raises(UnexpectedAnswer, match="no-rows-in-value"):
        rows(reply(200, body))


def test_a_refused_read_is_an_unexpected_answer() -> None:
    with pytest.raises(UnexpectedAnswer, match="403/none"):
        fields(reply(403))


def test_kinds_of_values_and_tags_have_words() -> None:
    values: tuple[object, ...] = ("", 1, 1.5, True, {}, [], None)
    kinds = ["text", "number", "number", "boolean", "object", "array", "absent"]
    assert [kind(value) for value in values] == kinds
    assert [tag_kind(tag) for tag in (None, 'W/"A1"', '"A1"', 7)] == ["none", "weak", "other", "other"]
    assert [one_of(value, ("a",), "known") for value in ("a", "b")] == ["known", "other"]
