import { expect, test } from "vitest";
import { has, terms, toggled, without } from "./search";

test("a search string is terms with their keywords", () => {
  expect(terms('type:!uri tag:"to \\"do\\"" shop name:https://a.test:443')).toEqual([
    { keyword: "type", value: "uri", not: true },
    { keyword: "tag", value: 'to "do"', not: false },
    { keyword: "", value: "shop", not: false },
    { keyword: "name", value: "https://a.test:443", not: false },
  ]);
  expect(terms("")).toEqual([]);
  expect(terms('tag:"open')).toEqual([{ keyword: "tag", value: "open", not: false }]);
});

test("a moment that a program printed with blanks is one term", () => {
  const read = (search: string) => terms(search).map(({ keyword, value }) => `${keyword}=${value}`);
  for (const moment of [
    "2025-08-01 12:30",
    "2025-08-01 12:30:00.250",
    "2025-08-01 12:30:00 UTC",
    "2025-08-01 14:30:00+02:00",
    "2025-08-01 14:30:00 02:00",
  ]) {
    expect(read(`last_seen_after:${moment} severity:1`)).toEqual([`last_seen_after=${moment}`, "severity=1"]);
  }
  for (const word of ["12", "25:00:00", '"12:30:00"', "0200", "12:30:00UTC"]) {
    expect(terms(`last_seen_after:2025-08-01 ${word}`).length).toBe(2);
  }
  expect(read("last_seen_after:2025-08-01 12:30:00Z UTC")).toEqual(["last_seen_after=2025-08-01 12:30:00Z", "=UTC"]);
  expect(read('last_seen_after:"2025-08-01" 12:30').length).toBe(2);
  expect(read("name:2025-08-01 12:30").length).toBe(2);
  expect(without("last_seen_after:2025-08-01 12:30 severity:1", ["severity"])).toBe('last_seen_after:"2025-08-01 12:30"');
});

test("a term comes, goes, and takes its opposite with it", () => {
  const critical = { keyword: "severity", value: "1", not: false };
  expect(toggled("status_new:open", critical)).toBe("status_new:open severity:1");
  expect(toggled("status_new:open severity:1", critical)).toBe("status_new:open");
  expect(toggled("severity:!1", critical)).toBe("severity:1");
  expect(toggled("", { keyword: "tag", value: 'a "b', not: false })).toBe('tag:"a \\"b"');
  expect(has("Severity:2 severity:1", critical)).toBe(true);
  expect(without("a severity:1 b:c", ["severity"])).toBe("a b:c");
});
