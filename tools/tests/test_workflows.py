"""CI uses pinned actions and images only, and scans images before they are published."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from tools.locks import SERVICE_LOCKS
from tools.packages import ROOT
from tools.tests.test_release import deployed

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
PINNED = re.compile(r"\s*-? *uses: ([\w-]+/[\w./-]+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+")
READS = {"contents": "read"}
SCAN, BUILD = "anchore/scan-action", "docker/build-push-action"


def steps(path: Path) -> Iterator[Mapping[str, Any]]:
    """Yield the steps of a workflow's jobs, in their order."""
    for job in yaml.safe_load(path.read_text("utf-8"))["jobs"].values():
        yield from job.get("steps", ())


def used(path: Path) -> list[str]:
    """Return the lines of a workflow that take an action, but for workflows of our own."""
    lines = path.read_text("utf-8").splitlines()
    return [each for each in lines if re.match(r"\s*-? *uses: (?!\./)", each)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_the_commit_of_a_release(path: Path) -> None:
    assert [each for each in used(path) if not PINNED.fullmatch(each)] == []


def test_an_action_has_one_version_in_all_workflows() -> None:
    found = {match.groups() for path in WORKFLOWS for each in used(path) if (match := PINNED.fullmatch(each))}
    assert len(found) == len({name for name, _ in found}) > 0


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_every_pip_install_requires_hashes(path: Path) -> None:
    commands = [line for step in steps(path) for line in step.get("run", "").splitlines()]
    loose = [each for each in commands if "pip install" in each and "--require-hashes" not in each]
    assert loose == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_have_read_permissions_unless_justified(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text("utf-8"))
    assert workflow["permissions"] == READS
    further = {name: job["permissions"] for name, job in workflow["jobs"].items() if "permissions" in job}
    assert further == {"security.yml": {"secrets": {**READS, "pull-requests": "read"}}}.get(path.name, {})
    assert [name for name, job in workflow["jobs"].items() if job.get("secrets") == "inherit"] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_untrusted_input_and_tokens_stay_out_of_commands_and_disk(path: Path) -> None:
    assert [each["run"] for each in steps(path) if "${{" in each.get("run", "")] == []
    taken = [each for each in steps(path) if each.get("uses", "").startswith("actions/checkout@")]
    assert [each for each in taken if each["with"]["persist-credentials"] is not False] == []


def test_every_lock_file_is_audited_strictly() -> None:
    job = yaml.safe_load((ROOT / ".github/workflows/security.yml").read_text("utf-8"))["jobs"]["dependencies"]
    assert {f"{each}.txt" for each in job["strategy"]["matrix"]["lock"]} == {"build.txt", *SERVICE_LOCKS}
    (audit,) = [each["run"] for each in job["steps"] if "pip_audit" in each.get("run", "")]
    assert "--strict" in audit


def test_an_image_is_scanned_between_build_and_publication() -> None:
    found = list(steps(ROOT / ".github/workflows/image.yml"))
    order = [each.get("uses", "").partition("@")[0] for each in found]
    assert [each for each in order if each in (BUILD, SCAN)] == [BUILD, SCAN, BUILD]
    made, published = (each for each in found if each.get("uses", "").startswith(BUILD))
    assert "push" not in made["with"]
    assert published["if"] == "github.ref_type == 'tag'"
    same = {"context", "file", "build-args"}
    assert {key: made["with"][key] for key in same} == {key: published["with"][key] for key in same}


def test_all_base_and_companion_images_are_scanned_weekly() -> None:
    security = yaml.safe_load((ROOT / ".github/workflows/security.yml").read_text("utf-8"))
    matrix = security["jobs"]["images"]["strategy"]["matrix"]["image"]
    assert set(matrix) == {name for name in deployed() if name.endswith("_IMAGE")}
    assert any(each.get("uses", "").startswith(SCAN) for each in security["jobs"]["images"]["steps"])
