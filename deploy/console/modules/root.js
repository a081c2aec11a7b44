/** Where the origin's paths begin: `/`, or `/norte/` where several companies share one origin. */
export const ROOT = new URL("../..", import.meta.url).pathname;

/** A name in storage, or between tabs, that no other company's console on this origin has. */
export const ownName = (name) => name + ROOT.slice(0, -1);
