/** Server-sent events out of the answer to a POST, which EventSource cannot send. */

import { received } from "./problem.js";
import { t } from "../texts.js";

/** @returns {AsyncGenerator<{event: string, data: any}>} */
export async function* readEvents(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await received(reader.read(), "stream_ended", t`Se perdió la conexión; el trabajo sigue en el servidor.`);
    if (done) return;
    const blocks = (waiting + value).split("\n\n");
    waiting = blocks.pop();
    for (const block of blocks) {
      const told = readBlock(block);
      if (told) yield told;
    }
  }
}

function readBlock(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    if (line.startsWith("data:")) data.push(line.slice(5).trim());
  }
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}
