"""Valid values of the fields that an installation adds."""

from decimal import Decimal

import pytest

from supplier_returns.settings.custom_fields import CustomField, CustomFieldKind, missing_required

TEXT = CustomField(name="U_A", label="A", is_required=True)
NUMBER = CustomField(name="U_N", label="N", kind=CustomFieldKind.NUMBER)
DATE = CustomField(name="U_D", label="D", kind=CustomFieldKind.DATE)
CHOICE = CustomField(name="U_C", label="C", kind=CustomFieldKind.NUMBER, values={"01": "Uno", "x": "Otro"})


@pytest.mark.parametrize(
    ("field", "good", "bad"),
    [
        (TEXT, ("a", "x" * 254, "ñandú 7"), ("", "x" * 255, "a\nb")),
        (NUMBER, ("0", "-3", "1.5", "007", "999999999999.999999"), ("", "1,5", "1.", "1e3", "tres", "NaN")),
        (DATE, ("2026-01-31",), ("", "31-01-2026", "2026-02-30", "20260131", "2026-W05-6")),
        (CHOICE, ("01", "x"), ("", "1", "Uno")),
    ],
    ids=lambda each: each.name if isinstance(each, CustomField) else "",
)
def test_a_value_has_the_right_type_or_is_one_of_the_valid_values(
    field: CustomField, good: tuple[str, ...], bad: tuple[str, ...]
) -> None:
    assert [field.problem_with(answer) for answer in good] == [None] * len(good)
    assert all(field.problem_with(answer) for answer in bad)


def test_only_number_fields_are_sent_as_numbers() -> None:
    assert (NUMBER.sent("1.50"), NUMBER.sent("tres"), TEXT.sent("007")) == (Decimal("1.50"), "tres", "007")


def test_only_required_fields_are_missing() -> None:
    assert missing_required([TEXT, NUMBER], {}) == ["U_A"]
    assert missing_required([TEXT, NUMBER], {"U_A": "x"}) == []
