/** Values of a planning's header. Pure. */
/** The fields that this installation asks for and those that have an answer: [label, answer in words or null]. */
export function answersOf(catalogues, header) {
  const asked = catalogues?.camposDevolucion ?? [];
  const answers = header.camposDevolucion ?? {};
  const names = new Set([...asked.map(({ nombre }) => nombre), ...Object.keys(answers)]);
  return [...names].map((name) => {
    const field = asked.find(({ nombre }) => nombre === name);
    const answer = answers[name] ?? null;
    return [field?.etiqueta ?? name, field?.valores.find(({ codigo }) => codigo === answer)?.nombre ?? answer];
  });
}

/** The labels of what has to be filled in before anything is returned, and is not. */
export function lackingIn(catalogues, header) {
  const required = (catalogues?.camposDevolucion ?? []).filter(({ obligatorio }) => obligatorio);
  return required.filter(({ nombre }) => !header.camposDevolucion?.[nombre]).map(({ etiqueta }) => etiqueta);
}

/** What of the header differs from before, with null for what was emptied. */
export function changesOf(before, now) {
  const text = (value) => JSON.stringify(value ?? null);
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => text(value) !== text(before[name])));
}
