"""A stack that runs already is taken from the environment, whole or not at all."""

import pytest
from stack.existing import existing_addresses

WHOLE = {"E2E_ORIGIN_PORT": "8080", "E2E_ERPSIM_PORT": "50000", "E2E_CONTROL_PORT": "50001"}


def test_without_an_origin_there_is_none() -> None:
    assert existing_addresses({"E2E_CONTROL_PORT": "50001"}) is None


def test_its_ports_are_those_named_and_the_services_own_ones_are_not_known() -> None:
    found = existing_addresses(WHOLE)
    assert found is not None
    assert (found.origin, found.erpsim, found.control) == (8080, 50000, 50001)
    assert (found.gateway, found.returns, found.metrics) == (0, 0, 0)


@pytest.mark.parametrize("missing", ["E2E_ERPSIM_PORT", "E2E_CONTROL_PORT"])
def test_what_is_missing_beside_the_origin_is_named(missing: str) -> None:
    with pytest.raises(ValueError, match=missing):
        existing_addresses({name: value for name, value in WHOLE.items() if name != missing})
