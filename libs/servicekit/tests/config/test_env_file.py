"""The configuration file's grammar."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.config.env_file import parse_env_file


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("A=b", "b"),
        ("  export A = b  ", "b"),
        ("A=", ""),
        ("A=b # comment", "b"),
        ("A=b#c", "b#c"),
        ("A=#c", ""),
        ("A=p@ss=w$rd", "p@ss=w$rd"),
        ("A='b # $c \"d\"' # comment", 'b # $c "d"'),
        ("A=''", ""),
        ('A="b\\tc\\\\d\\"e\\nf" # comment', 'b\tc\\d"e\nf'),
        ("A=b\r", "b"),
        ("A=a\u2028b", "a\u2028b"),
    ],
)
def test_a_line_of_an_env_file_gives_its_value(line: str, value: str) -> None:
    parsed = parse_env_file(line)
    assert parsed.values == {"A": value}
    assert parsed.faults == ()


def test_empty_lines_and_comments_are_skipped() -> None:
    parsed = parse_env_file("\n# A=1\n   \n  # B=2\nC=3\n")
    assert parsed.values == {"C": "3"}
    assert parsed.faults == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("hunter2", "not of the form NAME=value"),
        ("1A=hunter2", "not of the form NAME=value"),
        ("A B=hunter2", "not of the form NAME=value"),
        ("A='hunter2", "the quote ' is not closed"),
        ("A='hun'ter2", "the quote ' is not closed, or something follows"),
        ('A="hunter2', 'the quote " is not closed'),
        ('A="C:\\hunter2"', "unknown escape"),
        ("Z=0\nA=hunter2\nA=hunter2", "A is set a second time"),
    ],
)
def test_a_malformed_line_is_reported_by_number_and_reason_only(line: str, reason: str) -> None:
    (fault,) = parse_env_file(line).faults
    assert fault.line == line.count("\n") + 1
    assert reason in fault.reason
    assert fault.spanish not in ("", fault.reason)
    assert "hunter2" not in fault.reason + fault.spanish


@given(st.text(alphabet=st.characters(exclude_characters="\n'", exclude_categories=["Cs"])))
def test_a_single_quoted_value_is_read_as_written(value: str) -> None:
    assert parse_env_file(f"A='{value}'").values == {"A": value}


@given(st.text(alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"])))
def test_an_escaped_double_quoted_value_is_read_as_written(value: str) -> None:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    assert parse_env_file(f'A="{escaped}"').values == {"A": value}


@given(st.text())
def test_any_file_content_can_be_parsed(content: str) -> None:
    parse_env_file(content)
