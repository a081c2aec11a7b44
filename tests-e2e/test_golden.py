"""Whatever the tour's requests cause is as recorded; `make golden WRITE=1` records what has to change."""

from pathlib import Path

import pytest
from demo.modules import is_database_live
from tools.golden import VERSIONS, differences, record


@pytest.mark.skipif(not is_database_live(), reason="recorded with SAP's driver, not installed here")
@pytest.mark.parametrize("version", VERSIONS)
def test_the_requests_of_the_tour_match_the_golden_record(tmp_path: Path, version: str) -> None:
    changed = differences(record(tmp_path, version))
    assert not changed, "\n".join(changed)
