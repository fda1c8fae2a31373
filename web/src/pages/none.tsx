// The very beginning: nothing is looked at yet.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode } from "react";
import { chosenProject } from "../api/client";
import { projects } from "../api/session";
import { Empty, LinkButton } from "../components/controls";

export function None({ owner }: { owner: boolean }): ReactNode {
  return (
    <Empty title="Nothing is looked at yet">
      <p>
        {owner
          ? "Name a domain of yours: what belongs to it is found from there, and nothing of yours is contacted before you say so."
          : "No collection of this project is shared with you. Its owner can give you a role in one."}
      </p>
      {owner && <LinkButton to="/collections/new" look="first">Add a domain</LinkButton>}
      {owner && (
        <p className="text-soft">
          Only looking around? <code className="font-mono">ambit demo</code> makes a world to explore, without any contact to the internet.
        </p>
      )}
    </Empty>
  );
}

/** Whether the caller may make collections in the project that is looked at. */
export function useMayAdd(): boolean {
  const all = useQuery(projects).data ?? [];
  const chosen = chosenProject();
  const project = all.find((one) => (chosen === null ? one.primary : one.uuid === chosen)) ?? all[0];
  return project?.role === "owner";
}
