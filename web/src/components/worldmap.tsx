// Numbers by country on a map. Shapes and projection are loaded with the first map.

import { geoNaturalEarth1, geoPath } from "d3-geo";
import { type ReactNode, useMemo } from "react";
import { feature } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import atlas from "world-atlas/countries-110m.json";
import { countryName, shapeName } from "../countries";

const [WIDTH, HEIGHT] = [960, 480];
type Atlas = Topology<{ countries: GeometryCollection<{ name: string }> }>;

export function WorldMap({ label, numbers, onPick }: { label: string; numbers: { code: string; number: number }[]; onPick: (code: string) => void }): ReactNode {
  const shapes = useMemo(() => {
    const all = feature(atlas as unknown as Atlas, (atlas as unknown as Atlas).objects.countries).features;
    const path = geoPath(geoNaturalEarth1().fitSize([WIDTH, HEIGHT], { type: "FeatureCollection", features: all }));
    return all.map((one) => ({ name: one.properties.name, path: path(one) ?? "" }));
  }, []);
  const by = new Map(numbers.map((one) => [shapeName(one.code), one]));
  const most = Math.max(...numbers.map((one) => one.number), 1);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label} className="h-auto w-full">
      {shapes.map((shape) => {
        const of = by.get(shape.name);
        const share = of === undefined ? 0 : 0.25 + 0.75 * Math.sqrt(of.number / most);
        return (
          <path key={shape.name} d={shape.path} strokeWidth={0.5} stroke="var(--line)" fill={of ? "var(--accent)" : "var(--raised)"} fillOpacity={of ? share : 1}
            className={of ? "cursor-pointer" : ""} onClick={of && (() => onPick(of.code))}>
            <title>{of ? `${countryName(of.code)}: ${of.number.toLocaleString("en")}` : shape.name}</title>
          </path>
        );
      })}
    </svg>
  );
}
