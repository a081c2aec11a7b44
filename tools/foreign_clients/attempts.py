"""Output of Python clients: a line of JSON for each call, with its error or null."""

import json
from collections.abc import Callable
from typing import Any


def attempt(call: str, work: Callable[[], Any]) -> Any:
    """Make a call and print its outcome; return its result, or None."""
    try:
        result, error = work(), None
    except Exception as problem:  # noqa: BLE001 - any exception of a client is a result
        result, error = None, f"{type(problem).__name__}: {problem}"
    print(json.dumps({"call": call, "error": error}), flush=True)
    return result
