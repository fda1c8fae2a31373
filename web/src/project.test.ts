import { expect, test } from "vitest";
import { lookedAt } from "./project";

test("a project that the person is not in gives way to the primary one, and else to any", () => {
  const [a, b] = [{ uuid: "a", primary: false }, { uuid: "b", primary: true }];
  expect(lookedAt([a, b], "a")).toBe(a);
  expect(lookedAt([a, b], null)).toBe(b);
  expect(lookedAt([a, b], "somebody else's")).toBe(b);
  expect(lookedAt([a], "somebody else's")).toBe(a);
  expect(lookedAt([], "somebody else's")).toBeUndefined();
});
