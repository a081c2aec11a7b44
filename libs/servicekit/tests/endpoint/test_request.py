"""Path parameters, query parameters, and the client's presence."""

from contextlib import suppress
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import QueryParam, path_param, read_query
from servicekit.endpoint.match import Match, set_match
from servicekit.errors import InvalidPath, InvalidQuery

PRINTABLE = st.text(
    min_size=1,
    alphabet=st.characters(
        exclude_categories=["Cs"], exclude_characters="".join(map(chr, [*range(32), 127]))
    ),
)


@pytest.fixture(scope="module")
def endpoint() -> Any:
    from servicekit.endpoint import Endpoint

    async def never(_request: Request) -> Response:
        raise AssertionError

    return Endpoint(
        "GET",
        "/",
        never,
        access=None,
        summary="",
        responses={},
        query=(QueryParam("page", ""), QueryParam("$top", ""), QueryParam("desde", "", required=True)),
    )


def request_of(endpoint: Any, *, segment: str = "", query: str = "") -> Request:
    scope = {"type": "http", "query_string": query.encode("latin-1"), "headers": []}
    set_match(scope, Match(endpoint, ["", segment], {"key": 1}, 1.0))
    return Request(scope)


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        ("A%2F1", "A/1"),
        ("100%25", "100%"),
        ("%2525", "%25"),
        ("a+b", "a+b"),
        ("a%20b", "a b"),
        ("%C3%B1", "ñ"),
        ("O'Neil", "O'Neil"),
        ("a%3Fb%23c", "a?b#c"),
        ("..", ".."),
    ],
)
def test_a_path_parameter_is_decoded_exactly_once(endpoint: Any, sent: str, key: str) -> None:
    assert path_param(request_of(endpoint, segment=sent), "key") == key


@given(PRINTABLE)
def test_every_key_survives_url_encoding(key: str) -> None:
    assert path_param(request_of(None, segment=quote(key, safe="")), "key") == key


@pytest.mark.parametrize(
    "sent", ["%", "%2", "%zz", "%%41", "%ff", "%C3", "%ED%A0%80", "%00", "%0A", "%7f", "a%1b"]
)
def test_an_undecodable_path_parameter_is_refused(endpoint: Any, sent: str) -> None:
    with pytest.raises(InvalidPath):
        path_param(request_of(endpoint, segment=sent), "key")


def test_an_unknown_path_parameter_is_a_key_error(endpoint: Any) -> None:
    with pytest.raises(KeyError):
        path_param(request_of(endpoint), "other")


@pytest.mark.parametrize(
    ("query", "values"),
    [
        ("desde=2026-01-31", {"desde": "2026-01-31"}),
        ("desde=a+b%20c&&page=", {"desde": "a b c", "page": ""}),
        ("%24top=5&desde=%C3%B1", {"$top": "5", "desde": "ñ"}),
        ("desde=a=b", {"desde": "a=b"}),
        ("desde", {"desde": ""}),
    ],
)
def test_declared_query_parameters_are_decoded(endpoint: Any, query: str, values: dict[str, str]) -> None:
    assert read_query(request_of(endpoint, query=query)) == values


@pytest.mark.parametrize(
    ("query", "problems"),
    [
        ("", [("desde", "Falta este parámetro.")]),
        ("desde=1&x=1", [("x", "Este parámetro no existe.")]),
        ("desde=1&desde=2", [("desde", "Este parámetro está repetido.")]),
        ("desde=1&page=%", [("", "Un parámetro contiene caracteres no válidos.")]),
        ("desde=1&page=%ff", [("", "Un parámetro contiene caracteres no válidos.")]),
        (
            "desde=%00",
            [("", "Un parámetro contiene caracteres no válidos."), ("desde", "Falta este parámetro.")],
        ),
        ("desde=1&" + "y" * 500 + "=1", [("y" * 100, "Este parámetro no existe.")]),
    ],
)
def test_every_wrong_query_parameter_is_named(
    endpoint: Any, query: str, problems: list[tuple[str, str]]
) -> None:
    with pytest.raises(InvalidQuery) as raised:
        read_query(request_of(endpoint, query=query))
    assert [(problem.path, problem.message) for problem in raised.value.errors] == problems


@given(st.text(alphabet=st.characters(max_codepoint=255)))
def test_no_query_breaks_the_reader(query: str) -> None:
    request = request_of(None, query=query)
    set_match(request.scope, Match(_NO_QUERY, [], {}, 1.0))
    with suppress(InvalidQuery):
        assert read_query(request) == {}


class _NoQuery:
    query: tuple[QueryParam, ...] = ()


_NO_QUERY: Any = _NoQuery()
