"""Table of results."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tools.foreign_clients.clients import Client

_ROW = "{:<25} {:<11} {:<4} {:>6} {:>6}"


@dataclass(frozen=True)
class Trial:
    """Results of a client with one version of the ERP: the error of each call, or None."""

    client: Client
    erp_version: str
    ended: Mapping[str, str | None]

    @property
    def failed(self) -> dict[str, str]:
        """Errors by call."""
        return {call: error for call, error in self.ended.items() if error is not None}


def print_table(trials: Iterable[Trial]) -> None:
    """Print a row for each run, and a line below it for each failed call."""
    print(_ROW.format("client", "version", "ERP", "passed", "failed"))
    for trial in trials:
        client, failed = trial.client, trial.failed
        passed = len(trial.ended) - len(failed)
        print(_ROW.format(client.name, client.version, trial.erp_version, passed, len(failed)))
        for call, error in failed.items():
            known = client.why(call, trial.erp_version)
            reason = f"UNEXPECTED: {error}" if known is None else f"{known.fault.value}: {known.why}"
            print(f"    {call}: {reason}")


def surprises(trials: Iterable[Trial]) -> Iterator[str]:
    """Yield failed calls that are not known to fail."""
    for trial in trials:
        for call in trial.failed:
            if trial.client.why(call, trial.erp_version) is None:
                yield f"{trial.client.name} {trial.erp_version}: {call}"
