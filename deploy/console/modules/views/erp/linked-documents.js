/** The documents that the lines of a record name. */

/**
 * The documents that the lines of a record name, each once.
 *
 * @param {{resource: string, number: number | null}[]} documents what the numbers stand for
 * @returns {{way: string, resource: string, entry: number}[]}
 */
export function flowOf(record, documents) {
  const lines = Object.values(record).filter(Array.isArray).flat().filter((line) => line !== null && typeof line === "object");
  const found = ["Base", "Target"].flatMap((way) => lines.map((line) => ({ way, number: line[`${way}Type`], entry: line[`${way}Entry`] })));
  const named = found.filter(({ entry }) => Number.isInteger(entry)).map(({ way, number, entry }) => ({ way, entry, resource: documents.find((each) => each.number === number)?.resource }));
  const seen = new Map(named.filter(({ resource }) => resource).map((each) => [JSON.stringify(each), each]));
  return [...seen.values()];
}
