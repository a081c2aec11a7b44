/** Bars on each other. Pure. */

/**
 * The bars of each category on each other: those above zero upwards, those below it downwards.
 *
 * @param {{values: (number | null)[]}[]} series
 * @returns {{from: number, to: number}[][]} by series and category
 */
export function stacked(series) {
  const [ups, downs] = [[], []];
  return series.map(({ values }) => values.map((value, at) => {
    const side = (value ?? 0) < 0 ? downs : ups;
    const from = side[at] ?? 0;
    side[at] = from + (value ?? 0);
    return { from, to: side[at] };
  }));
}
