"""Identify the server at the Service Layer's address."""

from http import HTTPStatus

from erpclient import ErpError, ErpTimeout, ErpUnreachable
from erpclient.http.error_replies import is_gateway_page
from erpdoctor.inspection.inspection import Inspection
from erpdoctor.network.checks import Peer, ServerAnswer


async def probe_server(inspection: Inspection) -> ServerAnswer:
    """Request the service root without a session and identify the server."""
    try:
        answer = await inspection.probe()
    except (ErpTimeout, ErpUnreachable):
        return ServerAnswer(Peer.NOBODY, {}, 0.0)
    except ErpError:
        return ServerAnswer(Peer.OTHER, {}, 0.0)
    code, text = answer.error
    peer = Peer.OTHER
    if is_gateway_page(answer.reply):
        peer = Peer.GATEWAY
    elif answer.status == HTTPStatus.UNAUTHORIZED and (code is not None or text):
        peer = Peer.EXPECTED
    return ServerAnswer(peer, answer.headers, answer.duration_s)
