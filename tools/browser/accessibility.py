"""Accessibility of a page, as axe-core judges it."""

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped] # it ships none
from playwright.sync_api import Page

_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


def violations(page: Page) -> list[str]:
    """Return what axe-core finds wrong on the page as it stands."""
    found = Axe().run(page, options=_RULES).response["violations"]
    return [f"{each['id']}: {node['html'][:160]}" for each in found for node in each["nodes"]]
