import { expect, test } from "vitest";
import { lasting } from "./levels";

test("a length of time is said in the largest unit of which there are two", () => {
  const said = [0, 1, 45, 119, 120, 3_600, 7_199, 7_200, 172_799, 172_800, 8_640_000].map(lasting);
  expect(said).toEqual([
    "0 seconds", "1 second", "45 seconds", "119 seconds", "2 minutes", "60 minutes", "120 minutes", "2 hours", "48 hours", "2 days", "100 days",
  ]);
});
