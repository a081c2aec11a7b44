"""Sources that several questions have."""

from typing import Final

LIVE: Final = "tested by an integrator on Service Layer 1000340"
METADATA: Final = "metadata of v1 and v2"
ANNOTATIONS: Final = "annotations of a company's v2 metadata"
