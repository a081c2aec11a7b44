"""Output of a run of all tests: progress, then the failures and the command that repeats them."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.packages import ROOT

TAKEN = (
    "conftest.py",
    "pyproject.toml",
    "tools/__init__.py",
    "tools/run_tests.py",
    "tools/packages.py",
    "stack",
)
GOOD = "def test_good(): pass\n"
FAILING = """
import os, pytest
def test_good(): os.mkdir(f"ran-{os.getpid()}")
@pytest.mark.parametrize("word", ["ä b"])
def test_bad(word): assert os.path.exists("mended")
"""
HANGING = """
import signal, subprocess, time
def test_bad(): assert False
def test_hangs():
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    try:
        with open("hangs", "w") as file: file.write(str(child.pid))
        time.sleep(600)
    finally:
        child.kill()
        child.wait()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of two packages with the runner of this one."""
    for name in TAKEN:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    settings = (tmp_path / "pyproject.toml").read_text(encoding="utf-8")
    settings = re.sub("^source_pkgs = .*$", 'source = ["libs/one"]', settings, flags=re.MULTILINE)
    (tmp_path / "pyproject.toml").write_text(settings, encoding="utf-8")
    for package, tests in {"libs/one": FAILING, "services/two": GOOD}.items():
        (tmp_path / package / "tests").mkdir(parents=True)
        (tmp_path / package / "pyproject.toml").touch()
        (tmp_path / package / "tests/test_it.py").write_text(tests, encoding="utf-8")
    return tmp_path


def environment() -> dict[str, str]:
    """Return what a run of its own needs: neither this run's measuring nor its order."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("COV", "PYTEST"))}


def run(project: Path, *words: str) -> tuple[int, str]:
    """Run the tests; return the exit code and all that was told."""
    command = [sys.executable, "-m", "tools.run_tests", *words]
    done = subprocess.run(
        command,
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_run_ends_with_its_failures_and_the_command_to_repeat_them(project: Path) -> None:
    code, output = run(project)
    assert code == 1
    assert output.startswith("libs/one, services/two (seed ")
    end = output[output.index("\nFAIL tests") + 1 :].splitlines()
    failed = end[end.index("1 failed:") :]
    assert failed[1].startswith("  libs/one/tests/test_it.py::test_bad[")
    assert failed[2].startswith("again: ")
    assert len(failed) == 3, "nothing stands below it"

    again = shlex.split(failed[2].removeprefix("again: "))
    (project / "mended").touch()
    for trace in project.glob("ran-*"):
        trace.rmdir()
    done = subprocess.run(again, cwd=project, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert list(project.glob("ran-*")) == [], "a test that had not failed was run"
    assert "services/two" not in done.stdout


def test_expensive_tests_run_only_with_all(project: Path) -> None:
    dear = "import pytest\n@pytest.mark.check\ndef test_dear(): pass\n"
    (project / "services/two/tests/test_dear.py").write_text(dear, encoding="utf-8")
    (project / "services/two/tests/process").mkdir()
    (project / "services/two/tests/process/test_process.py").write_text(GOOD, encoding="utf-8")
    assert "1 passed" in run(project, "services/two")[1]
    assert "3 passed" in run(project, "--all", "services/two")[1]


def test_coverage_is_shown_only_below_its_floor(project: Path) -> None:
    """All floors but the first one hold: a hundred lines that are run, and one that dear tests alone run."""
    sources = {
        "erpclient/never.py": "def never():\n    return 1\n",
        "erpdoctor/conformance/question.py": "A = 1\n",
        "supplier_returns/planning/rules/policy.py": "A = 1\n" * 100,
    }
    files = [project / "libs/one" / name for name in sources]
    for file, lines in zip(files, sources.values(), strict=True):
        file.parent.mkdir(parents=True)
        file.write_text(lines, encoding="utf-8")
    test = f"import runpy\ndef test_good():\n    for file in {[*map(str, files)]}: runpy.run_path(file)\n"
    (project / "libs/one/tests/test_it.py").write_text(test, encoding="utf-8")
    never = f"import runpy; runpy.run_path({str(files[0])!r})['never']()"
    dear = (
        f"import subprocess, sys\ndef test_dear():\n    {never}\n    subprocess.check_call([sys.executable, "
    )
    (project / "services/two/tests/process").mkdir()
    (project / "services/two/tests/process/test_process.py").write_text(f"{dear}'-c', {never!r}])\n", "utf-8")
    assert "Miss" not in run(project, "--all", "libs/one")[1], "not all packages ran"
    code, output = run(project, "--all")
    assert code == 1
    assert "FAIL coverage" in output
    assert [line for line in output.splitlines() if "branch coverage of" in line] == [
        "== branch coverage of */erpclient/*, at least 100 %"
    ]


@pytest.fixture
def hanging(project: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that hangs in its first package after one test failed."""
    (project / "libs/one/tests/test_it.py").write_text(HANGING, encoding="utf-8")
    command = [sys.executable, "-m", "tools.run_tests"]
    with subprocess.Popen(
        command,
        cwd=project,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_reports_its_failures_and_leaves_no_process(
    project: Path, hanging: subprocess.Popen[str], number: signal.Signals
) -> None:
    assert hanging.stdout is not None
    result: list[str] = []
    while not ((project / "hangs").is_file() and any("failed: libs/one" in line for line in result)):
        result.append(hanging.stdout.readline())
        assert result[-1], "".join(result)
    hanging.send_signal(number)
    end = hanging.communicate(timeout=90)[0].splitlines()
    assert hanging.returncode == 128 + number
    assert "stopped" in end, "\n".join(end)
    assert "1 failed:" in end, "\n".join(end)
    failed = end[end.index("1 failed:") :]
    assert failed[1] == "  libs/one/tests/test_it.py::test_bad"
    assert not Path("/proc", (project / "hangs").read_text(encoding="ascii")).exists()
