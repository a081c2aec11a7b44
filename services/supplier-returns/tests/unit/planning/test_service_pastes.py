"""Pastes that take long to read."""

import json
from datetime import UTC, date
from typing import Any

import pytest

from erpclient import Caller
from supplier_returns.planning.computing import open_computing
from supplier_returns.planning.errors import PasteTooLarge
from supplier_returns.planning.locks import KeyedLocks
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.planning.service import SMALL_PASTE_BYTES, PlanningService
from supplier_returns.planning.settings import PlanningRules
from supplier_returns.planning.sources import PlanningSources

pytestmark = pytest.mark.asyncio


async def test_a_paste_that_takes_too_long_to_read_is_too_large(company: Any, objects: Any) -> None:
    repository = PlanningRepository(objects, Caller("bodega"), UTC)
    sources = PlanningSources("bodega", company, company, repository)
    rules = PlanningRules(60, lambda: date(2026, 3, 4), UTC)
    body = json.dumps({"whsCode": "01", "texto": "A\t1\n" * SMALL_PASTE_BYTES}).encode()
    async with open_computing(work_s=0.001) as computing:
        service = PlanningService(sources, computing.of("bodega"), KeyedLocks(), rules, lambda _: False)
        with pytest.raises(PasteTooLarge) as refused:
            await service.preview(body)
    assert refused.value.detail.endswith("péguelo por partes.")
