"""The fence: a table of used keys, whose primary key prevents a second use of a key.

A change set creates a row of it together with the return. A second return under the same key then fails with
its row, even if the first one arrives late. SAP documents the rollback of a rejected change set in general
(manual 1.29, section 3.9), but not for this pair of entity sets. So the service proves it in each company
(`prove`) before it relies on it. It records the proof as a row of the table.
"""

import enum
import secrets
from contextlib import AbstractContextManager
from http import HTTPStatus
from typing import Final

import msgspec
import structlog

from erpclient import Caller, ErpClient, ErpError, ErpRefused, Outcome
from erpclient.batch import ChangeSetDone, ChangeSetRefused, creation_of
from erpclient.odata import RecordQuery
from supplier_returns.web.error_map import upstream_service_error
from supplier_returns.web.rights import needing_right

FENCE_SET: Final = "U_LIB_CLAVE"
PROOF: Final = "CERCO-COMPROBADO"
"""Key of the row that records the proof of the fence in this company."""

_log = structlog.get_logger(__name__)


class FenceMode(enum.Enum):
    """Values of the setting `EXECUTION_FENCE`."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


def fence_row(key: str) -> bytes:
    """Encode the row that uses up a key."""
    return msgspec.json.encode({"Code": key, "Name": key})


def fence_key(key: str) -> str:
    """Encode a key for the path; our keys consist of letters, digits and hyphens."""
    return f"('{key}')"


def needing_fence() -> AbstractContextManager[None]:
    """Return a context that names the table of used keys if the user has no right to it."""
    return needing_right("@LIB_CLAVE", task="usar la tabla de claves de las devoluciones")


class Fence:
    """State of the fence for the whole process.

    Args:
        mode: configured mode.
    """

    def __init__(self, mode: FenceMode) -> None:
        self._mode = mode
        self._is_proved = False

    async def is_up(self, erp: ErpClient, caller: Caller) -> bool:
        """Return whether posts include the fence: always, never, or after the proof.

        Raises:
            ErpError: the request to the ERP failed.
        """
        if self._mode is not FenceMode.AUTO:
            return self._mode is FenceMode.ON
        if not self._is_proved:
            self._is_proved = await _exists(PROOF, erp, caller)
        return self._is_proved

    async def prove(self, erp: ErpClient, caller: Caller) -> bool:
        """Prove the fence if the mode requires it and there is no proof yet; return whether it is up.

        The proof has three parts: a key can be used, a second use fails, and a change set with a key and an
        impossible return stores neither.

        Raises:
            ErpError: a request to the ERP failed; the proof is incomplete.
            OutcomeUnknown: the proof succeeded, but the write that records it got no reply.
        """
        if self._mode is not FenceMode.AUTO or await self.is_up(erp, caller):
            return self._mode is not FenceMode.OFF
        # Random keys, so that two proofs at the same time do not disturb each other.
        used, undone = (f"PRUEBA-{secrets.token_hex(8)}" for _ in range(2))
        row = creation_of(FENCE_SET, fence_row(used))
        # The ERP rejects a return without supplier and lines, whatever the company's settings are.
        impossible = creation_of("PurchaseReturns", b'{"CardCode":"","DocumentLines":[]}')
        is_up = (
            isinstance(await erp.run_change_set([row], caller=caller), ChangeSetDone)
            and isinstance(await erp.run_change_set([row], caller=caller), ChangeSetRefused)
            and isinstance(
                await erp.run_change_set(
                    [creation_of(FENCE_SET, fence_row(undone)), impossible], caller=caller
                ),
                ChangeSetRefused,
            )
            and not await _exists(undone, erp, caller)
        )
        if is_up:
            # With this record, other processes and later starts need no proof of their own.
            await create_row(PROOF, erp, caller)
        self._is_proved = is_up
        _log.info("fence_proved" if is_up else "fence_not_proved")
        return is_up


async def create_row(key: str, erp: ErpClient, caller: Caller) -> bool:
    """Create the row that uses up a key; look it up if the ERP does not reply.

    Returns:
        True if the ERP confirmed the creation. False if a lookup found the row, which may be older.

    Raises:
        ErpError: the ERP did not create the row.
        OutcomeUnknown: the ERP did not reply, and the row is not visible yet; it may still appear.
    """
    try:
        with needing_fence():
            await erp.create(FENCE_SET, fence_row(key), caller=caller)
    except ErpError as error:
        if error.outcome is not Outcome.UNKNOWN:
            raise
        # The ERP may have created the row although its response was lost.
        if await _is_visible(key, erp, caller):
            return False
        raise upstream_service_error(error, writes=True) from error
    return True


async def _is_visible(key: str, erp: ErpClient, caller: Caller) -> bool:
    try:
        return await _exists(key, erp, caller)
    except ErpError:
        return False


async def _exists(key: str, erp: ErpClient, caller: Caller) -> bool:
    try:
        with needing_fence():
            await erp.get(FENCE_SET, fence_key(key), RecordQuery(select=("Code",)), caller=caller)
    except ErpRefused as error:
        # 404: there is no such row. 400: the company has no such table yet.
        if error.status in (HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST):
            return False
        raise
    return True
