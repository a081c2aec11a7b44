/** Who waits for somebody to sign in again, and for which service. One dialog each, however many requests wait. */
import { createStore } from "../store.js";

/** @typedef {{name: string, problem: Error, user: string, settle: (signedIn: boolean) => void}} Renewal */

export const renewal = createStore(/** @type {Renewal | null} */ (null));
const waiting = new Map();

/** Ask for a sign-in and wait for it; rejects with the refusal when the person turns away. */
export function askToSignIn(name, problem, user) {
  if (!waiting.has(name)) {
    const asked = whenFree().then(
      () =>
        new Promise((resolve, reject) => {
          const asked = { name, problem, user, settle };
          function settle(signedIn) {
            if (renewal.get() !== asked) return;
            renewal.set(null);
            waiting.delete(name);
            if (signedIn) resolve();
            else reject(problem);
          }
          renewal.set(asked);
        }),
    );
    waiting.set(name, asked);
  }
  return waiting.get(name);
}

/** Nobody has to be asked any more: somebody signed in, or out, in another tab. */
export function settleRenewal(name, signedIn) {
  if (renewal.get()?.name === name) renewal.get().settle(signedIn);
}

function whenFree() {
  if (!renewal.get()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = renewal.subscribe((now) => {
      if (!now) {
        stop();
        queueMicrotask(() => resolve());
      }
    });
  });
}
