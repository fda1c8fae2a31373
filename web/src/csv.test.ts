import { expect, test } from "vitest";
import { csvLine } from "./csv";

test("fields are quoted and no field is a formula", () => {
  expect(csvLine(["a", 'b "c"', "d,e", "f\ng", ""])).toBe('a,"b ""c""","d,e","f\ng",\r\n');
  for (const formula of ["=1+1", "+1", "-1", "@x", "\tx", "\rx"]) {
    expect(csvLine([formula]).replaceAll('"', "").startsWith("'")).toBe(true);
  }
});
