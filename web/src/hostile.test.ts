import { expect, test } from "vitest";
import { pieces, visible } from "./hostile";

test("what cannot be seen is named", () => {
  expect(visible("a\u202eb\u0000c\u200b\ufeff\u001b[31m")).toBe("a‹U+202E›b‹U+0000›c‹U+200B›‹U+FEFF›‹U+001B›[31m");
  expect(visible("Größe <b>ü</b> 日本")).toBe("Größe <b>ü</b> 日本");
  expect(visible("a\nb")).toBe("a‹U+000A›b");
  expect(pieces("a\nb", true)).toEqual([{ text: "a\nb", named: false }]);
  expect(visible("tag\u{e0041}")).toBe("tag‹U+E0041›");
});
