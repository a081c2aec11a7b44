"""From 0.1.0 and back: by that version's own code, out of the history."""

import subprocess
from pathlib import Path

import pytest
from tools.packages import ROOT
from tools.upgrade_check.__main__ import OLD, check


def history_has(commit: str) -> bool:
    requested = ["git", "cat-file", "-e", f"{commit}^{{commit}}"]
    return subprocess.run(requested, cwd=ROOT, check=False, stderr=subprocess.DEVNULL).returncode == 0


@pytest.mark.skipif(not history_has(OLD), reason="this clone has no history")
def test_a_store_of_0_1_0_is_upgraded_and_downgraded_with_a_backup(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check(tmp_path, OLD, 300)
    output = capsys.readouterr().out
    assert "300 audit records by 744a894d" in output
    assert "exit 1" in output
    assert "start the newer version, or restore a backup made before it" in output
    assert "744a894d with ERP_CA_FOLDER in its file: exit 2" in output
    assert "744a894d on the backup, with ERP_CA_FOLDER in the environment: healthy after" in output
