"""The problem document of an unknown write says what to do before the next request."""

from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve

from erp_gateway.values.audit_event import Actor, SentFields
from erp_gateway.web.upstream_errors import OutcomeUnknown
from erp_gateway.writes.intent import Intent
from erp_gateway.writes.outcome import WriteOutcome
from erp_gateway.writes.refusals import explain_unknown
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.write import ADD_FILES, WriteKind
from servicekit.errors import Upstream

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
NONE = SentFields()
UPSTREAM = Upstream(code="-5002", message="x")


def intent(kind: WriteKind, key: str | None = None, fields: SentFields = NONE, **more: Any) -> Intent:
    actor = Actor(web_user="ana")
    given = {"at": NOON, "actor": actor, "resource": "Items", "body_fingerprint": b"", **more}
    return Intent(write_id="01W", kind=kind, key=key, fields=fields, **given)


@pytest.mark.parametrize(
    ("requested", "next_lookup_at", "operation", "advice", "addresses"),
    [
        (
            intent(WriteKind.CREATE),
            None,
            "crear un registro en Items",
            "No lo repita: busque primero en el ERP si existe, también entre los borradores.",
            ["/api/sl/Items"],
        ),
        (
            intent(WriteKind.CREATE, traced=True, trace_field="U_W"),
            NOON,
            "crear un registro en Items",
            "El servicio lo buscará en el ERP y anotará el resultado; espere y no lo repita.",
            ["/api/sl/Items?$filter=U_W%20eq%20'01W'", "/api/sl/Drafts?$filter=U_W%20eq%20'01W'"],
        ),
        (
            intent(WriteKind.UPDATE, "A/1"),
            None,
            "modificar el registro A/1 de Items",
            "No lo repita: lea primero el registro y compruebe si tiene el cambio.",
            ["/api/sl/Items/A%2F1"],
        ),
        (
            intent(WriteKind.ACTION, "A/1", SentFields((ADD_FILES,))),
            None,
            "agregar archivos al registro A/1 de Items",
            "No lo repita: mire primero si el registro tiene los archivos, que no se pueden quitar.",
            ["/api/attachments/Items/A%2F1"],
        ),
    ],
)
@pytest.mark.parametrize("is_recorded", [True, False])
def test_the_refusal_describes_the_remedy_and_the_places_to_check(
    requested: Intent,
    next_lookup_at: datetime | None,
    operation: str,
    advice: str,
    addresses: list[str],
    is_recorded: bool,
) -> None:
    refusal = OutcomeUnknown(upstream=UPSTREAM, members={"also": 1})
    refusal.caused_by = "ErpTimeout"
    outcome = WriteOutcome(
        state=WriteState.UNKNOWN, refusal=refusal, next_lookup_at=next_lookup_at, is_recorded=is_recorded
    )
    explained = explain_unknown(refusal, (requested,), outcome)
    begins = f"Se pidió al ERP {operation} y no se recibió su respuesta: no se sabe si se realizó. {advice}"
    ends = " La operación quedó anotada con el número 01W." if is_recorded else ""
    assert explained.detail == begins + ends
    assert (explained.upstream, explained.cause) == (UPSTREAM, "ErpTimeout")
    assert (explained.members["also"], explained.members["lookAt"]) == (1, addresses)
    assert explained.members["nextStep"] == ("look" if next_lookup_at is None else "wait")


@pytest.mark.parametrize(
    ("next_lookup_at", "step", "advice"),
    [
        (None, "look", "No lo repita: compruebe primero en el ERP si sus registros tienen los cambios."),
        (NOON, "wait", "El servicio lo buscará en el ERP y anotará el resultado; espere y no lo repita."),
    ],
)
def test_the_refusal_of_a_change_set_names_every_write_and_each_place_once(
    next_lookup_at: datetime | None, step: str, advice: str
) -> None:
    kinds = ((WriteKind.UPDATE, "A/1"), (WriteKind.CREATE, None), (WriteKind.UPDATE, "A/1"))
    intents = tuple(
        evolve(intent(kind, key), write_id=f"01{place}", set_id="010", position=place)
        for place, (kind, key) in enumerate(kinds)
    )
    outcome = WriteOutcome(
        state=WriteState.UNKNOWN,
        refusal=OutcomeUnknown(),
        next_lookup_at=next_lookup_at,
        is_recorded=True,
    )
    explained = explain_unknown(OutcomeUnknown(), intents, outcome)
    assert explained.detail == (
        "Se pidió al ERP un conjunto de 3 operaciones y no se recibió su respuesta. No se sabe si se "
        f"realizaron todas o ninguna. {advice} El conjunto quedó anotado con el número 010."
    )
    members = explained.members
    assert [each["id"] for each in members["writes"]] == ["010", "011", "012"]
    assert (members["changeSet"], members["write"]["url"]) == ("010", "/api/writes/010")
    assert members["lookAt"] == ["/api/sl/Items/A%2F1", "/api/sl/Items"]
    assert members["nextStep"] == step
