// The moment that a page shows: now, or a day or moment of the past, said in a banner that cannot be overlooked.

import { type ReactNode } from "react";
import { Button, FIELD } from "./controls";
import { exact, relative } from "./text";

export function AsOfPicker({ asOf, onChange }: { asOf: string | undefined; onChange: (asOf: string | undefined) => void }): ReactNode {
  return (
    <label className="flex items-center gap-1.5 whitespace-nowrap">
      <span className="text-soft">As of</span>
      <input
        type="date"
        className={FIELD}
        max={new Date().toISOString().slice(0, 10)}
        value={asOf?.slice(0, 10) ?? ""}
        onChange={(event) => onChange(event.target.value || undefined)}
      />
    </label>
  );
}

export function AsOfBanner({ asOf, onNow }: { asOf: string; onNow: () => void }): ReactNode {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(asOf);
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-medium bg-medium-ground px-3 py-1.5 text-medium">
      <strong>This is the past: {day ? `the end of ${asOf} (UTC)` : `${exact(asOf)}, ${relative(asOf)}`}.</strong>
      <span>Everything here is as it was shown then.</span>
      <Button onClick={onNow}>Back to now</Button>
    </div>
  );
}
