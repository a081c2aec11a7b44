"""A run of some seconds: the tool itself still works, and both services keep what they promise."""

from pathlib import Path

import pytest
from soak.__main__ import soak


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "traced", [pytest.param(True, id="traced"), pytest.param(False, id="defaults", marks=pytest.mark.proof)]
)
async def test_a_short_run_ends_by_itself_and_every_invariant_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], traced: bool
) -> None:
    assert await soak(tmp_path, seed=1, minutes=0.1, rate=0.05, traced=traced), capsys.readouterr().out
    output = capsys.readouterr().out
    assert "held   nothing twice" in output
    assert "orders     0;" not in output
