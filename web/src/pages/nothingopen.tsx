// Why nothing is open: what was looked at so far decides what an empty list means.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { issueNumber } from "../api/issues";
import { isOver, newestRuns, type RunDetail } from "../api/runs";
import { Button, Empty, LinkButton } from "../components/controls";
import { RunLink } from "../components/runs";
import { count } from "../components/text";

export function NothingOpen({ onSearch }: { onSearch: (search: string) => void }): ReactNode {
  const runs = useQuery(newestRuns);
  const ever = useQuery(issueNumber(""));
  if (!runs.data || ever.data === undefined) return <Empty title="Nothing is open" />;
  const going = runs.data.find((run) => !isOver(run));
  const done = runs.data.filter((run) => run.status === "finished").sort((a, b) => b.created_at.localeCompare(a.created_at));
  const last = done[0];
  if (ever.data > 0) {
    return (
      <Empty title="Nothing is open">
        <p>{ever.data === 1 ? "The one issue that was found is decided or gone." : `All ${ever.data.toLocaleString("en")} issues that were found are decided or gone.`}</p>
        <Button onClick={() => onSearch("status_new:closed")}>Show what is closed</Button>
      </Empty>
    );
  }
  if (going) {
    return (
      <Empty title="No issue so far">
        <p>A run is under way: <RunLink of={going} />. Issues appear here as it finds them.</p>
      </Empty>
    );
  }
  const ended = runs.data.find((run) => run.status === "cancelled" || run.status === "failed");
  if (last === undefined && ended) {
    return (
      <Empty title="No issue so far">
        <p>The newest run (<RunLink of={ended} />) {ended.status === "failed" ? "failed" : "was stopped"} before its end, so that not all was judged.</p>
        <LinkButton to="/collections" look="first">Start another</LinkButton>
      </Empty>
    );
  }
  if (last === undefined) {
    return (
      <Empty title="Nothing was probed yet">
        <p>No run has ended, so that nothing was judged: this is no sign that all is well.</p>
        <LinkButton to="/collections" look="first">Start a run</LinkButton>
      </Empty>
    );
  }
  if (done.every(isPassive)) {
    return (
      <Empty title="No issue, and little was judged">
        <p>
          So far only public records and DNS were asked (<RunLink of={last} />). Nothing of yours was contacted, so that sites, services and certificates were not judged at all.
        </p>
        <Link to="/collections/$uuid" params={{ uuid: last.collection_uuid }} hash="next" className="rounded border border-accent bg-accent px-2.5 py-1 text-on-accent hover:opacity-90">
          Choose how far the next run goes
        </Link>
      </Empty>
    );
  }
  return (
    <Empty title="No issue was found">
      <p>The last run (<RunLink of={last} />) looked {count(last.work_done, "time")} and found nothing to report.</p>
      <Link to="/runs/$id" params={{ id: String(last.id) }} hash="not-done" className="text-accent underline">See what could not be probed</Link>
    </Empty>
  );
}

/** Whether a run contacted nothing but public records. */
function isPassive(run: RunDetail): boolean {
  return run.stages.every((stage) => stage.level === "passive" || stage.work_done === 0);
}
