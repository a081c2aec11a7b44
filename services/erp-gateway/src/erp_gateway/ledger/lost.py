"""What is told of a lost write: what happened, what is known, what to do next, where to look."""

from typing import Final
from urllib.parse import quote

from erp_gateway.ledger.errors import write_member
from erp_gateway.ledger.writes import Ended, Intent, WriteKind
from servicekit.clock import iso_utc
from servicekit.errors import ServiceError

_DONE_WHAT: Final = {
    WriteKind.CREATE: "crear un registro en {resource}",
    WriteKind.UPDATE: "modificar el registro {key} de {resource}",
    WriteKind.ACTION: "ejecutar una acción sobre el registro {key} de {resource}",
}


def explained(refusal: ServiceError, intent: Intent, ended: Ended) -> ServiceError:
    """Return the refusal of an unknown write with all that helps, in words for people and in members.

    Args:
        refusal: what the client would be told.
        intent: the write.
        ended: how it ended, as noted.
    """
    told = type(refusal)(
        _sentences(intent, ended),
        upstream=refusal.upstream,
        members={
            "outcome": "unknown",
            "write": {
                **(write_member(intent.write_id) if ended.noted else {"id": intent.write_id}),
                "kind": intent.kind.value,
                "resource": intent.resource,
                "key": intent.key,
            },
            "nextStep": "look" if ended.look_at is None else "wait",
            "nextLookAt": None if ended.look_at is None else iso_utc(ended.look_at),
            "lookAt": _places(intent),
            "sameKeyIsSafe": intent.claim is not None,
        },
    )
    told.caused_by = refusal.cause
    return told


def _sentences(intent: Intent, ended: Ended) -> str:
    what = _DONE_WHAT[intent.kind].format(resource=intent.resource, key=intent.key)
    said = [f"Se pidió al ERP {what} y no se recibió su respuesta: no se sabe si se realizó."]
    if ended.look_at is not None:
        said.append("El servicio lo buscará en el ERP y anotará el resultado; espere y no lo repita.")
    elif intent.kind is WriteKind.CREATE:
        said.append("No lo repita: busque primero en el ERP si existe, también entre los borradores.")
    else:
        said.append("No lo repita: lea primero el registro y compruebe si tiene el cambio.")
    if ended.noted:
        said.append(f"La operación quedó anotada con el número {intent.write_id}.")
    return " ".join(said)


def _places(intent: Intent) -> list[str]:
    """Return addresses of this API that show whether it was done."""
    path = f"/api/sl/{intent.resource}"
    if intent.key is not None:
        return [f"{path}/{quote(intent.key, safe='')}"]
    if intent.trace_field is None:
        return [path]
    condition = quote(f"{intent.trace_field} eq '{intent.write_id}'", safe="'")
    return [f"{each}?$filter={condition}" for each in dict.fromkeys((path, "/api/sl/Drafts"))]
