"""What is known of the last run, from the file that its JSON was written to."""

from pathlib import Path

import pytest

from servicekit.last_run import read_last_run


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"doctor": 1, "startedAt"',
        "[]",
        '{"doctor": 2, "startedAt": "2026-03-02T14:05:09Z", "checks": []}',
    ],
)
def test_a_file_without_a_whole_run_tells_nothing(tmp_path: Path, content: str) -> None:
    file = tmp_path / "doctor.json"
    assert read_last_run(file) is None
    file.write_text(content, encoding="utf-8")
    assert read_last_run(file) is None
