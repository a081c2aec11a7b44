"""Declarations check themselves."""

import pytest

from servicekit.endpoint import Body


def test_a_body_with_a_json_schema_needs_an_example() -> None:
    with pytest.raises(ValueError, match="needs an example"):
        Body({"type": "object"})


@pytest.mark.parametrize("example", [{}, [], "", 0, False])
def test_an_empty_example_is_kept(example: object) -> None:
    assert Body({}, example).example == example


def test_a_body_with_a_shape_needs_no_example() -> None:
    assert Body(list[str]).example is None
