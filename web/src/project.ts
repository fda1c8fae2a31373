// The project that is looked at.

import { useQuery } from "@tanstack/react-query";
import { chosenProject, type Schema } from "./api/client";
import { projects } from "./api/session";

/** The one that was chosen in this browser, else the caller's primary one, else any; undefined where there is none. */
export function lookedAt<P extends { uuid: string; primary: boolean }>(all: P[], chosen: string | null): P | undefined {
  return all.find((one) => one.uuid === chosen) ?? all.find((one) => one.primary) ?? all[0];
}

/** Undefined while the caller's projects are not known. */
export function useProject(): Schema["Project"] | undefined {
  return lookedAt(useQuery(projects).data ?? [], chosenProject());
}
