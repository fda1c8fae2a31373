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

test("a term comes, goes, and takes its opposite with it", () => {
  const critical = { keyword: "severity", value: "1", not: false };
  expect(toggled("status_new:open", critical)).toBe("status_new:open severity:1");
  expect(toggled("status_new:open severity:1", critical)).toBe("status_new:open");
  expect(toggled("severity:!1", critical)).toBe("severity:1");
  expect(toggled("", { keyword: "tag", value: 'a "b', not: false })).toBe('tag:"a \\"b"');
  expect(has("Severity:2 severity:1", critical)).toBe(true);
  expect(without("a severity:1 b:c", ["severity"])).toBe("a b:c");
});
