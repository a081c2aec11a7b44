"""`python -m tools.docs --check` names each outdated file and the command that writes it."""

from pathlib import Path

import pytest
from tools.docs import __main__ as command
from tools.docs.part import Part


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "same.md").write_text("same\n", encoding="utf-8")
    (tmp_path / "old.md").write_text("old\n", encoding="utf-8")
    return tmp_path


PARTS = (
    Part("same.md", lambda: "same\n"),
    Part("old.md", lambda: "new\n"),
    Part("missing.md", lambda: "made\n"),
)


def test_a_check_names_the_differing_files_and_writes_none(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.check(PARTS, root) == 1
    errors = capsys.readouterr().err
    assert errors == (
        "old.md differs from the code\nmissing.md differs from the code\n"
        "Run `make docs` and commit the result.\n"
    )
    assert (root / "old.md").read_text(encoding="utf-8") == "old\n"
    assert not (root / "missing.md").exists()


def test_a_check_after_writing_finds_no_difference(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command.write(PARTS, root)
    assert capsys.readouterr().out == "wrote old.md\nwrote missing.md\n"
    assert command.check(PARTS, root) == 0
