// The three decisions on an issue. One of them needs a reason and an end.

import { type ReactNode, useState } from "react";
import type { Decision } from "../api/issues";
import { Button, FIELD } from "../components/controls";
import { Dialog } from "../components/dialog";
import { count, Foreign } from "../components/text";

export type Choice = "accept" | "not ours" | "done";

/** What a choice means, where nothing more needs to be said; null: it is asked for. */
export function decisionOf(choice: Choice): Decision | null {
  if (choice === "accept") return null;
  return { status: choice === "done" ? "closed_resolved" : "closed_out_of_scope" };
}

function inMonths(months: number): string {
  const date = new Date();
  date.setMonth(date.getMonth() + months);
  return date.toISOString().slice(0, 10);
}

export function DecisionDialog({ choice, number, onClose, onDecide }: {
  choice: Choice;
  number: number;
  onClose: () => void;
  /** Returns why it failed: what was typed then stays. Where it succeeds, this is closed. */
  onDecide: (decision: Decision) => Promise<string | null>;
}): ReactNode {
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState<"date" | "change" | "never">("date");
  const [date, setDate] = useState(inMonths(3));
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  if (choice !== "accept") return null;
  const until = end === "date" ? date : end === "change" ? "change" : undefined;
  return (
    <Dialog label="Accept the risk" onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          setBusy(true);
          setTrouble(null);
          void onDecide({ status: "closed_risk_accepted", ...(reason.trim() ? { reason: reason.trim() } : {}), ...(until ? { until } : {}) }).then((failed) => {
            setTrouble(failed);
            setBusy(false);
          });
        }}
      >
        <h2 className="text-base font-semibold">Accept the risk of {count(number, "issue")}</h2>
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1">Until</legend>
          <div className="flex items-center gap-2">
            <label className="flex items-center gap-2">
              <input type="radio" name="end" checked={end === "date"} onChange={() => setEnd("date")} /> a date
            </label>
            <input type="date" aria-label="Day" className={FIELD} value={date} min={new Date().toISOString().slice(0, 10)}
              onChange={(event) => { setDate(event.target.value); setEnd("date"); }} required={end === "date"} />
          </div>
          <label className="flex items-center gap-2">
            <input type="radio" name="end" checked={end === "change"} onChange={() => setEnd("change")} /> its proof or severity changes
          </label>
          <label className="flex items-center gap-2">
            <input type="radio" name="end" checked={end === "never"} onChange={() => setEnd("never")} /> somebody opens it again
          </label>
        </fieldset>
        <label className="flex flex-col gap-1">
          Why
          <textarea className={`${FIELD} min-h-20`} maxLength={1000} value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
        {trouble !== null && <p role="alert" className="rounded bg-critical-ground p-2 break-words text-critical"><Foreign>{trouble}</Foreign></p>}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="first" disabled={busy}>{busy ? "Deciding …" : "Accept"}</Button>
        </div>
      </form>
    </Dialog>
  );
}
