"""The cheapest thing that a Service Layer can be asked, and whose answer came back."""

from enum import Enum
from http import HTTPStatus

from erpclient.errors import ErpError, ErpTimeout, ErpUnreachable
from erpclient.http.wire import is_gateway_page
from erpdoctor.inspection.answers import Answer
from erpdoctor.inspection.inspection import Inspection


class Doorkeeper(Enum):
    """Who answered a request without a session."""

    EXPECTED = "expected"
    """A Service Layer: it says 401 in its own words."""
    GATEWAY = "gateway"
    """Only the web server before the Service Layer."""
    OTHER = "other"
    NOBODY = "nobody"
    """The connection ended, or nothing came in time."""


async def who_answers(inspection: Inspection) -> tuple[Doorkeeper, Answer | None]:
    """Ask the service root without a session; return who answered, and the answer if it can be read."""
    try:
        answer = await inspection.knock()
    except (ErpTimeout, ErpUnreachable):
        return Doorkeeper.NOBODY, None
    except ErpError:
        return Doorkeeper.OTHER, None
    code, text = answer.error
    if is_gateway_page(answer.reply):
        return Doorkeeper.GATEWAY, answer
    if answer.status == HTTPStatus.UNAUTHORIZED and (code is not None or text):
        return Doorkeeper.EXPECTED, answer
    return Doorkeeper.OTHER, answer
