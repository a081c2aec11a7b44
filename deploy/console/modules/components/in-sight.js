/** Scrolling to a message. */
import { useLayoutEffect, useRef } from "../html.js";

/** A box that comes into sight whenever what it tells is another: on a phone it may stand far below, or behind the bar. */
export function useInSight(told) {
  const box = useRef(null);
  useLayoutEffect(() => {
    if (told) box.current?.scrollIntoView({ block: "nearest" });
  }, [told]);
  return box;
}
