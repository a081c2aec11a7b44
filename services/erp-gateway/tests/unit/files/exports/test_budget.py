"""All files share one budget."""

import pytest

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.errors import ExportNoRoom
from erp_gateway.files.exports.spool import Spool


@pytest.mark.asyncio
async def test_all_spools_share_one_limit_and_closing_frees_their_bytes() -> None:
    budget = SpoolBudget(10)
    one, other = Spool(budget), Spool(budget)
    one.write(b"123456")
    other.write(b"1234")
    with pytest.raises(ExportNoRoom):
        other.write(b"5")
    assert (budget.held, one.size, other.size) == (10, 6, 4)
    one.close()
    one.close()
    other.write(b"567890")
    assert budget.held == 10
    other.close()
    assert budget.held == 0


def test_a_share_denied_more_room_keeps_its_size() -> None:
    budget = SpoolBudget(10)
    share = budget.share()
    share.resize(7)
    with pytest.raises(ExportNoRoom):
        share.resize(11)
    assert budget.held == 7
    share.resize(3)
    assert budget.held == 3
    share.release()
    assert budget.held == 0
