import assert from "node:assert/strict";
import { test } from "node:test";

import { clock, day, exactMoment, moment, showTimesIn, today } from "../../../deploy/console/modules/formats.js";

const NIGHT = "2026-03-02T02:30:05Z";

test("times are the company's, in 24 hours, and its day is that of its clocks", () => {
  showTimesIn("America/Santiago");
  assert.equal(moment(NIGHT), "01-03-2026, 23:30");
  assert.equal(exactMoment(NIGHT), "01-03-2026, 23:30:05");
  assert.equal(clock(Date.parse(NIGHT)), "23:30:05");
  assert.equal(today(Date.parse(NIGHT)), "2026-03-01");
  showTimesIn("Asia/Tokyo");
  assert.equal(moment(NIGHT), "02-03-2026, 11:30");
});

test("a day has no zone, and a zone that nobody knows changes nothing", () => {
  showTimesIn("Asia/Tokyo");
  showTimesIn("Marte/Olympus");
  showTimesIn(undefined);
  assert.equal(day("2026-03-31"), "31-03-2026");
  assert.equal(moment(NIGHT), "02-03-2026, 11:30");
});
