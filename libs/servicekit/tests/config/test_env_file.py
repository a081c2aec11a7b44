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
def test_a_line_gives_its_value(line: str, value: str) -> None:
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
def test_a_broken_line_is_named_by_number_and_reason_without_its_value(line: str, reason: str) -> None:
    ((number, told),) = parse_env_file(line).faults
    assert number == line.count("\n") + 1
    assert reason in told
    assert "hunter2" not in told


@given(st.text(alphabet=st.characters(exclude_characters="\n'", exclude_categories=["Cs"])))
def test_a_single_quoted_value_comes_back_as_written(value: str) -> None:
    assert parse_env_file(f"A='{value}'").values == {"A": value}


@given(st.text(alphabet=st.characters(exclude_characters="\n", exclude_categories=["Cs"])))
def test_a_double_quoted_value_comes_back_when_escaped(value: str) -> None:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    assert parse_env_file(f'A="{escaped}"').values == {"A": value}


@given(st.text())
def test_no_content_is_too_odd_to_be_read(content: str) -> None:
    parse_env_file(content)
