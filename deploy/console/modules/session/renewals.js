/** Who waits for somebody to sign in again, and for which service. One dialog each, however many requests wait. */
import { createStore } from "../store.js";

/** @type {ReturnType<typeof createStore>} of `{name, problem, user, settle}` or null */
export const renewal = createStore(null);
const waiting = new Map();

/** Ask for a sign-in and wait for it; rejects with the refusal when the person turns away. */
export function askToSignIn(name, problem, user) {
  if (!waiting.has(name)) {
    const asked = whenFree().then(
      () =>
        new Promise((resolve, reject) => {
          renewal.set({
            name,
            problem,
            user,
            settle(signedIn) {
              renewal.set(null);
              waiting.delete(name);
              if (signedIn) resolve();
              else reject(problem);
            },
          });
        }),
    );
    waiting.set(name, asked);
  }
  return waiting.get(name);
}

function whenFree() {
  if (!renewal.get()) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = renewal.subscribe((now) => {
      if (!now) {
        stop();
        queueMicrotask(resolve);
      }
    });
  });
}
