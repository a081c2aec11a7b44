/** Rows as text that a spreadsheet takes when it is pasted. Pure. */
const FORMULA = /^[=+@]|^-(?![\d.,]+$)/;

const cellText = (text) => {
  const plain = FORMULA.test(text) ? `'${text}` : text;
  return /[\t\n\r"]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

/** @param {string[][]} rows texts; what begins like a formula is made a text */
export const tsv = (rows) => rows.map((cells) => cells.map((text) => cellText(text.trim())).join("\t")).join("\r\n");
