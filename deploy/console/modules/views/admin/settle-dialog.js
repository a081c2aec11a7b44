/** Settling a write whose outcome is unknown. */
import { settleWrite } from "../../api/gateway.js";
import { asProblem } from "../../api/problem.js";
import { Dialog } from "../../components/dialog.js";
import { SelectField, TextField } from "../../components/fields.js";
import { Note } from "../../components/note.js";
import { ProblemNote } from "../../components/problem-note.js";
import { useForm } from "../../forms/form.js";
import { html, useState } from "../../html.js";
import { gateway } from "../../session/gateway-session.js";
import { t } from "../../texts.js";
import { SentAndFound } from "./sent-and-found.js";

export function SettleDialog({ write, onClose, onDone }) {
  const [result, setResult] = useState("");
  const [key, setKey] = useState("");
  const [state, setState] = useState({ isBusy: false, problem: null });
  const settle = async () => {
    setState({ isBusy: true, problem: null });
    try {
      await settleWrite(write.id, result, key.trim());
      end(t`Quedó anotado.`);
    } catch (error) {
      const problem = asProblem(error);
      if (problem.code === "write_not_unknown") end(problem.detail);
      else setState({ isBusy: false, problem });
    }
  };
  const isTouched = result !== "" || key !== "";
  const form = useForm({
    service: gateway, name: `aclarar/${write.id}`, typed: { result, key }, isTouched, isHeld: isTouched && !state.isBusy,
    restore: (typed) => {
      setResult(typed.result);
      setKey(typed.key);
    },
    refusal: state.problem,
  });
  const end = (text) => {
    form.saved();
    onDone(text);
  };
  const close = () => form.leave(onClose);
  return html`<${Dialog} form=${form} title=${t`Aclarar qué fue de esta operación`} large onClose=${close} onSubmit=${settle} foot=${html`
      <button type="button" onClick=${close}>${t`Cancelar`}</button><button type="submit" class="main" disabled=${state.isBusy}>${t`Anotar`}</button>`}>
    <${SentAndFound} write=${write} />
    ${write.changeSet && html`<${Note} kind="warn"><p>${t`Se envió junto con otras operaciones, y el ERP las hace todas o ninguna: lo que se anote vale para todo el conjunto.`}</p><//>`}
    <p class="small muted">${t`Lo que se anota queda en la auditoría con su nombre.`}</p>
    <${SelectField} label=${t`Qué se vio`} value=${result} onInput=${setResult} needed empty=${t`Elija`} options=${[{ value: "done", label: t`Está hecha` }, { value: "not_done", label: t`No se hizo` }]} />
    ${result === "done" && write.kind === "create" && html`<${TextField} label=${t`Clave del registro creado`} value=${key} onInput=${setKey} hint=${t`Si se conoce: el código o el número interno, no el número del documento.`} fault=${state.problem?.of("key")} />`}
    <${ProblemNote} problem=${state.problem} />
  <//>`;
}
