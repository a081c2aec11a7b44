/**
 * The web user's session with the gateway.
 *
 * The token lies in `sessionStorage`, so it ends with the tab; a new tab asks the open ones for it. A user has one
 * valid token: a new sign-in here is told to the other tabs, so that they go on with it.
 */
import { Problem, asProblem } from "../api/problem.js";
import { sendForJson } from "../api/request.js";
import { showTimesIn } from "../formats.js";
import { dropDraftsOf } from "../forms/drafts.js";
import { tabStore } from "../kept.js";
import { ROOT, ownName } from "../root.js";
import { createStore } from "../store.js";
import { dropOpened } from "./opened.js";
import { openTabs } from "./open-tabs.js";
import { ownerOf } from "./owner.js";
import { askToSignIn, settleRenewal } from "./renewals.js";

const KEY = ownName("consola.pasarela");
const TABS_ANSWER_WITHIN_MS = 250;

/** @typedef {{status: "unknown" | "out" | "in" | "trouble", user?: any, company?: any, problem?: Problem}} Session */

export const gatewaySession = createStore(/** @type {Session} */ ({ status: "unknown" }));
const tabs = openTabs(KEY);
let held = readHeld();
let isLeaving = false;
showTimesIn(held?.company?.timezone);

export const gateway = {
  base: `${ROOT}api`,
  credentials: () => (held ? { Authorization: `Bearer ${held.token}` } : {}),
  person: () => gatewaySession.get().user?.webUser ?? "",
  owner: () => ownerOf(gateway, gatewaySession.get().company?.database),
  signInAgain: (problem) => (isLeaving || gatewaySession.get().status === "out" ? Promise.reject(problem) : askToSignIn("gateway", problem, gateway.person())),
};

export async function startGatewaySession() {
  if (!held) hold(await askOtherTabs());
  if (!held) return gatewaySession.set({ status: "out" });
  try {
    const user = await sendForJson(gateway, "GET", "/auth/me", { mayAsk: false });
    gatewaySession.set({ status: "in", user, company: held.company });
  } catch (error) {
    const problem = asProblem(error);
    if (problem.status === 401) forget();
    else gatewaySession.set({ status: "trouble", problem });
  }
}

export async function signInToGateway(username, password) {
  const anonymous = { ...gateway, credentials: () => ({}) };
  const answer = await sendForJson(anonymous, "POST", "/auth/login", { body: { username, password }, mayAsk: false, isWrite: false });
  hold({ token: answer.token, company: answer.company });
  gatewaySession.set({ status: "in", user: answer.user, company: answer.company });
  tabs.postMessage({ kind: "session", held, user: answer.user });
}

export async function signOutOfGateway() {
  isLeaving = true; // what is under way is answered 401 now, and nobody is to be asked for that
  try {
    await sendForJson(gateway, "POST", "/auth/logout", { mayAsk: false });
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem; // the token is forgotten here in any case
  }
  tabs.postMessage({ kind: "signed-out", webUser: gatewaySession.get().user?.webUser });
  dropDraftsOf(gateway.owner());
  dropOpened(gateway);
  forget();
  isLeaving = false;
}

function hold(next) {
  held = next;
  showTimesIn(next?.company?.timezone);
  try {
    if (next) tabStore.setItem(KEY, JSON.stringify(next));
    else tabStore.removeItem(KEY);
  } catch {
    // no room: the session ends when the page is loaded anew
  }
}

function forget() {
  hold(null);
  gatewaySession.set({ status: "out" });
}

function readHeld() {
  try {
    return JSON.parse(tabStore.getItem(KEY));
  } catch {
    return null;
  }
}

function askOtherTabs() {
  return new Promise((resolve) => {
    const timer = setTimeout(() => finish(null), TABS_ANSWER_WITHIN_MS);
    const finish = (answer) => {
      clearTimeout(timer);
      tabs.removeEventListener("message", listen);
      resolve(answer);
    };
    const listen = ({ data }) => data.kind === "session" && finish(data.held);
    tabs.addEventListener("message", listen);
    tabs.postMessage({ kind: "who-is-in" });
  });
}

tabs.addEventListener("message", ({ data }) => {
  const now = gatewaySession.get();
  if (data.kind === "who-is-in" && now.status === "in") {
    tabs.postMessage({ kind: "session", held, user: now.user });
  }
  if (data.kind === "session" && now.status === "in" && data.user.webUser === now.user.webUser) {
    hold(data.held); // signed in anew in another tab: the token held here is worth nothing any more
    settleRenewal("gateway", true);
  }
  if (data.kind === "signed-out" && now.status === "in" && data.webUser === now.user.webUser) {
    dropDraftsOf(gateway.owner());
    dropOpened(gateway);
    forget();
    settleRenewal("gateway", false);
  }
});
