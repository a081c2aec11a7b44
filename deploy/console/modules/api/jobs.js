/** Long exports: the gateway makes a PDF beside the request, tells how far it is, and keeps it for a while. */
import { gateway } from "../session/gateway-session.js";
import { readEvents } from "./events.js";
import { Problem } from "./problem.js";
import { segment, send, sendForFile, sendForJson } from "./request.js";
import { t } from "../texts.js";

/** The reason to abort with where a job is no longer followed and is to stay: whoever left finds it among the jobs. */
export const LEFT = new DOMException("The page was left.", "AbortError");

const MOST_LOST = 5; // lost streams in a row, after which the service is taken to be away
const PAUSE_MS = 1000;

const one = (id) => `/jobs/${segment(id)}`;

export const listJobs = async () => (await sendForJson(gateway, "GET", "/jobs")).items;
export const removeJob = (id) => sendForJson(gateway, "DELETE", one(id));
export const fetchResult = (id) => sendForFile(gateway, "GET", `${one(id)}/result`);

/**
 * Have a PDF made, follow it to its end and fetch it. What was fetched, failed or given up is not kept at the service any
 * longer; what could not be followed or fetched is found among the jobs.
 *
 * @param {string} path of the usual request
 * @param {object} body of the usual request
 * @param {object} [options]
 * @param {(progress: {done: number, total: number}) => void} [options.onProgress]
 * @param {AbortSignal} [options.signal] gives the job up, at the service too unless for `LEFT`; then the promise fails
 *   with an AbortError
 * @returns {Promise<{blob: Blob, name: string, headers: Headers}>}
 */
export async function makeByJob(path, body, { onProgress = () => {}, signal } = {}) {
  const job = await sendForJson(gateway, "POST", path, { body, headers: { Prefer: "respond-async" }, isWrite: false });
  const forget = () => removeJob(job.id).catch(() => {}); // it goes by itself after its time
  try {
    signal?.throwIfAborted();
    onProgress(job);
    await ended(job.id, onProgress, signal);
    const file = await fetchResult(job.id);
    signal?.throwIfAborted();
    forget();
    return file;
  } catch (error) {
    if (signal?.aborted ? signal.reason !== LEFT : error instanceof FailedJob) forget();
    throw error;
  }
}

/** The job itself came to nothing. */
class FailedJob extends Problem {}

const isLostLine = (error) => error instanceof Problem && ["no_connection", "stream_ended"].includes(error.code);

/** Listen until a job has ended. A stream that breaks off says nothing of the job, so it is listened to again. */
async function ended(id, onProgress, signal) {
  for (let lost = 0; ; ) {
    let last = null;
    try {
      const response = await send(gateway, "GET", one(id), { headers: { Accept: "text/event-stream" }, signal });
      for await (last of readEvents(response)) {
        lost = 0;
        if (last.event === "progreso") onProgress(last.data);
      }
    } catch (error) {
      if (error.name === "AbortError") throw error;
      if (error instanceof Problem && !isLostLine(error)) throw error;
    }
    signal?.throwIfAborted();
    if (last?.event === "resultado") return;
    // The end of the session ends the stream, and not the job: listening again asks to sign in.
    const isFailed = last?.event === "error" && last.data.code !== "session_expired";
    if (isFailed) throw new FailedJob({ ...last.data, body: last.data });
    if (++lost > MOST_LOST) throw new Problem({ code: "no_connection", detail: t`Se perdió la conexión. El PDF se sigue haciendo: búsquelo en Trabajos.` });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
