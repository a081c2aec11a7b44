"""What a paste would become: read it, look at the ERP, plan; nothing is stored."""

from collections.abc import Set as AbstractSet
from typing import Final

from erpclient import ErpRefused, ErpReplyUnreadable
from supplier_returns.pasting.reading import PasteReading, PasteRefusal, read_paste
from supplier_returns.planning.checks import refusal_error, refusing_large_plans
from supplier_returns.planning.computing import UserComputing, WorkDiedError
from supplier_returns.planning.errors import MetadataMissing, PasteTooLarge
from supplier_returns.planning.previewing import Preview, has_codes, preview
from supplier_returns.planning.rules.overlaps import OpenPlans
from supplier_returns.planning.sources import PlanningRules, PlanningSources

SMALL_PASTE_BYTES: Final = 64 * 1024
"""A paste up to this size is read on a thread: it takes a few milliseconds, less than sending it around."""


class Previews:
    """Previews of pastes, for one signed-in user.

    Args:
        sources: The user's access to the ERP.
        computing: Where what takes long is computed.
        rules: Of the installation.
    """

    def __init__(self, sources: PlanningSources, computing: UserComputing, rules: PlanningRules) -> None:
        self._at = sources
        self._computing = computing
        self._rules = rules

    async def preview(self, body: bytes) -> Preview:
        """Say what a paste would become; nothing is stored.

        Args:
            body: JSON as it arrived.

        Raises:
            BadRequest: The body is malformed.
            UnreadablePaste: No table with a code and a quantity column.
            PasteTooLarge: More rows, columns or items than are taken, or too much to read in the time for it.
            UnknownWarehouse: The ERP has no such warehouse.
        """
        decimals = await self._at.catalogue.quantity_decimals()
        reading = await self._read_paste(body, decimals)
        warehouse = await self._at.find_warehouse(reading.whs_code)
        scene = await self._at.read_scene(warehouse, decimals)
        if reading.doubted_codes:
            codes = await self._computing.on_thread(has_codes, scene, reading.doubted_codes)
            if codes:  # what the ERP has is a code, whatever it looks like
                reading = await self._read_paste(body, decimals, codes)
        reasons = await self._at.read_reasons(line.reason for line in reading.lines)
        others = await self._other_plannings(warehouse.code)
        with refusing_large_plans():
            return await self._computing.on_thread(
                preview,
                reading,
                scene,
                reasons,
                others,
                max_lines=self._rules.max_lines,
                return_date=self._rules.today(),
            )

    async def _read_paste(
        self, body: bytes, decimals: int, known_codes: AbstractSet[str] = frozenset()
    ) -> PasteReading:
        if len(body) <= SMALL_PASTE_BYTES:
            reading = await self._computing.on_thread(read_paste, body, decimals, known_codes)
        else:
            try:
                reading = await self._computing.in_process(read_paste, body, decimals, known_codes)
            except WorkDiedError as error:
                raise PasteTooLarge(
                    "Leer el texto exige demasiado tiempo o memoria; péguelo por partes."
                ) from error
        if isinstance(reading, PasteRefusal):
            raise refusal_error(reading)
        return reading

    async def _other_plannings(self, whs_code: str) -> OpenPlans:
        """Return the open plannings of a warehouse, as far as the ERP shows them to this user."""
        try:
            return await self._at.repository.find_open_plans(whs_code)
        except MetadataMissing:
            return OpenPlans()
        except (ErpRefused, ErpReplyUnreadable):
            return OpenPlans(are_all=False)
