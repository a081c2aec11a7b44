/** The two services that one signs in to, told apart by name. */
import { asProblem } from "../api/problem.js";
import { createStore } from "../store.js";
import { t } from "../texts.js";
import { gateway, gatewaySession, signInToGateway, signOutOfGateway, startGatewaySession } from "./gateway-session.js";
import { returns, returnsSession, signInToReturns, signOutOfReturns, startReturnsSession } from "./returns-session.js";

export const DOORS = {
  gateway: {
    name: "gateway",
    title: t`Pasarela del ERP`,
    purpose: t`Registros, informes y administración`,
    userLabel: t`Usuario web`,
    session: gatewaySession,
    start: startGatewaySession,
    signIn: signInToGateway,
    signOut: signOutOfGateway,
    service: gateway,
    personOf: ({ user, company }) => ({ name: user.fullName || user.webUser, company: company?.name ?? company?.database }),
    userPath: "username",
    passwordPath: "password",
  },
  returns: {
    name: "returns",
    title: t`Devoluciones a proveedores`,
    purpose: t`Devoluciones a proveedores`,
    userLabel: t`Usuario del ERP`,
    session: returnsSession,
    start: startReturnsSession,
    signIn: signInToReturns,
    signOut: signOutOfReturns,
    service: returns,
    personOf: ({ user, company }) => ({ name: user.nombre || user.codigo, company }),
    userPath: "usuario",
    passwordPath: "clave",
  },
};

/** What becomes of the one try at the second service: `{isTrying}` or `{problem}`; null where there is nothing to tell. */
export const secondSignIn = createStore(/** @type {{isTrying: boolean, problem?: import("../api/problem.js").Problem} | null} */ (null));

/**
 * Sign in to both with one name and password: at returns only once the gateway has accepted them, one time, since refused
 * sign-ins lock users of the ERP. The gateway's refusal is thrown, that of returns is told in `secondSignIn`.
 */
export async function signInToBoth(user, password) {
  await DOORS.gateway.signIn(user, password);
  const person = gateway.person();
  secondSignIn.set({ isTrying: true });
  try {
    await DOORS.returns.signIn(user, password);
    if (gateway.person() !== person) await DOORS.returns.signOut(); // they have left meanwhile
    secondSignIn.set(null);
  } catch (error) {
    secondSignIn.set({ isTrying: false, problem: asProblem(error) });
  }
}
