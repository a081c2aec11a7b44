/**
 * The ERP user's session with supplier-returns: a cookie that no script can read, and that all tabs share.
 *
 * Whoever signs in or out in one tab does so in all of them: they tell each other, and look again when they come
 * to the front.
 */
import { Problem, asProblem } from "../api/problem.js";
import { sendForJson } from "../api/request.js";
import { showTimesIn } from "../formats.js";
import { dropDraftsOf } from "../forms/drafts.js";
import { ROOT, ownName } from "../root.js";
import { createStore } from "../store.js";
import { dropOpened } from "./opened.js";
import { openTabs } from "./open-tabs.js";
import { ownerOf } from "./owner.js";
import { askToSignIn, settleRenewal } from "./renewals.js";

/** @typedef {import("./gateway-session.js").Session} Session */
export const returnsSession = createStore(/** @type {Session} */ ({ status: "unknown" }));
const tabs = openTabs(ownName("consola.devoluciones"));
let isLeaving = false;

export const returns = {
  base: `${ROOT}devoluciones/api`,
  credentials: () => ({}),
  person: () => returnsSession.get().user?.codigo ?? "",
  owner: () => ownerOf(returns, returnsSession.get().company),
  signInAgain: (problem) => (isLeaving || returnsSession.get().status === "out" ? Promise.reject(problem) : askToSignIn("returns", problem, returns.person())),
};

const readMe = () => sendForJson(returns, "GET", "/auth/me", { mayAsk: false });

export async function startReturnsSession() {
  try {
    adopt(await readMe());
  } catch (error) {
    const problem = asProblem(error);
    returnsSession.set(problem.status === 401 ? { status: "out" } : { status: "trouble", problem });
  }
}

export async function signInToReturns(usuario, clave) {
  adopt(await sendForJson(returns, "POST", "/auth/login", { body: { usuario, clave }, mayAsk: false, isWrite: false }));
  tabs.postMessage("changed");
}

export async function signOutOfReturns() {
  isLeaving = true; // what is under way is answered 401 now, and nobody is to be asked for that
  try {
    await sendForJson(returns, "POST", "/auth/logout", { mayAsk: false });
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
  }
  dropDraftsOf(returns.owner());
  dropOpened(returns);
  returnsSession.set({ status: "out" });
  isLeaving = false;
  tabs.postMessage("changed");
}

/** Whose the cookie is now. What was on the page goes with its person, see `Guard`. */
async function lookAgain() {
  const before = returns.person();
  try {
    const answer = await readMe();
    if (answer.usuario.codigo !== before) adopt(answer);
    settleRenewal("returns", answer.usuario.codigo === before);
    return true;
  } catch (error) {
    return asProblem(error).status !== 401;
  }
}

tabs.addEventListener("message", async () => {
  if (await lookAgain()) return;
  returnsSession.set({ status: "out" });
  settleRenewal("returns", false);
});
document.addEventListener("visibilitychange", () => {
  // A session that ended by its age is asked for again over the page, once something is sent.
  if (document.visibilityState === "visible" && returnsSession.get().status === "in") lookAgain();
});

function adopt(answer) {
  showTimesIn(answer.zonaHoraria);
  returnsSession.set({ status: "in", user: answer.usuario, company: answer.empresa });
}
