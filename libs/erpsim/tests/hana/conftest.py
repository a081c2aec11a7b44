"""A simulated HANA in a process of its own."""

from collections.abc import Iterator

import pytest

from erpsim.hana.process import HanaProcess, run_hana


@pytest.fixture(scope="session")
def hana_process() -> Iterator[HanaProcess]:
    with run_hana("--rows-per-packet", "100") as process:
        yield process


@pytest.fixture
def hana(hana_process: HanaProcess) -> Iterator[HanaProcess]:
    hana_process.reset()
    yield hana_process
    hana_process.reset()
