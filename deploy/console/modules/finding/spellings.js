/** How Spanish may write a word that was typed without its marks, or with them. Pure. */
/* eslint console/words: off -- letters, no words */
const ACUTE = { a: "á", e: "é", i: "í", o: "ó", u: "ú", A: "Á", E: "É", I: "Í", O: "Ó", U: "Ú" };
const VOWEL = /[aeiouáéíóúü]/i;

/** A text without marks and in small letters, to compare it by. */
export const plain = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/**
 * A word has one written accent at most, and an ñ stands before a vowel: what was typed without them is asked for with each of
 * them, what was typed with them also without.
 *
 * @param {string} word
 * @returns {string[]} the word itself first
 */
export function spellingsOf(word) {
  const typed = word.normalize("NFC");
  return [...new Set(accented(typed).flatMap(withEnye))];
}

function accented(word) {
  const letters = [...word];
  const unmarked = letters.map(withoutAccent).join("");
  if (unmarked !== word) return [word, unmarked];
  const put = (at, letter) => letters.with(at, letter).join("");
  const acute = letters.flatMap((letter, at) => (letter in ACUTE ? [put(at, ACUTE[letter])] : []));
  const diaeresis = [...word.matchAll(/g(u)[ei]/gi)].map(({ index }) => put(index + 1, letters[index + 1] === "U" ? "Ü" : "ü"));
  return [word, ...acute, ...diaeresis];
}

const withoutAccent = (letter) => (letter === "ñ" || letter === "Ñ" ? letter : letter.normalize("NFD").replace(/\p{M}/gu, ""));

function withEnye(word) {
  if (/ñ/i.test(word)) return [word, word.replaceAll("ñ", "n").replaceAll("Ñ", "N")];
  const letters = [...word];
  const places = letters.flatMap((letter, at) => (/n/i.test(letter) && VOWEL.test(letters[at + 1] ?? "") ? [at] : []));
  return [word, ...places.map((at) => letters.with(at, letters[at] === "n" ? "ñ" : "Ñ").join(""))];
}
