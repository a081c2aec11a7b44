"""Planted secrets travel every road of a request, the crash included, and are looked for in every line."""

import io
import json
import logging
from typing import Any

import attrs
import pytest
import structlog
from starlette.requests import Request
from starlette.responses import Response

from servicekit.config import Secret
from servicekit.endpoint import json_response, read_json
from servicekit.logs import LogSettings, configure_logging

CONFIGURED = "SENTINEL-configured-password"
TOKEN = "SENTINEL-bearer-token"
COOKIE = "SENTINEL-cookie-value"
TYPED = "SENTINEL typed password"
LOCAL = "SENTINEL-" + "local"


@attrs.frozen(kw_only=True)
class Login:
    user: str
    password: str


@pytest.fixture(params=["json", "console"])
def stream(request: pytest.FixtureRequest) -> io.StringIO:
    written = io.StringIO()
    settings = LogSettings(level="DEBUG", format=request.param)
    configure_logging(settings, secrets=[Secret(CONFIGURED)], stream=written)
    return written


async def crash_with_everything(request: Request) -> Response:
    login = await read_json(request, Login)
    hidden = LOCAL  # in a local variable of the frame that fails
    structlog.get_logger().info("got", body=attrs.asdict(login), headers=dict(request.headers), login=login)
    logging.getLogger("some.library").debug("headers %s", dict(request.headers))
    raise RuntimeError(
        f"{len(hidden)} failed for {login.password!r}, {CONFIGURED}, {request.headers['authorization']} "
        f"and {request.headers['cookie']} and {json.dumps(attrs.asdict(login))}"
    )


async def cause_of_failure(request: Request) -> Response:
    login = await read_json(request, Login)
    try:
        int(login.password)
    except ValueError as exc:
        raise RuntimeError("unforeseen") from exc
    return json_response(None)


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/crash", "/cause", "/login", "/nowhere"])
@pytest.mark.parametrize(
    "body", [{"user": "ana", "password": TYPED}, {"user": 1, "password": TYPED, TYPED: 1}]
)
async def test_planted_secrets_are_in_no_line_and_no_answer(
    stream: io.StringIO, make_endpoint: Any, make_app: Any, open_client: Any, path: str, body: dict[str, Any]
) -> None:
    async def login(request: Request) -> Response:
        await read_json(request, Login)
        return Response()

    client = open_client(
        make_app(
            make_endpoint("POST", "/crash", crash_with_everything),
            make_endpoint("POST", "/cause", cause_of_failure),
            make_endpoint("POST", "/login", login),
        )
    )
    answer = await client.post(
        f"{path}?token=SENTINEL-query",
        json=body,
        headers={
            "Authorization": f"Bearer {TOKEN}",
            "Cookie": f"dp_sid={COOKIE}",
            "X-Api-Key": "SENTINEL-key",
        },
    )
    written = stream.getvalue()
    assert "request_finished" in written
    assert ("Traceback" in written) is (answer.status_code == 500)
    assert "SENTINEL" not in written
    problems = answer.json().get("errors", []) if answer.content else []
    assert "SENTINEL" not in answer.text or [problem["path"] for problem in problems] == ["user", TYPED]
