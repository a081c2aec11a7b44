# ruff: noqa: N818 - refusals are plain nouns
"""Refusals of the ledger.

ServiceError
├── IdempotencyKeyBadValue 400: the header is not a key
├── WriteNotFound          404: no such write, or another user's
├── WriteNotUnknown        409: the outcome of the write is already known
├── WriteStillOpen         409: the write may still be in flight
├── FirstOutcomeUnknown    409: the outcome of the key's first request is unknown
├── IdempotencyKeyReused   422: the key belongs to another request
└── LedgerUnavailable      503: the row of a write could not be committed, so it was not sent
"""

from datetime import datetime
from typing import Final

from erp_gateway.writes.rules import WriteState
from servicekit.clock import iso_utc
from servicekit.errors import BadRequest, NotFound, ServiceError

_MAY_BE_UNDER_WAY: Final = (
    "Esta misma operación puede seguir en curso y todavía no se sabe si se realizó. No se envió de nuevo; "
    "espere unos minutos y consulte otra vez."
)
_IS_LOOKED_UP: Final = (
    "Esta misma operación ya se envió al ERP y no se sabe si se realizó. No se envió de nuevo; espere: "
    "el servicio la buscará en el ERP y anotará el resultado."
)


def write_member(write_id: str) -> dict[str, str]:
    """Return the member of a problem document that names a write."""
    return {"id": write_id, "url": f"/api/writes/{write_id}"}


class IdempotencyKeyBadValue(BadRequest):
    """`Idempotency-Key` is not a single key of 1 to 128 visible ASCII characters."""

    code = "idempotency_key_bad_value"
    detail = "La cabecera Idempotency-Key debe tener entre 1 y 128 caracteres ASCII visibles, una sola vez."


class IdempotencyKeyReused(ServiceError):
    """A different request already used this `Idempotency-Key`. Nothing was sent."""

    status = 422
    code = "idempotency_key_reused"
    detail = (
        "Esta Idempotency-Key ya se usó con otra solicitud. La operación no se envió al ERP; "
        "use una clave nueva para cada operación distinta."
    )


class FirstOutcomeUnknown(ServiceError):
    """**It is not known whether the first request with this `Idempotency-Key` was done. This one was not
    sent.** `write` names the first one (`id`, `url`, `result`: `open` or `unknown`). `nextStep` is `wait`
    while it may still be in flight.

    Args:
        write_id: the write of the first request.
        state: state of that write, open or unknown.
        next_lookup_at: when that write is looked up next, if a lookup is due; aware.
    """

    status = 409
    code = "first_outcome_unknown"
    detail = (
        "Esta misma operación ya se envió al ERP y no se sabe si se realizó. No se envió de nuevo. "
        "Compruebe en el ERP si existe y registre el resultado."
    )

    def __init__(
        self,
        write_id: str = "",
        *,
        state: WriteState = WriteState.UNKNOWN,
        next_lookup_at: datetime | None = None,
    ) -> None:
        is_open = state is WriteState.OPEN
        looked_up = None if next_lookup_at is None else _IS_LOOKED_UP
        super().__init__(
            _MAY_BE_UNDER_WAY if is_open else looked_up,
            members={
                "write": {**write_member(write_id), "result": state.value},
                "nextStep": "wait" if is_open or looked_up else "look",
                "nextLookAt": None if next_lookup_at is None else iso_utc(next_lookup_at),
            },
        )


class WriteNotFound(NotFound):
    """The ledger has no such write of this user."""

    code = "write_not_found"
    detail = "No existe una operación con este número entre las suyas."


class WriteNotUnknown(ServiceError):
    """The outcome of the write is already known."""

    status = 409
    code = "write_not_unknown"
    detail = "Ya se sabe qué pasó con esta operación; no se puede declarar otra cosa."


class WriteStillOpen(ServiceError):
    """The write may still be in flight. It will end or become unknown by itself."""

    status = 409
    code = "write_still_open"
    detail = (
        "Esta operación puede seguir en curso: todavía no se puede declarar su resultado. "
        "Espere unos minutos y consulte otra vez."
    )


class LedgerUnavailable(ServiceError):
    """The ledger entry of a write could not be stored before sending. Nothing was done."""

    status = 503
    code = "ledger_unavailable"
    detail = (
        "El registro interno de operaciones no está disponible. La operación no se envió al ERP; "
        "inténtelo de nuevo en unos segundos."
    )
