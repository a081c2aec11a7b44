"""A running tax-document service beside a company, and the real zeep that asks it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import attrs
import pytest
import zeep
import zeep.transports

from erpsim.company.switches import Switches
from erpsim.desk import Desk
from erpsim.process.ports import Listening
from erpsim.simulator import Simulator, run_sim
from erpsim.tax_documents import TaxDocumentService

LISTENING = Listening(tax_documents_port=0, control_port=0)
ASKED = {"RutEmpresa": "76543210-3", "TipoDocto": 52, "Usuario": "dte", "Clave": "dte-demo"}
SETTINGS = zeep.Settings(strict=True, forbid_dtd=True, forbid_external=True, xml_huge_tree=True)


@attrs.frozen
class Provider:
    """A simulator with its service, as a test sees it."""

    sim: Simulator
    service: TaxDocumentService

    def add_return(self, **fields: Any) -> int:
        """Send a part of an open receipt line back; return the key of the return."""
        desk: Any = Desk(self.sim.world)
        receipts = desk.rows("PurchaseDeliveryNotes", filter="DocumentStatus eq 'bost_Open'")
        receipt = next(each for each in receipts if _is_plain(desk, each["DocumentLines"][0]))
        line = {"BaseType": 20, "BaseEntry": receipt["DocEntry"], "BaseLine": 0, "Quantity": 1}
        body = {"CardCode": receipt["CardCode"], "DocumentLines": [line], **fields}
        return int(desk.create("PurchaseReturns", body)["DocEntry"])

    def row(self, entry: int) -> Any:
        """Return a return."""
        return Desk(self.sim.world).read("PurchaseReturns", entry)

    async def ask(self, folio: int, *, binding: str = "DTELocalSoap", **fields: Any) -> Any:
        """Send a request by the service's own WSDL and return zeep's result."""
        return await asyncio.to_thread(self._ask, binding, {**ASKED, "NroDocto": folio, **fields})

    def _ask(self, binding: str, fields: dict[str, Any]) -> Any:
        library: Any = zeep  # its types cover a part of it
        transport = library.transports.Transport(timeout=30, operation_timeout=30)
        try:
            client = library.Client(f"{self.service.url}?wsdl", transport=transport, settings=SETTINGS)
            return client.bind("DTELocal", binding).Consulta_TXTDTE(**fields)
        finally:
            transport.session.close()


def _is_plain(desk: Any, line: Any) -> bool:
    """Return whether only the rules of every return apply to a line."""
    item = desk.read("Items", line["ItemCode"])
    marks = (item["Frozen"], item["ManageBatchNumbers"], item["ManageSerialNumbers"])
    return (line["LineStatus"], line["WarehouseCode"], set(marks)) == ("bost_Open", "01", {"tNO"})


Open = Callable[..., AbstractAsyncContextManager[Provider]]


@pytest.fixture
def provider() -> Open:
    """Return what runs a service beside the `returns` company."""

    @asynccontextmanager
    async def run(**switches: Any) -> AsyncIterator[Provider]:
        async with run_sim(seed="returns", switches=Switches(**switches), listening=LISTENING) as sim:
            assert sim.tax_documents is not None
            yield Provider(sim, sim.tax_documents)

    return run
