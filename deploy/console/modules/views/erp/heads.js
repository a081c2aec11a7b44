/** What a record is called. */
export const oneOf = (resource) => resource.singular ?? resource.title ?? resource.name;

/** What a record's page is called: a partner by its name, all else by what people know it by. */
export function headOf(resource, record, key) {
  const known = `${oneOf(resource)} ${record[resource.columns[0]?.name] ?? key}`;
  const isPartner = resource.key.length === 1 && resource.key[0].name === "CardCode" && record.CardName;
  return isPartner ? { title: record.CardName, about: known } : { title: known, about: undefined };
}
