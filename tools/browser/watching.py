"""Watches pages for forbidden behavior: requests to other origins, policy violations, errors, layout
shifts.
"""

from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, WebError

_NOTES = """
window.watched = {policy: [], shifts: [], long: []};
document.addEventListener("securitypolicyviolation", (event) =>
  watched.policy.push(`${event.violatedDirective} ${event.blockedURI}`));
new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
  if (!entry.hadRecentInput) watched.shifts.push(entry.value);
})).observe({type: "layout-shift", buffered: true});
new PerformanceObserver((list) => list.getEntries().forEach((entry) => watched.long.push(entry.duration)))
  .observe({type: "longtask", buffered: true});
"""
_REFUSAL = "Failed to load resource: the server responded with a status of"


@dataclass
class Watch:
    """Observations about pages.

    Attributes:
        outside: requests to another origin, whether they left or were blocked.
        faults: script errors and error messages in the console, without refusals of the services.
        failed: aborted requests.
    """

    origin: str
    outside: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def start(self, context: BrowserContext) -> None:
        """Watch every page of a context from its first script on."""
        context.add_init_script(_NOTES)
        context.on("request", self._note_request)
        context.on("requestfailed", self._note_failure)
        context.on("console", self._note_message)
        context.on("weberror", self._note_error)

    def _note_request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("blob", "data") and f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.outside.append(request.url)

    def _note_failure(self, request: Request) -> None:
        self.failed.append(f"{request.method} {request.url} {request.failure}")

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(_REFUSAL):
            self.faults.append(message.text)

    def _note_error(self, error: WebError) -> None:
        self.faults.append(str(error.error))


def noted(page: Page) -> dict[str, Any]:
    """Return the page's own observations: `policy` violations, layout `shifts`, `long` tasks in ms."""
    found: dict[str, Any] = page.evaluate("window.watched")
    return found
