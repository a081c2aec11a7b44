"""The problem document of a write whose outcome is unknown: sentences for people, members for programs."""

from typing import Final
from urllib.parse import quote

from erp_gateway.values.paths import collection_path
from erp_gateway.writes.errors import write_member
from erp_gateway.writes.intent import Intent, Intents
from erp_gateway.writes.outcome import WriteOutcome
from erp_gateway.writes.write import WriteKind
from servicekit.clock import iso_utc
from servicekit.errors import ServiceError

_OPERATIONS: Final = {
    WriteKind.CREATE: "crear un registro en {resource}",
    WriteKind.UPDATE: "modificar el registro {key} de {resource}",
    WriteKind.ACTION: "ejecutar una acción sobre el registro {key} de {resource}",
}
_ADD_FILES: Final = "agregar archivos al registro {key} de {resource}"


def explain_unknown(refusal: ServiceError, intents: Intents, outcome: WriteOutcome) -> ServiceError:
    """Return the refusal of an unknown write with the write, the next step and where to look.

    Args:
        refusal: the refusal without these details.
        intents: the write, or those of a change set.
        outcome: their outcome, after the journal recorded it.
    """
    first = intents[0]
    members = [_write(intent, outcome) for intent in intents]
    addresses = (address for intent in intents for address in _addresses(intent))
    is_set = first.set_id is not None
    explained = type(refusal)(
        _set_sentences(intents, outcome) if is_set else _sentences(first, outcome),
        upstream=refusal.upstream,
        members={
            **refusal.members,
            "outcome": "unknown",
            "write": members[0],
            "changeSet": first.set_id,
            "writes": members if is_set else None,
            "nextStep": "look" if outcome.next_lookup_at is None else "wait",
            "nextLookAt": None if outcome.next_lookup_at is None else iso_utc(outcome.next_lookup_at),
            "lookAt": list(dict.fromkeys(addresses)),
            "sameKeyIsSafe": first.claim is not None,
        },
    )
    explained.caused_by = refusal.cause
    return explained


def _write(intent: Intent, outcome: WriteOutcome) -> dict[str, str | None]:
    return {
        **(write_member(intent.write_id) if outcome.is_recorded else {"id": intent.write_id}),
        "kind": intent.kind.value,
        "resource": intent.resource,
        "key": intent.key,
    }


def _set_sentences(intents: Intents, outcome: WriteOutcome) -> str:
    sentences = [
        f"Se pidió al ERP un conjunto de {len(intents)} operaciones y no se recibió su respuesta.",
        "No se sabe si se realizaron todas o ninguna.",
    ]
    if outcome.next_lookup_at is not None:
        sentences.append("El servicio lo buscará en el ERP y anotará el resultado; espere y no lo repita.")
    else:
        sentences.append("No lo repita: compruebe primero en el ERP si sus registros tienen los cambios.")
    if outcome.is_recorded:
        sentences.append(f"El conjunto quedó anotado con el número {intents[0].write_id}.")
    return " ".join(sentences)


def _sentences(intent: Intent, outcome: WriteOutcome) -> str:
    operation = (_ADD_FILES if intent.adds_files else _OPERATIONS[intent.kind]).format(
        resource=intent.resource, key=intent.key
    )
    sentences = [f"Se pidió al ERP {operation} y no se recibió su respuesta: no se sabe si se realizó."]
    if outcome.next_lookup_at is not None:
        sentences.append("El servicio lo buscará en el ERP y anotará el resultado; espere y no lo repita.")
    elif intent.adds_files:
        sentences.append(
            "No lo repita: mire primero si el registro tiene los archivos, que no se pueden quitar."
        )
    elif intent.kind is WriteKind.CREATE:
        sentences.append("No lo repita: busque primero en el ERP si existe, también entre los borradores.")
    else:
        sentences.append("No lo repita: lea primero el registro y compruebe si tiene el cambio.")
    if outcome.is_recorded:
        sentences.append(f"La operación quedó anotada con el número {intent.write_id}.")
    return " ".join(sentences)


def _addresses(intent: Intent) -> list[str]:
    """Return addresses of this API that show whether the write was done."""
    path = collection_path(intent.resource)
    if intent.adds_files:
        path = f"/api/attachments/{intent.resource}"
    if intent.key is not None:
        return [f"{path}/{quote(intent.key, safe='')}"]
    if intent.trace_field is None:
        return [path]
    condition = quote(f"{intent.trace_field} eq '{intent.write_id}'", safe="'")
    # An approval procedure may have kept the document as a draft.
    return [f"{each}?$filter={condition}" for each in dict.fromkeys((path, collection_path("Drafts")))]
