// Who sees to an issue and by when, and a look at it alone.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { useAct } from "../act";
import type { Schema } from "../api/client";
import { assign, retest, startRetest } from "../api/issues";
import { people } from "../api/settings";
import { Button, FIELD } from "../components/controls";
import { Chip, Foreign, Moment, statusWord } from "../components/text";
import { useProject } from "../project";

/** Whether a due date lies behind. */
export function isLate(due: string | null | undefined): boolean {
  return due != null && Date.parse(due) < Date.now();
}

export function Due({ at }: { at: string | null }): ReactNode {
  if (at === null) return null;
  return isLate(at) ? <Chip tone="high">overdue since {at.slice(0, 10)}</Chip> : <Chip>due {at.slice(0, 10)}</Chip>;
}

/** Who is to see to it, and a field that says so. */
export function Assignee({ of }: { of: Schema["IssueDetail"] }): ReactNode {
  const project = useProject();
  const known = useQuery({ ...people(project?.uuid ?? ""), enabled: project !== undefined });
  const [who, setWho] = useState(of.assignee ?? "");
  const { busy, act } = useAct();
  const before = of.assignee;
  const set = (next: string | null) => act(() => assign([of.uid], next), next === null ? "It has no assignee any more." : `${next} sees to it.`, () => assign([of.uid], before));
  function submit(event: FormEvent) {
    event.preventDefault();
    void set(who.trim() === "" ? null : who.trim());
  }
  return (
    <form className="flex flex-wrap items-center gap-1.5" onSubmit={submit}>
      <label className="flex items-center gap-1.5">
        <span className="text-soft">Seen to by</span>
        <input className={`${FIELD} w-44`} list="people" value={who} placeholder="nobody" autoComplete="off" spellCheck={false} onChange={(event) => setWho(event.target.value)} />
      </label>
      <datalist id="people">{(known.data ?? []).map((person) => <option key={person.id} value={person.email} />)}</datalist>
      {who.trim() !== (before ?? "") && <Button type="submit" disabled={busy}>Save</Button>}
    </form>
  );
}

const VERDICTS: Record<string, string> = {
  open: "it is still there",
  closed: "it is gone",
  could_not_look: "it could not be tested",
};

/** Looks again at what one issue rests on, for whom may start it, and says what came of it. */
export function LookAgain({ of, may }: { of: Schema["IssueDetail"]; may: boolean }): ReactNode {
  const newest = useQuery(retest(of.uid));
  const { busy, act } = useAct();
  const last = newest.data ?? null;
  const goesOn = last !== null && last.verdict === null;
  return (
    <>
      {may && (
        <Button disabled={busy || goesOn} onClick={() => void act(() => startRetest(of.uid), "Only this issue is tested again.")}>
          {goesOn ? "Testing again …" : "Test again"}
        </Button>
      )}
      {last !== null && (
        <span role="status" className="basis-full text-xs">
          <Link to="/runs/$id" params={{ id: String(last.run) }} className="text-accent underline">
            {goesOn ? "Testing again" : <>Tested again <Moment at={last.finished_at ?? last.started_at ?? new Date().toISOString()} /></>}
          </Link>
          {last.verdict !== null && <>: {VERDICTS[last.verdict]} ({statusWord(last.issue_status)})</>}
          {last.not_done.map((row, index) => <span key={index} className="block text-soft"><Foreign>{row.example}</Foreign></span>)}
        </span>
      )}
    </>
  );
}
