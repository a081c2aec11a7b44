"""Finds layout problems of a page: overlapping or cut-off text, and content wider than the screen."""

from playwright.sync_api import Page

_FIND = """
() => {
  const faults = [];
  const wide = document.documentElement.scrollWidth - innerWidth;
  if (wide > 0) faults.push(`is ${wide} points wider than the screen`);

  // what lies above the page on purpose (a dialog, a head that stays) covers what is below it
  const layerOf = (element) => {
    for (let at = element; at; at = at.parentElement)
      if (["sticky", "fixed"].includes(getComputedStyle(at).position)) return at;
    return null;
  };
  const seenOf = (element, box) => {
    let { left, top, right, bottom } = box;
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      if (getComputedStyle(at).overflow === "visible") continue;
      const cut = at.getBoundingClientRect();
      left = Math.max(left, cut.left); right = Math.min(right, cut.right);
      top = Math.max(top, cut.top); bottom = Math.min(bottom, cut.bottom);
    }
    return right - left > 2 && bottom - top > 2 ? { left, top, right, bottom } : null;
  };
  const isCut = (element, box) => {  // for good: not what scrolls, nor what ends in an ellipsis
    for (let at = element; at && at !== document.body; at = at.parentElement) {
      const { overflowX, textOverflow } = getComputedStyle(at);
      if (["auto", "scroll"].includes(overflowX) || textOverflow === "ellipsis") return false;
      if (overflowX !== "visible" && box.right > at.getBoundingClientRect().right + 2) return true;
    }
    return false;
  };
  const boxes = [];
  const add = (element, text, rectangles) => {
    for (const each of rectangles) {
      const seen = seenOf(element, each);
      if (seen) boxes.push({ ...seen, element, text, layer: layerOf(element) });
      if (seen && isCut(element, each)) faults.push(`"${text}" is cut off`);
    }
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.data.trim();
    const element = node.parentElement;
    if (!text || element.closest("option, script, style, textarea")) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    add(element, text, range.getClientRects());
  }
  for (const field of document.querySelectorAll("input:not([type=checkbox], [type=radio]), select, textarea"))
    if (field.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      add(field, `[${field.value}]`, [field.getBoundingClientRect()]);

  boxes.sort((one, other) => one.top - other.top);
  boxes.forEach((one, at) => {
    for (const other of boxes.slice(at + 1)) {
      if (other.top >= one.bottom) break;
      if (one.layer !== other.layer || one.element === other.element) continue;
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const height = Math.min(one.bottom, other.bottom) - other.top;
      const lower = Math.min(one.bottom - one.top, other.bottom - other.top);
      if (width > 3 && height > lower / 3) faults.push(`"${one.text}" over "${other.text}"`);
    }
  });
  return faults;
}
"""


def misfits(page: Page) -> list[str]:
    """Return the layout problems of a page, one sentence each."""
    found: list[str] = page.evaluate(_FIND)
    return found
