/** The two services that one signs in to, told apart by name. */
import { gateway, gatewaySession, signInToGateway, signOutOfGateway, startGatewaySession } from "./gateway-session.js";
import { returns, returnsSession, signInToReturns, signOutOfReturns, startReturnsSession } from "./returns-session.js";

export const DOORS = {
  gateway: {
    name: "gateway",
    title: "Pasarela del ERP",
    about: "Registros, informes y administración. Con su usuario web.",
    userLabel: "Usuario web",
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
    title: "Devoluciones a proveedores",
    about: "Planificar y ejecutar devoluciones. Con su usuario del ERP.",
    userLabel: "Usuario del ERP",
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
