"""The checks of a service's generated examples find what they look for."""

from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint
from servicekit.openapi import ApiInfo
from servicekit.testing.example_values import refused_examples, unused_values


@attrs.frozen(kw_only=True)
class LoginBody:
    """Body of a sign-in."""

    user: str = attrs.field(validator=attrs.validators.max_len(4))
    tries: int = 1


async def never(_request: Request) -> Response:
    raise AssertionError


def endpoints(request: Body | None) -> list[Endpoint]:
    responses = {200: Answer("It.", Body(LoginBody))}
    return [Endpoint("POST", "/x", never, access="", summary="x", request=request, responses=responses)]


def info(**vocabulary: Any) -> ApiInfo:
    return ApiInfo(title="T", version="1", security=lambda _: None, vocabulary=vocabulary)


def test_vocabulary_values_that_match_no_property_are_unused() -> None:
    result = info(user="ana", other=1, **{"LoginBody.tries": 2, "Other.user": "x"})
    assert unused_values(endpoints(None), result) == {"other", "Other.user"}
    assert unused_values(endpoints(None), info(user="ana", **{"LoginBody.user": "eva"})) == {"user"}


def test_a_generated_request_refused_by_its_validator_is_found() -> None:
    generated = endpoints(Body(LoginBody))
    assert refused_examples(generated, info(user="ana")) == {}
    (refusal,) = refused_examples(generated, info(user="anastasia")).values()
    assert [problem.path for problem in refusal.errors] == ["user"]
    assert list(refused_examples(endpoints(Body(LoginBody, {})), info())) == ["POST /x"]


def test_requests_without_a_shape_are_skipped() -> None:
    assert refused_examples(endpoints(None), info()) == {}
    assert refused_examples(endpoints(Body({"type": "object"}, {})), info()) == {}
