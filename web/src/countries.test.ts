import { expect, test } from "vitest";
import atlas from "world-atlas/countries-110m.json";
import { countryName, shapeName } from "./countries";

const SHAPES = new Set((atlas as unknown as { objects: { countries: { geometries: { properties: { name: string } }[] } } }).objects.countries.geometries.map((one) => one.properties.name));
/** Those that are too small for a map of this scale. */
const SMALL = ["SG", "HK", "MT", "MC", "LI", "BH"];

test("countries are found on the map by what it calls them", () => {
  for (const code of ["DE", "US", "GB", "FR", "NL", "IE", "CZ", "BA", "CD", "CI", "TR", "MM", "KR", "RU", "VN", "TZ", "MK", "PS", "de", "BR", "IN", "CN", "JP", "ZA"]) {
    expect(SHAPES.has(shapeName(code)), `${code} is ${shapeName(code)}`).toBe(true);
  }
  for (const code of SMALL) expect(SHAPES.has(shapeName(code))).toBe(false);
  expect([countryName("de"), countryName("<b>")]).toEqual(["Germany", "<b>"]);
});
