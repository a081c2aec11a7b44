"""The ERP in a box: a simulated SAP Business One Service Layer with the real one's bad habits.

In tests: `async with run_sim() as sim`; as a process: `erpsim serve`. Faults are in `erpsim.faults`.
"""

from erpsim.faults import Fault
from erpsim.simulator import Listening, Simulator, run_sim
from erpsim.switches import Switches

__all__ = ["Fault", "Listening", "Simulator", "Switches", "run_sim"]
