import { expect, test } from "vitest";
import { highlighted } from "./highlight";

const marks = (text: string, facts: unknown) => highlighted(text, facts).map((one) => (one.marked ? `[${one.text}]` : one.text)).join("");

test("the facts of a proof are marked where its sentence says them, the longest first", () => {
  const facts = { site: "https://a.test:443", paths: ["/.env"], note: "a", nested: { days: 12 } };
  expect(marks('https://a.test:443 serves "/.env" for 12 days.', facts)).toBe('[https://a.test:443] serves "[/.env]" for [12] days.');
  expect(marks("nothing of it", { site: "b.test" })).toBe("nothing of it");
  expect(marks("b.test.b.test", { one: "b.test", two: "b.test.b" })).toBe("[b.test.b].test");
  expect(marks("", null)).toBe("");
});
