// A run in a few words.

import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import type { Run, RunDetail } from "../api/runs";
import { Chip, Moment } from "./text";

const STATES: Record<string, [string, "soft" | "accent" | "good"]> = {
  scheduled: ["waiting", "accent"],
  running: ["running", "accent"],
  paused: ["paused", "accent"],
  finished: ["finished", "good"],
  failed: ["failed", "soft"],
  cancelled: ["stopped", "soft"],
};

export function runWord(status: string): string {
  return STATES[status]?.[0] ?? status;
}

export function RunState({ of }: { of: string }): ReactNode {
  const [word, tone] = STATES[of] ?? [of, "soft"];
  return <Chip tone={tone}>{word}</Chip>;
}

/** When a run ended, or began, or was asked for. */
export function RunLink({ of }: { of: Run }): ReactNode {
  return (
    <Link to="/runs/$id" params={{ id: String(of.id) }} className="text-accent underline">
      <Moment at={of.finished_at ?? of.started_at ?? of.created_at} />
    </Link>
  );
}

/** How many looks had no answer. Some of that is no harm: what scope refuses shall not be looked at. */
export function notDone(run: RunDetail): number {
  return run.not_done.reduce((sum, row) => sum + row.count, 0);
}
