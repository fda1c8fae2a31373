import { expect, test } from "vitest";
import { DAY_S, isoDay, marked } from "./days";

test("days are those of UTC, and an axis ends with the last one", () => {
  const day = Date.UTC(2026, 10, 28) / 1000;
  expect([isoDay(day), isoDay(day + DAY_S - 1), isoDay(day - 1)]).toEqual(["2026-11-28", "2026-11-28", "2026-11-27"]);
  const days = Array.from({ length: 8 }, (_, index) => day + index * DAY_S);
  expect(marked(days, 7).map(isoDay)).toEqual(["2026-11-28", "2026-12-05"]);
  expect(marked(days, 1)).toEqual(days);
  expect(marked([], 2)).toEqual([]);
});
