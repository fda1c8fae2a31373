import { expect, test } from "vitest";
import { Places } from "./place";

test("a place in a list is remembered by its step, and the oldest steps are forgotten", () => {
  const places = new Places();
  places.keep("a", { top: 500 });
  places.keep("a", { at: 7 });
  expect([places.of("a"), places.of("b")]).toEqual([{ top: 500, at: 7 }, { top: 0, at: 0 }]);
  for (let step = 0; step < 199; step += 1) places.keep(String(step), { at: step });
  expect(places.of("a").at).toBe(7);
  places.keep("a", { top: 501 });
  places.keep("one more", {});
  expect([places.of("a"), places.of("0")]).toEqual([{ top: 501, at: 7 }, { top: 0, at: 0 }]);
});
