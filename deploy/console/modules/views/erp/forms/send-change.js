/** Sending a change over the version that was read. */
import { readHistory } from "../../../api/gateway.js";
import { Problem } from "../../../api/problem.js";
import { changeRecord, readRecord } from "../../../api/records.js";
import { t } from "../../../texts.js";

const LATEST = 10; // audit records to search for the last one that succeeded

/**
 * @param {any} resource
 * @param {string} key
 * @param {{changes: any, replaces: boolean, resizes: boolean}} change
 * @param {{etag: string | null, idempotencyKey: string}} options `etag` of the version that the change is made over
 * @returns {Promise<any>} null once it is made; the record as it is now where another change came first
 * @throws {Problem}
 */
export async function sendChange(resource, key, { changes, replaces, resizes }, { etag, idempotencyKey }) {
  if (resizes && !etag) throw new Problem({ code: "no_version", detail: t`No se sabe qué versión del registro es; así no se quitan ni se añaden líneas.` });
  try {
    await changeRecord(resource.name, key, changes, { etag: resource.etag ? etag : null, idempotencyKey, replaces });
    return null;
  } catch (error) {
    if (error.status !== 412) throw error;
    const last = readHistory(resource.name, key, { pageSize: LATEST }).then(({ items }) => items.find(({ result }) => result === "ok"), () => null);
    const [now, lastDone] = await Promise.all([readRecord(resource.name, key), last]);
    return { ...now, lastDone };
  }
}
