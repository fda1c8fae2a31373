// A run as it goes on: the server tells of it, and where that fails it is looked at again every few seconds.

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { OURS } from "./api/client";
import { isOver, run, type RunDetail } from "./api/runs";

/** Listens to a run that is not over; returns whether the server is heard. What it says is what reading the run answers. */
export function useLive(id: string, over: boolean | undefined): boolean {
  const queries = useQueryClient();
  const [heard, setHeard] = useState(false);
  useEffect(() => {
    if (over !== false) return;
    const events = new EventSource(`${OURS}/collection_runs/${encodeURIComponent(id)}/events`);
    events.addEventListener("run", (event) => {
      const told = JSON.parse(event.data) as RunDetail;
      queries.setQueryData(run(id).queryKey, told);
      if (isOver(told)) {
        events.close();
        // What it found is in every list.
        void queries.invalidateQueries();
      }
    });
    events.onopen = () => setHeard(true);
    // The browser listens again by itself, unless it was refused.
    events.onerror = () => setHeard(false);
    return () => {
      events.close();
      setHeard(false);
    };
  }, [id, over, queries]);
  return heard;
}
