"""Who answers a request without a session: a Service Layer, what stands before it, something else, nobody."""

import pytest
from clients import CREDENTIALS
from scripted_erp import DROP, HTML_502, INVALID_SESSION, Answer, ScriptedErp, json_answer

from erpclient import ErpSettings
from erpclient.inspection import Doorkeeper, Inspection, who_answers

pytestmark = pytest.mark.asyncio


async def asked(erp: ScriptedErp, answer: Answer) -> tuple[Doorkeeper, bool]:
    async def always(_call: object) -> Answer:
        return answer

    erp.handler = always
    async with Inspection(ErpSettings(erp.url, timeout_s=5)) as inspection:
        await inspection.log_in(CREDENTIALS)  # this double has an answer of its own for who has no session
        who, brought = await who_answers(inspection)
    return who, brought is not None


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (INVALID_SESSION, (Doorkeeper.EXPECTED, True)),
        (HTML_502, (Doorkeeper.GATEWAY, True)),
        (json_answer({"hello": "world"}), (Doorkeeper.OTHER, True)),
        (Answer(raw=b"SSH-2.0-OpenSSH_9.2\r\n", close=True), (Doorkeeper.OTHER, False)),
        (DROP, (Doorkeeper.NOBODY, False)),
    ],
    ids=["service layer", "web server", "another service", "no http", "hangs up"],
)
async def test_who_answers_is_told(erp: ScriptedErp, answer: Answer, told: tuple[Doorkeeper, bool]) -> None:
    assert await asked(erp, answer) == told
