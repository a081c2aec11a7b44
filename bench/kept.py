"""Stored results as machine-independent figures: shares of a peer's cost, counts, growth factors.

`bench/last.json` has them by scenario, each with the commit and the day of its measurement. Less is always
better.
"""

import json
import statistics
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Self

import attrs

LAST: Final = Path(__file__).with_name("last.json")
FIGURES: Final = "figures"

# Medians within this distance count as equal.
_LEAST_STEP: Final = 1.05

# Possible relative error of a single measurement.
_ONCE: Final = 1.12


@attrs.frozen
class Figure:
    """A median, and the quartiles of its rounds."""

    low: float
    middle: float
    high: float

    @classmethod
    def of(cls, rounds: Iterable[float]) -> Self:
        """Return the figure of some rounds."""
        found = list(rounds)
        if len(found) == 1:
            return cls.once(found[0])
        low, middle, high = statistics.quantiles(found, n=4, method="inclusive")
        return cls(low, middle, high)

    @classmethod
    def once(cls, found: float) -> Self:
        """Return the figure of a single measurement."""
        return cls(found / _ONCE, found, found * _ONCE)

    @classmethod
    def count(cls, found: float) -> Self:
        """Return a figure without measurement error."""
        return cls(found, found, found)

    def is_worse_than(self, before: "Figure") -> bool:
        """Return whether it is clearly worse: by a step, with separate quartiles."""
        return self.middle > before.middle * _LEAST_STEP and self.low > before.high


Figures = Mapping[str, Mapping[str, Figure]]
"""Figures by scenario and name."""


def read(source: Path = LAST) -> dict[str, dict[str, Figure]]:
    """Return the stored figures."""
    return {
        scenario: {what: Figure(*figure) for what, figure in run[FIGURES].items()}
        for scenario, run in _runs(source).items()
    }


def keep(figures: Figures, target: Path = LAST) -> None:
    """Store the figures of the measured scenarios; those of the others stay."""
    about = {"commit": _commit(), "day": datetime.now(UTC).date().isoformat()}
    runs = _runs(target)
    for scenario, found in figures.items():
        rounded = {
            what: [float(f"{each:.3g}") for each in attrs.astuple(figure)] for what, figure in found.items()
        }
        runs[scenario] = {**about, FIGURES: rounded}
    lines = [f"{json.dumps(scenario)}: {_written(runs[scenario])}" for scenario in sorted(runs)]
    target.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def slower(figures: Figures, before: Figures) -> Iterator[str]:
    """Yield a line for each figure that became worse."""
    for scenario, found in figures.items():
        for what, figure in found.items():
            last = before.get(scenario, {}).get(what)
            if last is not None and figure.is_worse_than(last):
                yield f"{scenario}: {what}: {_told(figure)}, was {_told(last)}"


def _runs(source: Path) -> dict[str, Any]:
    runs: dict[str, Any] = json.loads(source.read_text(encoding="utf-8")) if source.is_file() else {}
    return runs


def _written(run: Mapping[str, Any]) -> str:
    """Write one line per figure, so that a diff of two runs is readable."""
    figures = [f"    {json.dumps(what)}: {json.dumps(figure)}" for what, figure in run[FIGURES].items()]
    head = "".join(f'  "{name}": {json.dumps(run[name])},\n' for name in ("commit", "day"))
    return "{\n" + head + f'  "{FIGURES}": {{\n' + ",\n".join(figures) + "\n  }\n}"


def _told(figure: Figure) -> str:
    return f"{figure.middle:.3g} ({figure.low:.3g} to {figure.high:.3g})"


def _commit() -> str:
    words = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    done = subprocess.run(words, cwd=LAST.parent, check=True, capture_output=True, text=True)
    return done.stdout.strip()
