"""The cheapest thing that a Service Layer can be asked, as the network's checks want it."""

from erpdoctor.inspection import Inspection, who_answers
from erpdoctor.network import Knock, Peer


async def knock_at(inspection: Inspection) -> Knock:
    """Ask the service root without a session."""
    who, answer = await who_answers(inspection)
    if answer is None:
        return Knock(Peer(who.value), {}, 0.0)
    return Knock(Peer(who.value), answer.headers, answer.duration_s)
