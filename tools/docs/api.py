"""OpenAPI documents of both services in docs/api, as their commands print them."""

import subprocess
import sys
from functools import cache, partial
from pathlib import Path

from tools.docs.part import Part

FOLDER = "docs/api"
SERVICES = ("erp-gateway", "supplier-returns")


@cache
def print_document(service: str) -> str:
    """Return what a service's `openapi` command prints."""
    program = Path(sys.executable).with_name(service)
    return subprocess.run([program, "openapi"], check=True, capture_output=True, text=True).stdout


PARTS = tuple(Part(f"{FOLDER}/{name}.json", partial(print_document, name)) for name in SERVICES)
