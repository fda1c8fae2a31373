// Members with their values, whatever they are: lists one below the other, objects within objects.

import { type ReactNode } from "react";
import { Foreign, words } from "./text";

/** Values of a list that are shown before it is opened. */
const SHOWN_MAX = 12;

export function Facts({ of }: { of: Record<string, unknown> }): ReactNode {
  const members = Object.entries(of).filter(([, value]) => !isNothing(value) && value !== false);
  // What is not so is said in one line: there is much of it, and little to see.
  const not = Object.entries(of).filter(([, value]) => value === false).map(([name]) => words(name));
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-3 gap-y-1">
      {members.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-soft">{words(name)}</dt>
          <dd className="min-w-0"><Value of={value} /></dd>
        </div>
      ))}
      {not.length > 0 && (
        <div className="contents">
          <dt className="text-soft">not the case</dt>
          <dd className="min-w-0 text-soft">{not.join(", ")}</dd>
        </div>
      )}
    </dl>
  );
}

export function isNothing(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.values(value).every(isNothing);
  return value === null || value === undefined || value === "";
}

export function Value({ of }: { of: unknown }): ReactNode {
  if (Array.isArray(of)) {
    const items = of.map((one, index) => <li key={index}><Value of={one} /></li>);
    return (
      <ul className={of.some((one) => typeof one === "object") ? "flex flex-col gap-2" : ""}>
        {items.slice(0, SHOWN_MAX)}
        {items.length > SHOWN_MAX && (
          <li>
            <details>
              <summary className="text-accent">{items.length - SHOWN_MAX} more</summary>
              <ul>{items.slice(SHOWN_MAX)}</ul>
            </details>
          </li>
        )}
      </ul>
    );
  }
  if (typeof of === "object" && of !== null) {
    return <div className="border-l border-line pl-2"><Facts of={of as Record<string, unknown>} /></div>;
  }
  if (typeof of === "boolean") return of ? "yes" : "no";
  return <span className="font-mono text-[0.8125rem] break-all"><Foreign lines>{String(of)}</Foreign></span>;
}
