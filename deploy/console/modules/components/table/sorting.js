/** Sorting the rows of a table in the page, where no service sorts them. */
/** What a column is sorted by: as whoever reads the rows calls it, or here by its values. */
export const sortKeyOf = (column, isToldElsewhere) => (isToldElsewhere ? column.sortKey : column.value && column.key);

/** Rows by the values of one column; those without any come last. */
export function sorted(rows, columns, sort) {
  const value = sort && columns.find((column) => column.key === sort.key)?.value;
  if (!value) return rows;
  const isNothing = (each) => each === null || each === undefined || each === "";
  const compare = (one, other) => (typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other), "es", { numeric: true }));
  return [...rows].sort((first, second) => {
    const [one, other] = [value(first), value(second)];
    if (isNothing(one) || isNothing(other)) return Number(isNothing(one)) - Number(isNothing(other));
    return sort.down ? compare(other, one) : compare(one, other);
  });
}
