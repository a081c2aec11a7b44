"""Measures work of a page with Chromium's tracing: tasks of the main thread, layout shifts, bytes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define, field, frozen
from playwright.sync_api import Browser, Page

_CATEGORIES = ["-*", "toplevel", "loading", "devtools.timeline", "disabled-by-default-devtools.timeline"]
_TASK = "ThreadControllerImpl::RunTask"
_RENDERER = "CrRendererMain"


@frozen(order=True)
class Task:
    """One task on a page's main thread.

    Attributes:
        cpu_ms: processor time, independent of other load on the machine.
        wall_ms: elapsed time, including waits for a processor.
    """

    cpu_ms: float
    wall_ms: float


@define
class Trace:
    """Result of a trace.

    Attributes:
        tasks: tasks on main threads of pages, those that worked longest first.
        shifts: scores of layout shifts that followed no recent input.
        wire_bytes: received bytes, with headers and compressed bodies.
    """

    tasks: list[Task] = field(factory=list)
    shifts: list[float] = field(factory=list)
    wire_bytes: int = 0


@contextmanager
def traced(browser: Browser, page: Page) -> Iterator[Trace]:
    """Trace what the page does inside the block; the result is filled in when the block ends."""
    trace = Trace()
    browser.start_tracing(page=page, categories=_CATEGORIES)
    try:
        yield trace
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
    threads = {(each["pid"], each["tid"]) for each in events if _names_a_page(each)}
    for each in events:
        data = each.get("args", {}).get("data", {})
        if each["name"] == _TASK and (each["pid"], each["tid"]) in threads:
            wall_us = each.get("dur", 0)
            trace.tasks.append(Task(each.get("tdur", wall_us) / 1000, wall_us / 1000))
        elif each["name"] == "LayoutShift" and not data.get("had_recent_input"):
            trace.shifts.append(data["weighted_score_delta"])
        elif each["name"] == "ResourceFinish":
            trace.wire_bytes += data["encodedDataLength"]
    trace.tasks.sort(reverse=True)


def _names_a_page(event: dict[str, object]) -> bool:
    return event["name"] == "thread_name" and event["args"] == {"name": _RENDERER}
