"""What stands between an installation and what it talks to: checks, run one after another, that only look.

```python
NO_ADDRESS = fail(
    "name_unknown", "El nombre no se puede resolver.", remedy="Corrija ERP_SL_URL o el DNS de este servidor."
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

from erpdoctor.checks import (
    DEPENDS_ON,
    DOCTOR_BROKE,
    EVERYWHERE,
    NO_ANSWER_IN_TIME,
    STEP_LIMIT_S,
    Cause,
    Check,
    Checks,
    Figure,
    Finding,
    Group,
    fail,
    looks_at,
    ok,
    skipped,
    warn,
)
from erpdoctor.report import Report, Result, table_lines
from erpdoctor.running import UnknownGroupError, chosen, run_checks

__all__ = [
    "DEPENDS_ON",
    "DOCTOR_BROKE",
    "EVERYWHERE",
    "NO_ANSWER_IN_TIME",
    "STEP_LIMIT_S",
    "Cause",
    "Check",
    "Checks",
    "Figure",
    "Finding",
    "Group",
    "Report",
    "Result",
    "UnknownGroupError",
    "chosen",
    "fail",
    "looks_at",
    "ok",
    "run_checks",
    "skipped",
    "table_lines",
    "warn",
]
