/** The routes of supplier-returns that the console uses. */
import { readEvents } from "./events.js";
import { Problem } from "./problem.js";
import { readJson, segment, send, sendForFile, sendForJson, withQuery } from "./request.js";
import { returns } from "../session/returns-session.js";
import { t } from "../texts.js";

const PLANNINGS = "/planificaciones";
const one = (id) => `${PLANNINGS}/${segment(id)}`;
const get = (path) => sendForJson(returns, "GET", path);
const post = (path, body) => sendForJson(returns, "POST", path, { body });
const patch = (path, body) => sendForJson(returns, "PATCH", path, { body });

export const readCatalogues = () => get("/catalogos");
export const readMetadata = () => get("/metadata/status");
export const rebuildMetadata = (simular) => post("/metadata/rebuild", { simular });

export const listPlannings = (query) => get(withQuery(PLANNINGS, query));
export const readPlanning = (id) => get(one(id));
export const previewPaste = (paste) => sendForJson(returns, "POST", `${PLANNINGS}/pegar`, { body: paste, isWrite: false });
export const createPlanning = (planning) => post(PLANNINGS, planning);
export const changeHeader = (id, changes) => patch(`${one(id)}/cabecera`, changes);
export const changeLine = (id, lineId, changes) => patch(`${one(id)}/lineas/${segment(lineId)}`, changes);
export const addLines = (id, added) => post(`${one(id)}/lineas`, added);
export const planAgain = (id, version) => post(`${one(id)}/replanificar`, { version });
export const readLots = (id, lineId) => get(`${one(id)}/lineas/${segment(lineId)}/lotes`);
export const closePlanning = (id, motivo) => post(`${one(id)}/cerrar`, { motivo });
export const downloadShortages = (id) => sendForFile(returns, "GET", `${one(id)}/faltantes`);
export const downloadPdf = (id, wanted) => sendForFile(returns, "POST", `${one(id)}/pdf`, { body: wanted });

/**
 * Execute or reprocess, and tell of the progress.
 *
 * @param {"devoluciones" | "reprocesar"} what
 * @param {(progress: {hechos: number, total: number, documento: object | null}) => void} onProgress
 * @returns {Promise<object>} the planning
 */
export async function runPlanning(id, what, body, onProgress) {
  const response = await send(returns, "POST", `${one(id)}/${what}`, {
    body,
    headers: { Accept: "text/event-stream, application/json" },
  });
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) return readJson(response, true);
  let last = {};
  for await (last of readEvents(response)) {
    if (last.event === "progreso") onProgress(last.data);
  }
  if (last.event === "resultado") return last.data;
  if (last.event === "error") throw new Problem({ ...last.data, body: last.data });
  throw new Problem({ code: "stream_ended", detail: t`Se perdió la conexión; el trabajo sigue en el servidor.` });
}
