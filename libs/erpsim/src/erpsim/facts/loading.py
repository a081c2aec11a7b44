"""Loads facts: the file packaged with the simulator, optionally merged with your own export."""

from __future__ import annotations

import functools
from importlib import resources
from pathlib import Path

from erpsim.facts.compact_form import parse_facts
from erpsim.facts.edmx import read_edmx
from erpsim.facts.model import Facts


@functools.cache
def load_packaged_facts() -> Facts:
    """Return the facts packaged with the simulator (read once per process)."""
    return parse_facts(resources.files("erpsim").joinpath("data/facts.json").read_bytes())


def load_own_facts(path: Path) -> Facts:
    """Return the packaged facts merged with your own `$metadata` export (v1 or v2).

    Raises:
        FactsError: the file can't be read or is no such export.
    """
    return load_packaged_facts().overlaid(read_edmx(path))
