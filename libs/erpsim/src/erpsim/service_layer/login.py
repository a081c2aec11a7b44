"""Reading the body of a login and writing its answer."""

from __future__ import annotations

import base64
import json

import attrs

from erpsim.company.habits import OtherHabit
from erpsim.company.switches import Switches
from erpsim.service_layer.sessions import Session
from erpsim.service_layer.wire.envelopes import json_reply
from erpsim.service_layer.wire.json_text import JsonValue, parse_object
from erpsim.service_layer.wire.messages import SlReply, SlRequest

_SECONDS_PER_MINUTE = 60
_ELSEWHERE = "see-the-cookie"


@attrs.frozen(kw_only=True)
class Credentials:
    """Credentials in a login; missing fields are empty.

    Args:
        company: `CompanyDB`.
        user: `UserName`.
        password: `Password`, kept out of `repr`.
        language: `Language`, a string in the metadata, a number in practice; None when absent or no number.
    """

    company: str
    user: str
    password: str = attrs.field(repr=False)
    language: int | None = None


def read_credentials(request: SlRequest) -> Credentials:
    """Read a login's body.

    Raises:
        SlError: 501 for what is no JSON object.
    """
    body = parse_object(request.body)
    language = str(body.get("Language", "")).strip()
    return Credentials(
        company=str(body.get("CompanyDB", "")),
        user=str(body.get("UserName", "")),
        password=str(body.get("Password", "")),
        language=int(language) if language.isascii() and language.isdigit() else None,
    )


def basic_credentials(request: SlRequest) -> Credentials | None:
    """Read the credentials of a call without a session: the name is a JSON object, before the colon of the
    password.

    Source: clients that send `{"UserName": "manager", "CompanyDB": "SBO"}` as the name. With any other form
    the call has no session.
    """
    scheme, _, text = (request.header("authorization") or "").partition(" ")
    if scheme.lower() != "basic" or "B1SESSION" in (request.header("cookie") or ""):
        return None
    try:
        decoded = base64.b64decode(text, validate=True).decode()
        name, separator = json.JSONDecoder().raw_decode(decoded)
    except ValueError:
        return None
    if not isinstance(name, dict) or decoded[separator : separator + 1] != ":":
        return None
    return Credentials(
        company=str(name.get("CompanyDB", "")),
        user=str(name.get("UserName", "")),
        password=decoded[separator + 1 :],
    )


def login_reply(request: SlRequest, session: Session, switches: Switches) -> SlReply:
    """Return the answer of a good login: 200, not 201, with the timeout in minutes (SAP manual 1.22, 3.1)."""
    wire = request.wire
    minutes = max(1, round(switches.idle_timeout_s / _SECONDS_PER_MINUTE))
    elsewhere = switches.has(OtherHabit.SESSION_NOT_IN_BODY)
    value: dict[str, JsonValue] = {
        wire.context: f"{request.origin}{wire.root}/$metadata#B1Sessions{wire.entity_suffix}",
        "SessionId": _ELSEWHERE if elsewhere else session.session_id,
        "Version": "10.0 FP 2405" if switches.has(OtherHabit.VERSION_IN_WORDS) else switches.version,
        "SessionTimeout": str(minutes) if switches.has(OtherHabit.MINUTES_IN_TEXT) else minutes,
    }
    return json_reply(200, value, wire)
