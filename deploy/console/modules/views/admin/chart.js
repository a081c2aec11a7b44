/** A small line over time, with its numbers in words for those who do not see it. */
import { html } from "../../html.js";
import { t } from "../../texts.js";

const WIDTH = 240;
const HEIGHT = 64;
const PAD = 3;

/** @param {{values: number[], title: string, unit: string}} props the newest value last */
export function Chart({ values, title, unit }) {
  const most = Math.max(1, ...values);
  const step = values.length > 1 ? WIDTH / (values.length - 1) : WIDTH;
  const y = (value) => HEIGHT - PAD - (value / most) * (HEIGHT - 2 * PAD);
  const points = (values.length > 1 ? values : [values[0] ?? 0, values[0] ?? 0]).map((value, at) => `${(at * step).toFixed(1)},${y(value).toFixed(1)}`);
  const last = values.at(-1) ?? 0;
  const words = t`${title}: ahora ${last} ${unit}, como máximo ${Math.max(0, ...values)} en las últimas ${values.length} lecturas`;
  return html`<svg class="chart" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label=${words}>
    <line class="floor" x1="0" x2=${WIDTH} y1=${HEIGHT - PAD} y2=${HEIGHT - PAD} />
    <polygon class="area" points=${`0,${HEIGHT - PAD} ${points.join(" ")} ${WIDTH},${HEIGHT - PAD}`} />
    <polyline class="trace" points=${points.join(" ")} />
  </svg>`;
}
