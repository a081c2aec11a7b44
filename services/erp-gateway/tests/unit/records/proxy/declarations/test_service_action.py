"""Which fields a service action takes, and under which names they are recorded."""

import pytest

from erp_gateway.records.proxy.declarations.service_action import ServiceAction

SERIES = ServiceAction("SeriesService_GetSeries", ("Params.Series", "Rows[].Code", "Any", "Date"))


@pytest.mark.parametrize(
    ("path", "recorded"),
    [
        ("Date", "Date"),
        ("Params.Series", "Params.Series"),
        ("Rows[].Code", "Rows[].Code"),
        ("Params", "Params"),  # null, or an empty object
        ("Rows", "Rows"),
        ("Any", "Any"),
        ("Any.Made.Up", "Any"),
        ("Any[].MadeUp", "Any"),
        ("Date.MadeUp", "Date"),
        ("date", None),
        ("DATE", None),
        ("Dat", None),
        ("Date2", None),
        ("Params.Series2", None),
        ("Params.series", None),
        ("Params.MadeUp", None),
        ("Rows[].MadeUp", None),
        ("Rows.Code", None),
        ("Param", None),
        ("MadeUp", None),
        ("MadeUp.Date", None),
    ],
)
def test_a_parameter_is_recorded_by_its_exact_path(path: str, recorded: str | None) -> None:
    assert SERIES.recorded_name(path) == recorded


def test_a_value_below_a_declared_parameter_is_recorded_under_its_name_once() -> None:
    paths = ["Any.A", "Any.B", "Date", "MadeUp"]
    assert SERIES.recorded_names(paths) == ["Any", "Date"]


def test_a_declared_action_without_parameters_accepts_none_and_a_bare_name_any() -> None:
    assert ServiceAction("SBOBobService_GetLocalCurrency").recorded_name("A") is None
    assert ServiceAction.of("SBOBobService_GetLocalCurrency").recorded_name("A.B") == "A.B"
    assert ServiceAction.of(SERIES) is SERIES


@pytest.mark.parametrize("parameters", ["Currency", ["Currency"], ("Currency", 1)])
def test_parameters_are_a_tuple_of_names(parameters: object) -> None:
    with pytest.raises(TypeError, match="parameters must be a tuple"):
        ServiceAction("SeriesService_GetSeries", parameters)  # type: ignore[arg-type] # that is the point
