/** Whose drafts are whose: a company and a person, as one of the services knows them. */

/** @param {{base: string, person: () => string}} service @param {string | undefined} company */
export const ownerOf = ({ base, person }, company) => JSON.stringify([base, company ?? "", person()]);
