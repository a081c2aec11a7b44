import assert from "node:assert/strict";
import { test } from "node:test";

import { number } from "../../../deploy/console/modules/formats.js";
import { numberText, readDigits, readNumber, sumsBy } from "../../../deploy/console/modules/numbers.js";

test("a number is read as people in Chile write it", () => {
  const written = { "1.234,567": 1234.567, "1.200.300": 1200300, "1200.50": 1200.5, "0,25": 0.25, "2,125": 2.125, " 7 ": 7, "-0": 0, "007": 7, "1.500": 1500, "10.000": 10000, "-2.050": -2050, "1.500,00": 1500, "0.250": 0.25, "1.5": 1.5 };
  for (const [text, value] of Object.entries(written)) assert.deepEqual(readNumber(text), { value }, text);
});

test("what may be either, what is no number and what the browser would round is refused with what to write", () => {
  const refused = {
    "1500.250": "Escriba 1500250 o 1500,25.",
    "-12345.000": "Escriba -12345000 o -12345.",
    "1.500.00": "Escriba un número.",
    "1,500.25": "Escriba un número.",
    "0.500.000": "Escriba un número.",
    "0x10": "Escriba un número.",
    "1e3": "Escriba un número.",
    "1.50.000": "Escriba un número.",
    "": "Escriba un número.",
    "12345678901234.123456": "Escriba un número con menos cifras.",
  };
  for (const [text, fault] of Object.entries(refused)) assert.deepEqual(readNumber(text), { fault }, text);
});

test("digits keep what a number would lose", () => {
  assert.deepEqual(readDigits("12345678901234567890,10"), { digits: "12345678901234567890.10" });
});

test("whatever is shown in an input reads back as the same number", () => {
  for (const value of [0, 0.1, -3, 1500, 1234.5, 0.000001, 98765432.25, 1e21]) {
    assert.deepEqual(readNumber(numberText(value)), { value }, String(value));
  }
});

test("whatever is shown anywhere reads back as the same number", () => {
  let seed = 20261128;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let round = 0; round < 5000; round++) {
    const places = Math.floor(random() * 7); // as many as are shown
    const whole = Math.floor(random() * 10 ** Math.floor(random() * (15 - places)));
    const value = Number(`${random() < 0.3 ? "-" : ""}${whole}.${String(Math.floor(random() * 10 ** places)).padStart(places, "0")}`) + 0;
    assert.deepEqual(readNumber(number(value)), { value }, number(value));
  }
  for (const value of [0, 999, 1000, 1500, 999999, 1000000, -1000, 1000.5, 0.001, 1.001, 1000.001]) assert.deepEqual(readNumber(number(value)), { value }, number(value));
});

test("what is counted alike is added up without a rest, and nothing else is", () => {
  const rows = [["UN", 0.1], ["UN", 0.2], ["CJ", 3], ["UN", null], ["KG", null], [null, 7], ["", -0.5], ["CLP", 600000000001], ["CLP", 0.000001]];
  const sums = sumsBy(rows, ([unit]) => unit, ([, value]) => value);
  assert.deepEqual(sums, [["UN", 0.3], ["CJ", 3], ["", -0.5], ["CLP", 600000000001]]);
  assert.deepEqual(sumsBy([], () => "", () => 1), []);
  assert.deepEqual(sumsBy([98765432109.87, 0.01, -0.5], () => "COP", (value) => value), [["COP", 98765432109.38]]);
});
