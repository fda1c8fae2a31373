import { expect, test } from "vitest";
import { titled } from "./title";

test("a page is called by its name and the program's", () => {
  expect([titled("Triage"), titled(""), titled(undefined)]).toEqual(["Triage · Ambit", "Ambit", "Ambit"]);
  expect(titled("a\u202eb")).toBe("a‹U+202E›b · Ambit");
  expect(titled("x".repeat(500))).toHaveLength(120 + "… · Ambit".length);
});
