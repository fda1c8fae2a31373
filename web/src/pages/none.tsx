// The very beginning: nothing is looked at yet.

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { useAct } from "../act";
import { chooseProject } from "../api/client";
import { loadSample } from "../api/collections";
import { runsOf } from "../api/runs";
import { Button, Empty, LinkButton } from "../components/controls";
import { useProject } from "../project";

export function None({ owner }: { owner: boolean }): ReactNode {
  return (
    <Empty title="Nothing has been discovered yet">
      <p>
        {owner
          ? "Name a domain of yours: what belongs to it is found from there, and nothing of yours is contacted before you say so."
          : "No collection of this project is shared with you. Its owner can give you a role in one."}
      </p>
      {owner && <LinkButton to="/collections/new" look="first">Add a domain</LinkButton>}
      {owner && <LookAround />}
    </Empty>
  );
}

/** Loads the demo's organisation into a project of its own, and goes to its run. */
function LookAround(): ReactNode {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { busy, act } = useAct();
  async function load() {
    const made = await loadSample();
    chooseProject(made.project_uuid);
    await queries.resetQueries();
    const run = (await queries.fetchQuery({ ...runsOf(made.uuid), staleTime: 0 }))[0];
    if (run) await navigate({ to: "/runs/$id", params: { id: String(run.id) } });
  }
  return (
    <>
      <p className="text-soft">Only looking around? The demo is a made-up organisation in a project of its own: nobody is contacted for it. <code className="font-mono">ambit project delete</code> removes it again.</p>
      <Button disabled={busy} onClick={() => void act(load, "The demo is loaded. The list of projects at the top leads back.")}>{busy ? "Loading …" : "Load the demo"}</Button>
    </>
  );
}

/** Whether the caller may make collections in the project that is looked at. */
export function useMayAdd(): boolean {
  return useProject()?.role === "owner";
}
