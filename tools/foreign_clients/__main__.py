"""Run other clients of the Service Layer against the simulated ERP, over TLS.

Run as: PYTHONPATH=demo/extension python -m tools.foreign_clients

The exit code is 1 if a call fails that is not listed in `tools.foreign_clients.clients`.
"""

import sys

from stack.processes import leave_on_signals

from tools.foreign_clients.table import Trial, print_table, surprises
from tools.foreign_clients.trials import node_trials, python_trials, running_erp
from tools.node import SkippedError, run_tool
from tools.packages import ROOT

_FOLDER = ROOT / "build/foreign-clients"


def try_clients() -> None:
    """Run all clients and print the table.

    Raises:
        SkippedError: some could not be fetched; the others ran.
    """
    trials: list[Trial] = []
    skipped: list[str] = []
    _FOLDER.mkdir(parents=True, exist_ok=True)
    with running_erp(_FOLDER) as erp:
        for attempted in (python_trials, node_trials):
            try:
                trials += attempted(_FOLDER, erp)
            except SkippedError as reason:
                skipped.append(str(reason))
    print_table(trials)
    if found := list(surprises(trials)):
        sys.exit("foreign-clients: failed: " + ", ".join(found))
    if skipped:
        raise SkippedError("; ".join(skipped))


if __name__ == "__main__":
    leave_on_signals()
    sys.exit(run_tool("foreign-clients", try_clients, "every call passes that has to"))
