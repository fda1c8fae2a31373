// A page that is read from the top: a heading, what is asked beside it, and what follows.

import { type ReactNode } from "react";
import { useTitle } from "../title";

export function Page({ title, beside, children }: { title: string; beside?: ReactNode; children: ReactNode }): ReactNode {
  useTitle(title);
  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label={title}>
      <div className="mx-auto flex max-w-6xl flex-col gap-4 p-3 sm:p-5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <h1 className="text-lg font-semibold">{title}</h1>
          {beside}
        </div>
        {children}
      </div>
    </div>
  );
}

/** A table of few columns, which a narrow window scrolls rather than breaks. */
export function Table({ label, heads, children }: { label: string; heads: string[]; children: ReactNode }): ReactNode {
  return (
    <div className="relative overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
      <table className="w-full text-left">
        <thead className="text-xs text-soft">
          <tr>{heads.map((head) => <th key={head} scope="col" className="py-1 pr-4 font-semibold whitespace-nowrap">{head}</th>)}</tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

export const ROW = "border-t border-line align-top";
export const CELL = "py-1.5 pr-4";
