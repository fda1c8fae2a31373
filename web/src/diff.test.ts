import { expect, test } from "vitest";
import { differences } from "./diff";

test("members that differ are told, lists by what came and went", () => {
  const before = { a: 1, b: { c: "x", d: null }, e: [1, 2, 3], f: [{ g: 1 }], same: [1] };
  const after = { a: 2, b: { c: "x", d: undefined, n: true }, e: [3, 4, 1], f: [{ g: 1 }], same: [1] };
  expect(differences(before, after)).toEqual([
    { path: "a", before: 1, after: 2 },
    { path: "b.n", before: undefined, after: true },
    { path: "e", before: [2], after: [4] },
  ]);
  expect(differences(before, before)).toEqual([]);
  expect(differences([2, 1], [1, 2])).toEqual([]);
});
