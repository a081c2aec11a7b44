/** The sign-in to the second service with the credentials of the first. */
import { html, useEffect } from "../../html.js";
import { DOORS, secondSignIn } from "../../session/doors.js";
import { useStore } from "../../store.js";
import { t } from "../../texts.js";
import { Note } from "../note.js";
import { Waiting } from "../waiting.js";

/** What the second service said to the name and password of the first: by itself, on whatever page one is. */
export function SecondSignIn() {
  const state = useStore(secondSignIn);
  const [returns, gateway] = [useStore(DOORS.returns.session), useStore(DOORS.gateway.session)];
  const isOver = returns.status === "in" || gateway.status === "out";
  useEffect(() => {
    if (state?.problem && isOver) secondSignIn.set(null);
  }, [state, isOver]);
  if (!state) return null;
  if (state.isTrying) return html`<${Waiting} low>${t`Entrando en ${DOORS.returns.title}…`}<//>`;
  return html`<${Note} kind="warn" live title=${t`En ${DOORS.returns.title} no se entró`}>
    <p>${t`${state.problem.detail} No se volverá a probar con esa contraseña.`}</p>
    <div class="actions"><button type="button" class="small" onClick=${() => secondSignIn.set(null)}>${t`Entendido`}</button></div>
  <//>`;
}
