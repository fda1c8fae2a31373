// Numbers over days. The library that draws is loaded with the pages that have a plot.

import { type ReactNode, useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { DAY_S, isoDay, marked } from "../days";

export interface Line {
  label: string;
  /** A colour of the page, such as `--accent`. */
  colour: string;
  values: number[];
}

const HEIGHT = 200;
/** Days between the marks of the axis: as few as the width has room for. */
const DAY_STEPS = [1, 2, 5, 7, 14, 30];

/** A plot of one value for each day of UTC; `days` are moments in seconds. What it shows stands in a table elsewhere on the page. */
export function Plot({ label, days, lines }: { label: string; days: number[]; lines: Line[] }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const at = place.current;
    if (at === null) return;
    const colour = (name: string) => getComputedStyle(at).getPropertyValue(name).trim();
    // The colours are pairs of light and dark, which a canvas does not know: the page resolves them.
    const probe = document.createElement("span");
    at.append(probe);
    const resolved = (name: string) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color || colour(name);
    };
    const axis = { stroke: resolved("--soft"), grid: { stroke: resolved("--line"), width: 1 }, ticks: { stroke: resolved("--line"), width: 1 } };
    const plot = new uPlot(
      {
        width: Math.max(at.clientWidth, 200),
        height: HEIGHT,
        legend: { show: false },
        // The mark of the last day is as wide on its right.
        padding: [null, 40, null, null],
        cursor: { show: false },
        scales: { y: { range: (_, __, most) => [0, Math.max(most, 1) * 1.1] } },
        axes: [{ ...axis, space: 90, incrs: DAY_STEPS.map((step) => step * DAY_S), splits: (_, __, ___, ____, step) => marked(days, step / DAY_S), values: (_, marks) => marks.map(isoDay) }, { ...axis, size: 56, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] }],
        series: [
          {},
          ...lines.map((line) => ({ label: line.label, stroke: resolved(line.colour), width: 2, fill: undefined as unknown as string, points: { show: true, size: 5 } })),
        ],
      },
      [days, ...lines.map((line) => line.values)],
      at,
    );
    probe.remove();
    const watch = new ResizeObserver(() => plot.setSize({ width: Math.max(at.clientWidth, 200), height: HEIGHT }));
    watch.observe(at);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [days, lines]);
  return (
    <figure>
      <div ref={place} role="img" aria-label={label} className="w-full" />
      <figcaption className="flex flex-wrap gap-x-4 text-xs text-soft">
        {lines.map((line) => (
          <span key={line.label} className="inline-flex items-center gap-1.5">
            <span className={line.colour === "--accent" ? "h-0.5 w-4 bg-accent" : "h-0.5 w-4 bg-high"} aria-hidden="true" /> {line.label}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
