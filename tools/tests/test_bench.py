"""Stored results of `make bench`, and what counts as slower than them."""

import re
from pathlib import Path

import pytest
from bench import servers
from bench.kept import LAST, Figure, keep, read, slower
from bench.scenarios import cpu

STEADY = Figure(1.5, 1.6, 1.7)


@pytest.mark.parametrize(
    ("before", "now", "worse"),
    [
        (STEADY, Figure(1.75, 1.9, 2.0), True),
        (STEADY, Figure(1.65, 1.9, 2.0), False),  # the quartiles of both runs meet
        (STEADY, Figure(1.0, 1.1, 1.2), False),
        (Figure(1.6, 1.6, 1.6), Figure(1.62, 1.62, 1.62), False),  # less than a step
        (Figure.count(2), Figure.count(3), True),
        (Figure.count(2), Figure.count(2), False),
        (Figure.once(10), Figure.once(12), False),
        (Figure.once(10), Figure.once(13), True),
        (Figure.of([1.6]), Figure.of([1.6]), False),
    ],
)
def test_slower_means_beyond_the_spread_of_both_runs(before: Figure, now: Figure, worse: bool) -> None:
    result = list(slower({"throughput": {"a list": now}}, {"throughput": {"a list": before}}))
    assert [line.partition(": ")[0] for line in result] == ["throughput"] * worse


def test_a_scenario_without_a_kept_run_is_not_compared() -> None:
    now = {"throughput": {"a list": STEADY}, "page": {"calls": Figure.count(40)}}
    assert list(slower(now, {"throughput": {"an order": Figure.count(1)}})) == []


def test_a_partial_run_keeps_the_results_of_other_scenarios(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    keep({"page": {"calls": Figure.count(40)}, "throughput": {"a list": Figure.count(2)}}, kept)
    keep({"throughput": {"an order": Figure.of([1.0, 2.0, 3.0, 4.0, 5.0])}}, kept)
    assert read(kept) == {
        "page": {"calls": Figure.count(40)},
        "throughput": {"an order": Figure(2.0, 3.0, 4.0)},
    }


def test_the_kept_run_is_readable_and_names_no_machine() -> None:
    assert {"identical", "startup", "throughput"} <= set(read())
    assert re.findall(r"/\w+/|\d+\.\d+\.\d+|Linux|localhost", LAST.read_text(encoding="utf-8")) == []


def test_builds_are_compared_by_round() -> None:
    cost = cpu.cost(cpu.LIST, [110.0, 220.0, 330.0], [100.0, 200.0, 300.0])
    assert (cost.this_us, cost.before_us) == (220.0, 200.0)
    assert cost.over.middle == pytest.approx(1.1)
    assert "1.100" in cpu.table([cost])[1]


def test_a_folder_without_the_code_is_not_measured(tmp_path: Path) -> None:
    with (
        pytest.raises(FileNotFoundError, match="services"),
        servers.build(tmp_path / "own", 1, tmp_path, concurrency=1),
    ):
        pass
