/** A pasted spreadsheet: what was typed, its preview, and saving it as a planning. */
import { hrefTo } from "../../addresses.js";
import { asProblem } from "../../api/problem.js";
import { createPlanning, previewPaste } from "../../api/returns.js";
import { say } from "../../components/toasts.js";
import { useForm } from "../../forms/form.js";
import { useEffect, useRef, useState } from "../../html.js";
import { goTo } from "../../router.js";
import { returns } from "../../session/returns-session.js";
import { t } from "../../texts.js";

const BLANK_PASTE = { whsCode: "", texto: "", formatoNumero: "auto", columnas: null };
const BLANK_HEADER = { indTraslado: "7" };

/** Another sheet has other columns. */
const changed = (paste, name, value) => ({ ...paste, ...(name === "texto" && { columnas: null }), [name]: value });

/** The preview of the latest paste. @param {(problem: any) => void} setProblem */
function usePreview(setProblem) {
  const [preview, setPreview] = useState(null);
  const [isLooking, setLooking] = useState(false);
  const requests = useRef(0);
  const hasFailed = useRef(false); // a failed preview changes nothing, so it can be repeated
  const look = async (paste) => {
    if (!paste.whsCode || !paste.texto.trim()) return;
    const number = ++requests.current;
    setLooking(true);
    setProblem(null);
    hasFailed.current = false;
    try {
      const found = await previewPaste(paste);
      if (number === requests.current) setPreview({ of: paste, found });
    } catch (error) {
      if (number === requests.current) setProblem(asProblem(error));
      hasFailed.current = true;
    }
    if (number === requests.current) setLooking(false);
  };
  return { preview, isLooking, look, hasFailed };
}

function planningFrom(preview, header, whsCode) {
  const lineas = preview.lineas.map(({ itemCode, cantidad, motivo, filas }) => ({ itemCode, cantidad, motivo: motivo ?? undefined, filas }));
  const cabecera = { ...Object.fromEntries(Object.entries(header).filter(([, value]) => value !== null)), whsCode };
  return { cabecera, lineas, huella: preview.huella };
}

export function usePaste() {
  const [paste, setPaste] = useState(BLANK_PASTE);
  const [header, setHeader] = useState(BLANK_HEADER);
  const [problem, setProblem] = useState(null);
  const [isSaving, setSaving] = useState(false);
  const { preview, isLooking, look, hasFailed } = usePreview(setProblem);
  const isHere = useRef(true);
  useEffect(() => () => void (isHere.current = false), []);
  const existing = problem?.code === "open_planning_exists" ? problem : null;
  const isTouched = paste.texto.trim() !== "" || header !== BLANK_HEADER;
  const form = useForm({
    service: returns, name: "new-planning", typed: { paste, header }, isTouched,
    isHeld: isTouched && !isSaving && !existing, // the dialog about the existing planning asks already
    restore: (typed) => {
      setPaste(typed.paste);
      setHeader(typed.header);
      look(typed.paste);
    },
    refusal: existing ? null : problem,
  });
  const save = async (permitirOtra) => {
    setSaving(true);
    setProblem(null);
    hasFailed.current = false;
    try {
      const made = await createPlanning({ ...planningFrom(preview.found, header, paste.whsCode), permitirOtra: permitirOtra || undefined });
      form.saved();
      if (isHere.current) goTo(hrefTo(["devoluciones", made.id]));
      say(t`Planificación ${made.numero} guardada.`);
    } catch (error) {
      setProblem(asProblem(error));
      setSaving(false);
    }
  };
  return {
    form, paste, header, preview, problem, existing, isLooking, isSaving, save,
    question: problem?.code === "columns_unknown" ? problem : null,
    isFresh: preview !== null && Object.keys(BLANK_PASTE).every((name) => preview.of[name] === paste[name]),
    mayRetry: hasFailed.current && problem?.status === 0,
    look: () => look(paste),
    change: (name) => (value) => setPaste((now) => changed(now, name, value)),
    changeAndLook: (name) => (value) => {
      const now = changed(paste, name, value);
      setPaste(now);
      look(now);
    },
    correct: (texto) => {
      const now = { ...paste, texto }; // its columns stay as they are
      setPaste(now);
      look(now);
    },
    changeHeader: (name, value) => setHeader((now) => ({ ...now, [name]: value })),
    forgetProblem: () => setProblem(null),
  };
}
