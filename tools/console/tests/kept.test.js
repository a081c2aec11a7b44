import assert from "node:assert/strict";
import { test } from "node:test";

import { endsWithPage, openStore } from "../../../deploy/console/modules/kept.js";
import { openTabs } from "../../../deploy/console/modules/session/open-tabs.js";

const blocked = () => {
  throw new DOMException("blocked", "SecurityError");
};

for (const [what, find] of Object.entries({ blocked, missing: () => null, "blocked when it is read": () => ({ getItem: blocked }) })) {
  test(`a store that is ${what} is one of the page`, () => {
    const store = openStore(find);
    store.setItem("a", 1);
    store.setItem("b", "two");
    assert.deepEqual([store.getItem("a"), store.getItem("c"), store.length, store.key(1), store.key(2)], ["1", null, 2, "b", null]);
    store.removeItem("a");
    assert.deepEqual([store.getItem("a"), store.length, endsWithPage(store)], [null, 1, true]);
  });
}

test("a store of the browser is taken as it is", () => {
  const own = { getItem: () => null };
  assert.equal(openStore(() => own), own);
  assert.equal(endsWithPage(own), false);
});

test("without channels a tab is by itself", () => {
  const { BroadcastChannel } = globalThis;
  try {
    for (const each of [undefined, class { constructor() { blocked(); } }]) {
      globalThis.BroadcastChannel = each;
      const tabs = openTabs("any");
      tabs.addEventListener("message", assert.fail);
      tabs.postMessage("nobody hears this");
      tabs.removeEventListener("message", assert.fail);
    }
  } finally {
    globalThis.BroadcastChannel = BroadcastChannel;
  }
});
