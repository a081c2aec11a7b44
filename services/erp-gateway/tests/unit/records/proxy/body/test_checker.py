"""Where bodies are checked: small ones at once, large ones in a thread."""

import json
import threading

import pytest
from typing_extensions import override

from erp_gateway.records.proxy.body.checker import OFF_LOOP_BYTES, BodyChecker, CheckedBody, WriteTarget
from erp_gateway.values.audit_event import SentFields
from servicekit.errors import MalformedJson

SECRETS = frozenset({"u_web_pass"})


@pytest.mark.asyncio
async def test_an_empty_body_is_refused_unless_optional() -> None:
    assert await BodyChecker(SECRETS).check(b"", WriteTarget(resource=None, optional=True)) == CheckedBody()
    with pytest.raises(MalformedJson):
        await BodyChecker(SECRETS).check(b"", WriteTarget(resource=None))


@pytest.mark.asyncio
@pytest.mark.parametrize(("length", "in_loop"), [(OFF_LOOP_BYTES // 2, True), (OFF_LOOP_BYTES * 2, False)])
async def test_only_large_bodies_are_checked_in_a_thread(length: int, in_loop: bool) -> None:
    seen: list[bool] = []

    class Watching(frozenset[str]):
        @override
        def __contains__(self, name: object) -> bool:
            seen.append(threading.current_thread() is threading.main_thread())
            return super().__contains__(name)

    body = json.dumps({"Comments": "x" * length}).encode()
    checked = await BodyChecker(Watching()).check(body, WriteTarget(resource=None))
    assert checked == CheckedBody(SentFields(("Comments",)))
    assert seen == [in_loop]
