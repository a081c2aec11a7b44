"""The fence: a table of used keys whose primary key lets no key be used twice.

A row of it is created in one change set with the return. Whatever the timing, a second return under the same
key then fails with it. That a refused change set takes such a row back is documented for change sets in
general (SAP manual 1.29, section 3.9) and proved by nobody for this pair of entity sets, so it is proved on
the spot (`prove`) before it is relied on; a row of the table itself keeps that it was.
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
"""Key of the row that says that the fence was proved in this company."""

_log = structlog.get_logger(__name__)


class FenceMode(enum.Enum):
    """`EXECUTION_FENCE`."""

    AUTO = "auto"
    ON = "on"
    OFF = "off"


def fence_row(key: str) -> bytes:
    """Write the row that uses a key up."""
    return msgspec.json.encode({"Code": key, "Name": key})


def fence_key(key: str) -> str:
    """Write a key as the path names it; our keys are letters, digits and hyphens."""
    return f"('{key}')"


def needing_fence() -> AbstractContextManager[None]:
    """Name the table of used keys where a user may not use it."""
    return needing_right("@LIB_CLAVE", task="usar la tabla de claves de las devoluciones")


class Fence:
    """Knows whether returns are posted with the fence. One for the whole process.

    Args:
        mode: As configured.
    """

    def __init__(self, mode: FenceMode) -> None:
        self._mode = mode
        self._is_proved = False

    async def is_up(self, erp: ErpClient, caller: Caller) -> bool:
        """Tell whether to post with it: always, never, or where it was proved.

        Raises:
            ErpError: The ERP could not be asked.
        """
        if self._mode is not FenceMode.AUTO:
            return self._mode is FenceMode.ON
        if not self._is_proved:
            self._is_proved = await _exists(PROOF, erp, caller)
        return self._is_proved

    async def prove(self, erp: ErpClient, caller: Caller) -> bool:
        """Prove it where that is wanted and was not done yet; tell whether it is up.

        Three things: a key can be used, it can't be used twice, and a change set with a row of it and an
        impossible return leaves neither.

        Raises:
            ErpError: The ERP could not be asked; nothing is known then.
            OutcomeUnknown: It was proved, and whether the row that keeps that was made is not known.
        """
        if self._mode is not FenceMode.AUTO or await self.is_up(erp, caller):
            return self._mode is not FenceMode.OFF
        used, undone = (f"PRUEBA-{secrets.token_hex(8)}" for _ in range(2))
        row = creation_of(FENCE_SET, fence_row(used))
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
            await create_row(PROOF, erp, caller)
        self._is_proved = is_up
        _log.info("fence_proved" if is_up else "fence_not_proved")
        return is_up


async def create_row(key: str, erp: ErpClient, caller: Caller) -> bool:
    """Create the row that uses a key up; where no answer came, look whether it is there.

    Returns:
        Whether the ERP said that it made it: one that is only found may have been there before.

    Raises:
        ErpError: It was not made.
        OutcomeUnknown: No answer came, and the row does not show; it may still appear.
    """
    try:
        with needing_fence():
            await erp.create(FENCE_SET, fence_row(key), caller=caller)
    except ErpError as error:
        if error.outcome is not Outcome.UNKNOWN:
            raise
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
        if error.status in (HTTPStatus.NOT_FOUND, HTTPStatus.BAD_REQUEST):
            return False
        raise
    return True
