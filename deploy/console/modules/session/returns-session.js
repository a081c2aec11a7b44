/** The ERP user's session with supplier-returns: a cookie that no script can read. */
import { Problem } from "../api/problem.js";
import { sendForJson } from "../api/request.js";
import { createStore } from "../store.js";
import { askToSignIn } from "./renewals.js";

/** `{status: "unknown" | "out" | "in" | "trouble", user, company, problem}` */
export const returnsSession = createStore({ status: "unknown" });

export const returns = {
  base: "/devoluciones/api",
  credentials: () => ({}),
  signInAgain: (problem) => askToSignIn("returns", problem, returnsSession.get().user?.codigo ?? ""),
};

export async function startReturnsSession() {
  try {
    adopt(await sendForJson(returns, "GET", "/auth/me", { mayAsk: false }));
  } catch (problem) {
    returnsSession.set(problem.status === 401 ? { status: "out" } : { status: "trouble", problem });
  }
}

export async function signInToReturns(usuario, clave) {
  adopt(await sendForJson(returns, "POST", "/auth/login", { body: { usuario, clave }, mayAsk: false }));
}

export async function signOutOfReturns() {
  try {
    await sendForJson(returns, "POST", "/auth/logout", { mayAsk: false });
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
  }
  returnsSession.set({ status: "out" });
}

function adopt(answer) {
  returnsSession.set({ status: "in", user: answer.usuario, company: answer.empresa });
}
