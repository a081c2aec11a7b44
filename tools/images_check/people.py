"""Users at work while containers stop and start, and the responses that they got."""

import http.client
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise

from attrs import Factory, define, frozen

from tools.images_check.containers import Containers, demand

READ = "/api/sl/Items?$top=1&$select=ItemCode"
PAUSE_S = 0.02
GAP_CODES = frozenset({"service_unreachable", "shutting_down"})
"""Accepted refusals between two processes: nothing was sent to the ERP."""


@frozen
class Answered:
    """One request: start and end (monotonic seconds), and its status, 0 without a response."""

    begun: float
    ended: float
    status: int
    code: str


@define
class Seen:
    """Responses in the order of their ends."""

    answers: list[Answered] = Factory(list)

    def refused(self) -> Counter[str]:
        """Return the number of refusals by code."""
        return Counter(each.code for each in self.answers if each.status not in (200, 201))

    def gap_s(self) -> float:
        """Return the longest time between the ends of two responses that were no refusals."""
        ends = [each.ended for each in self.answers if each.status in (200, 201)]
        return max((later - earlier for earlier, later in pairwise(ends)), default=0.0)

    def made(self) -> int:
        """Return the number of created records."""
        return sum(each.status == 201 for each in self.answers)

    def nobody_noticed(self, *, within_s: float) -> None:
        """Check that requests were only refused between two processes, and no session was lost.

        Raises:
            StepFailed: other refusals, or for too long.
        """
        refused = self.refused()
        demand(holds=set(refused) <= GAP_CODES, what=f"people were answered {dict(refused)}")
        demand(holds=self.gap_s() <= within_s, what=f"nobody was served for {self.gap_s():.1f} s")


@contextmanager
def people_at_work(book: Containers, token: str, orders: list[dict[str, object]]) -> Iterator[Seen]:
    """Let two users read, and one create these orders one after the other, until the block ends."""
    observed, ended = Seen(), threading.Event()
    left = iter(orders)

    def work(*, writes: bool) -> None:
        while not ended.is_set():
            order = next(left, None) if writes else None
            if writes and order is None:
                return
            observed.answers.append(_ask(book, token, order))
            time.sleep(PAUSE_S)

    threads = [
        threading.Thread(target=work, kwargs={"writes": each}) for each in (False, False, bool(orders))
    ]
    for thread in threads:
        thread.start()
    try:
        yield observed
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def _ask(book: Containers, token: str, order: dict[str, object] | None) -> Answered:
    begun = time.monotonic()
    try:
        answer = (
            book.ask("GET", READ, token=token)
            if order is None
            else book.ask("POST", "/api/sl/Orders", order, token=token)
        )
    except (OSError, http.client.HTTPException) as error:
        return Answered(begun, time.monotonic(), 0, type(error).__name__)
    code = "" if answer.status in (200, 201) else str(answer.code)
    return Answered(begun, time.monotonic(), answer.status, code)
