// The project that is looked at.

import { useQuery } from "@tanstack/react-query";
import { chosenProject, type Schema } from "./api/client";
import { projects } from "./api/session";

/** The one that was chosen in this browser, else the caller's primary one; undefined while it is not known. */
export function useProject(): Schema["Project"] | undefined {
  const all = useQuery(projects).data ?? [];
  const chosen = chosenProject();
  return all.find((one) => (chosen === null ? one.primary : one.uuid === chosen)) ?? all[0];
}
