"""Keys of odd spelling, sent through the origin: do they reach the service as they were sent?"""

from typing import Final

from erp_gateway.doctor.origin import causes
from erp_gateway.doctor.origin.context import PROBE, OriginContext, seen_in
from erpdoctor import Cause, Finding, ok

KEYS: Final = {
    "slash": "A%2F1",
    "slashes": "A%2F%2F1",
    "percent": "50%252F",
    "quote": "D%27Angelo",
    "quotes": "O''Brien",
    "double-quote": "%22A%22",
}
"""By the words that the JSON tells: keys as clients write them, the gravest first."""

ZERO_KEY: Final = "A%00B"

_NOT_FOUND: Final = 404


async def judge_paths(context: OriginContext) -> Finding:
    """Send each key and find the first that comes otherwise.

    Raises:
        NoAnswerError: a connection broke off.
    """
    for name, key in KEYS.items():
        cause = await _changed(context, key)
        if cause is not None:
            return cause.found(key, key=name)
    # Neither nginx nor the service takes a zero byte; a proxy that hides it would have another record read.
    reply = await context.probe(f"/{ZERO_KEY}")
    seen = seen_in(reply)
    passed = seen is not None and seen.target == f"{PROBE}/{ZERO_KEY}"
    refused = reply.is_refusal and not (reply.status == _NOT_FOUND and reply.is_of_service)
    if not passed and not refused:
        return causes.ZERO_CHANGED.found(ZERO_KEY, status=reply.status)
    return ok(keys=len(KEYS) + 1, zero="passed" if passed else "refused")


async def _changed(context: OriginContext, key: str) -> Cause | None:
    reply = await context.probe(f"/{key}")
    seen = seen_in(reply)
    if seen is not None:
        return None if seen.target == f"{PROBE}/{key}" else causes.PATH_CHANGED
    return causes.PATH_DECODED if reply.status == _NOT_FOUND and reply.is_of_service else causes.PATH_REFUSED
