import { expect, test } from "vitest";
import { pace, type Seen, seen } from "./pace";

test("a rate is that of the last minute, and says nothing before it can", () => {
  let all: Seen[] = [];
  for (let second = 0; second <= 120; second += 2) all = seen(all, { at: second * 1000, looked: second <= 60 ? 0 : (second - 60) * 10 });
  expect(all.length).toBe(31);
  expect(pace(all)).toBe(10);
  expect(pace(all.slice(-2))).toBeNull();
  expect(pace([])).toBeNull();
  expect(pace([{ at: 0, looked: 5 }, { at: 10_000, looked: 5 }])).toBe(0);
});

test("a run that counts anew is seen anew", () => {
  expect(seen([{ at: 0, looked: 50 }], { at: 1_000, looked: 2 })).toEqual([{ at: 1_000, looked: 2 }]);
});
