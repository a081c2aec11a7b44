"""What stands between an installation and what it talks to: checks, run one after another, that only look.

```python
NO_ADDRESS = fail(
    "name_unknown", "El nombre no se puede resolver.", mend="Corrija ERP_SL_URL o el DNS de este servidor."
)

async def look_up() -> Finding:
    try:
        addresses = await resolve(host)
    except OSError:
        return NO_ADDRESS.found(host)
    return ok(", ".join(addresses), addresses=len(addresses))

NETWORK = Group("network", "docs/doctor.md#network")
NAME = NETWORK.check("name", "Nombre del servidor", look_up, NO_ADDRESS)
results = await run_checks(chosen([NAME], only=()), clock=SystemClock())
```

What a person alone may read (hosts, users) goes into `seen`; the JSON has fixed sentences, words and figures.
"""

from servicekit.doctor.checks import (
    DEPENDS_ON,
    DOCTOR_BROKE,
    EVERYWHERE,
    NO_ANSWER_IN_TIME,
    STEP_LIMIT_S,
    Cause,
    Check,
    Figure,
    Finding,
    Group,
    Outcome,
    fail,
    ok,
    skipped,
    warn,
)
from servicekit.doctor.last_run import LastRun, read_last_run
from servicekit.doctor.progress import ProgressLine
from servicekit.doctor.report import Report, Result
from servicekit.doctor.running import UnknownGroupError, chosen, run_checks
from servicekit.doctor.table import table_lines

__all__ = [
    "DEPENDS_ON",
    "DOCTOR_BROKE",
    "EVERYWHERE",
    "NO_ANSWER_IN_TIME",
    "STEP_LIMIT_S",
    "Cause",
    "Check",
    "Figure",
    "Finding",
    "Group",
    "LastRun",
    "Outcome",
    "ProgressLine",
    "Report",
    "Result",
    "UnknownGroupError",
    "chosen",
    "fail",
    "ok",
    "read_last_run",
    "run_checks",
    "skipped",
    "table_lines",
    "warn",
]
