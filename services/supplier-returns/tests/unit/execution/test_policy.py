"""Which documents may be executed."""

import pytest
from plannings import document, line, part, planning

from supplier_returns.execution.errors import ReturnFieldsRequired
from supplier_returns.execution.policy import check_ready
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.settings.custom_fields import CustomField


def test_a_required_field_is_waited_for_only_while_the_header_can_still_be_changed() -> None:
    custom = [CustomField(name="U_PATENTE", label="Patente", is_required=True)]
    untouched = planning(line(1, part()), documents=(document(),))
    with pytest.raises(ReturnFieldsRequired):
        check_ready(untouched, [1], custom)
    check_ready(planning(line(1, part()), header={"return_fields": {"U_PATENTE": "A"}}), [1], custom)
    begun = planning(line(1, part()), documents=(document(), document(2, DocumentState.CREATED)))
    check_ready(begun, [1], custom)
