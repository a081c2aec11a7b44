"""How a script in Python tries its client: a line of JSON for each call, with what went wrong or null."""

import json
from collections.abc import Callable
from typing import Any


def attempt(call: str, work: Callable[[], Any]) -> Any:
    """Make a call and print how it ended; return its result, or None."""
    try:
        result, error = work(), None
    except Exception as problem:  # noqa: BLE001 - whatever a client raises is what one wants to see
        result, error = None, f"{type(problem).__name__}: {problem}"
    print(json.dumps({"call": call, "error": error}), flush=True)
    return result
