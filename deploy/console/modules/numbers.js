/** Numbers as people in Chile write them: a comma before the decimals, dots between thousands. Pure. */
const BARE = /^-?\d+([.,]\d+)?$/;
const GROUPED = /^-?[1-9]\d{0,2}((\.\d{3})+,\d+|(\.\d{3}){2,})$/;
const EITHER = /^-?[1-9]\d*\.\d{3}$/; // thousands as they are shown here, or decimals as programs write them
const PLAIN = new Intl.NumberFormat("en-US", { useGrouping: false, maximumFractionDigits: 20 });
const NO_NUMBER = { fault: "Escriba un número." };

/** A number with all its digits, as requests write it. */
const plain = (value) => PLAIN.format(value);
const bare = (digits) => digits.replace(/^(-?)0+(?=\d)/, "$1").replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "").replace(/^-0$/, "0");

/** A number in an input, so that it reads back as the same one; given as one or as the services write it. */
export const numberText = (value) => (typeof value === "number" ? plain(value) : String(value)).replace(".", ",");

/** @returns {{digits?: string, fault?: string}} what was typed, with a dot before its decimals */
export function readDigits(text) {
  const typed = String(text).trim();
  if (EITHER.test(typed)) return { fault: `Escriba ${typed.replace(".", "")} o ${bare(typed).replace(".", ",")}.` };
  if (GROUPED.test(typed)) return { digits: typed.replaceAll(".", "").replace(",", ".") };
  return BARE.test(typed) ? { digits: typed.replace(",", ".") } : NO_NUMBER;
}

/** @returns {{value?: number, fault?: string}} what was typed, unless the browser would have to round it */
export function readNumber(text) {
  const { digits, fault } = readDigits(text);
  if (fault) return { fault };
  const value = Number(digits) + 0; // no -0
  return plain(value) === bare(digits) ? { value } : { fault: "Escriba un número con menos cifras." };
}
