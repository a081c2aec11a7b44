"""Error replies of the Service Layer, in both shapes."""

import json

from erpclient import HttpReply


def v1(status: int, code: object, text: str) -> HttpReply:
    """An error as v1 writes it."""
    body = {"error": {"code": code, "message": {"lang": "en-us", "value": text}}}
    return HttpReply(status, body=json.dumps(body, indent=3, separators=(",", " : ")).encode() + b"\n")


def v2(status: int, code: object, text: str) -> HttpReply:
    """An error as v2 writes it."""
    body = {"error": {"code": code, "details": [{"code": "", "message": ""}], "message": text}}
    return HttpReply(status, body=json.dumps(body).encode())
