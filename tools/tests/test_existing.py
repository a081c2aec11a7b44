"""A stack that runs already is taken from the environment, whole or not at all."""

import pytest
from stack.existing import existing_addresses

WHOLE = {"E2E_ORIGIN_PORT": "8080", "E2E_ERPSIM_PORT": "50000", "E2E_CONTROL_PORT": "50001"}


def test_without_an_origin_no_existing_stack_is_used() -> None:
    assert existing_addresses({"E2E_CONTROL_PORT": "50001"}) is None


def test_an_existing_stack_has_only_the_named_ports() -> None:
    found = existing_addresses(WHOLE)
    assert found is not None
    assert (found.origin, found.erpsim, found.control) == (8080, 50000, 50001)
    assert (found.gateway, found.returns, found.metrics) == (0, 0, 0)


@pytest.mark.parametrize("missing", ["E2E_ERPSIM_PORT", "E2E_CONTROL_PORT"])
def test_a_missing_port_next_to_the_origin_is_reported(missing: str) -> None:
    with pytest.raises(ValueError, match=missing):
        existing_addresses({name: value for name, value in WHOLE.items() if name != missing})
