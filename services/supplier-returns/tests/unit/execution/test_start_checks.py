"""Conditions for executing a document."""

import pytest
from plannings import document, line, part, planning

from supplier_returns.execution.errors import BinsUnsupported, ReturnFieldsRequired
from supplier_returns.execution.start_checks import check_ready, ready_documents
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.settings.custom_fields import CustomField


def test_a_required_field_blocks_only_while_the_header_is_editable() -> None:
    custom = [CustomField(name="U_PATENTE", label="Patente", is_required=True)]
    untouched = planning(line(1, part()), documents=(document(),))
    with pytest.raises(ReturnFieldsRequired):
        check_ready(untouched, [1], custom)
    check_ready(planning(line(1, part()), header={"return_fields": {"U_PATENTE": "A"}}), [1], custom)
    started = planning(line(1, part()), documents=(document(), document(2, DocumentState.CREATED)))
    check_ready(started, [1], custom)


def test_a_warehouse_with_bins_has_no_documents_to_execute() -> None:
    before = planning(line(1, part()), header={"has_bins": True})
    drafted = planning(line(1, part()), documents=(document(),), header={"has_bins": True})
    with pytest.raises(BinsUnsupported):
        check_ready(drafted, [1], [])
    assert ready_documents(drafted, before) == ()
    without_bins = planning(line(1, part()), documents=(document(),))
    assert list(ready_documents(without_bins, before)) == [1]
