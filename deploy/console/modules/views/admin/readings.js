/** Readings of the state of the system, repeated while someone looks. */
import { listWrites, readSystem } from "../../api/gateway.js";
import { asProblem } from "../../api/problem.js";
import { useEffect, useRef, useState } from "../../html.js";
import { readNames } from "../erp/names.js";
import { LAST_WRITES } from "./system-now.js";

export const EVERY_MS = 5000;
const KEPT = 60;
const REST_AFTER_MS = 10 * 60 * 1000;

/**
 * The readings so far, the newest last. Nothing is read while the page is hidden, nor when nobody has touched it for
 * long: each reading counts as use of the session, which would never end.
 */
export function useReadings() {
  const [state, setState] = useState({ readings: [], writes: [], names: undefined, problem: null, at: null, isResting: false });
  const isReading = useRef(false);
  useEffect(() => {
    let isOpen = true;
    let touched = Date.now();
    const touch = () => {
      touched = Date.now();
    };
    const kinds = ["pointermove", "pointerdown", "keydown", "visibilitychange"];
    for (const kind of kinds) addEventListener(kind, touch, { passive: true });
    const look = async () => {
      const isResting = Date.now() - touched > REST_AFTER_MS;
      setState((now) => (now.isResting === isResting ? now : { ...now, isResting }));
      if (document.hidden || isResting || isReading.current) return;
      isReading.current = true;
      try {
        const [reading, writes, names] = await Promise.all([readSystem(), listWrites({ pageSize: LAST_WRITES }), readNames()]);
        if (isOpen) setState((now) => ({ ...now, names, readings: [...now.readings, reading].slice(-KEPT), writes: writes.items, problem: null, at: new Date() }));
      } catch (error) {
        if (isOpen) setState((now) => ({ ...now, problem: asProblem(error) }));
      }
      isReading.current = false;
    };
    look();
    const timer = setInterval(look, EVERY_MS);
    return () => {
      isOpen = false;
      clearInterval(timer);
      for (const kind of kinds) removeEventListener(kind, touch);
    };
  }, []);
  return state;
}
