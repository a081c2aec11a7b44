/** What is asked for as a file for a spreadsheet: the service makes it, the browser keeps it. */
import { asProblem } from "../api/problem.js";
import { html, useState } from "../html.js";
import { t } from "../texts.js";
import { say } from "./toasts.js";

const FORMATS = [["csv", "CSV"], ["xlsx", t`Excel`]];
const KEPT_MS = 60_000; // until then the browser has taken it

/**
 * @param {object} props
 * @param {{make: (format: string) => Promise<{blob: Blob, name: string}>, name?: string, formats?: string[]}[]} props.files
 *   what there is, and in which formats where that is not both
 * @param {(problem: object | null) => void} props.onProblem what became of the last wish; null when it begins
 */
export function ExportButtons({ files, onProblem }) {
  const [busy, setBusy] = useState(null);
  const keep = async (button, make, format) => {
    setBusy(button);
    onProblem(null);
    try {
      save(await make(format));
    } catch (error) {
      onProblem(asProblem(error));
    }
    setBusy(null);
  };
  return files.flatMap(({ make, name, formats }) => FORMATS.filter(([format]) => !formats || formats.includes(format)).map(([format, word]) => {
    const button = name ? `${word}: ${name}` : word;
    return html`<button type="button" key=${button} class="small" disabled=${busy !== null} aria-label=${t`Descargar en ${button}`}
      onClick=${() => keep(button, make, format)}>${busy === button && html`<span class="busy"></span>`}${button}</button>`;
  }));
}

/** Have the browser keep a file. */
export function save({ blob, name }) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), KEPT_MS);
  say(t`Se descargó ${name}.`);
}
