import { expect, test } from "vitest";
import { pairs } from "./accounts";

test("lines are names with values, and what is none is refused by its number", () => {
  expect(pairs("token = a=b \n\n region=fr-par")).toEqual({ token: "a=b", region: "fr-par" });
  expect(() => pairs("a = b\nhunter2 hunter3")).toThrow(/^Line 2 is not/);
  expect(() => pairs("token =")).toThrow("name = value");
});
