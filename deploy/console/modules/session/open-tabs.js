/** Messages between the open tabs; where the browser has none, or blocks them, each tab is by itself. */

const ALONE = { postMessage: () => {}, addEventListener: () => {}, removeEventListener: () => {} };

/**
 * @param {string} name
 * @returns {Pick<BroadcastChannel, "postMessage" | "addEventListener" | "removeEventListener">}
 */
export function openTabs(name) {
  try {
    return new BroadcastChannel(name);
  } catch {
    return ALONE;
  }
}
