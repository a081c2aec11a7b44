"""A client in the eyes of the health monitor, whose probes end as a test says."""

import asyncio

from attrs import define, field

from erpclient import ErpError


@define(eq=False)
class ScriptedProber:
    """Attributes: `name`; `suitability`; `held` now; `probes` begun, `dismissals` told, `running` probes."""

    name: str = "ana"
    suitability: tuple[bool, int] | None = (True, 0)
    held: bool = False
    probes: int = 0
    dismissals: int = 0
    running: "list[asyncio.Future[None]]" = field(factory=list)

    def pause(self) -> None:
        assert not self.held
        self.held = True

    def resume(self) -> None:
        assert self.held
        self.held = False

    def refuse_waiting(self) -> None:
        self.dismissals += 1

    async def probe(self, timeout_s: float) -> None:
        assert self.held
        assert timeout_s == 5.0
        self.probes += 1
        probe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.running.append(probe)
        try:
            await probe
        finally:
            self.running.remove(probe)

    def end(self, error: ErpError | Exception | None = None) -> None:
        (probe,) = self.running
        if error is None:
            probe.set_result(None)
        else:
            probe.set_exception(error)
