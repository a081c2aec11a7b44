"""Meaning of the document states for the ERP."""

from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.planning.model.states import DocumentState, PlanningState

D = DocumentState


def test_each_state_defines_whether_the_erp_has_the_return() -> None:
    assert {each for each in D if each.holds_lines} == set(D) - {D.PENDING, D.OMITTED}
    assert {each for each in D if each.is_unresolved} == {D.RUNNING, D.UNCERTAIN, D.IN_APPROVAL}
    assert {each for each in D if each.is_made} == {D.CREATED, D.CANCELLED}
    assert {each for each in D if each.is_not_made} == {D.PENDING, D.FAILED, D.OMITTED}
    assert {each for each in D if each.may_exist} == {D.RUNNING, D.UNCERTAIN, D.IN_APPROVAL, D.CREATED}
    assert {each for each in D if each.was_posted} == {D.UNCERTAIN, D.IN_APPROVAL, D.CREATED, D.CANCELLED}


def test_the_erp_offers_the_letters_of_every_stored_state() -> None:
    definitions = load_definitions()
    for table, states in (("@LIB_ODEV", PlanningState), ("@LIB_DEV3", D)):
        offered = [each.value for each in definitions.valid_values(table, "Estado")]
        stored = [each.letters for each in states if each.letters]
        assert sorted(offered) == sorted(stored)
