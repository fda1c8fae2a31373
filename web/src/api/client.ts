// The one way to the API: same origin, by the session's cookie.

import type { components } from "../../generated/schema";

export type Schema = components["schemas"];

/** A refusal of the server, or the failure to reach it, with what can be said of it to a person. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const PROJECT = "ambit.project";

/** The project that is looked at; null: the caller's primary one. */
export function chosenProject(): string | null {
  return localStorage.getItem(PROJECT);
}

export function chooseProject(id: string): void {
  localStorage.setItem(PROJECT, id);
}

export function forgetProject(): void {
  localStorage.removeItem(PROJECT);
}

export const ASM = "/api/v3/asm";
export const OURS = "/api/ambit/v1";

/** A whole answer: `message` is said beside the result. */
export interface Said<T> {
  message: string;
  result: T;
}

export async function ask<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Said<T>> {
  const headers: Record<string, string> = { accept: "application/json" };
  const project = chosenProject();
  if (project !== null) headers["project-id"] = project;
  if (body !== undefined) headers["content-type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: "same-origin",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Failure(0, "The server does not answer. Is it running, and is the network up?");
  }
  const said = await response.json().catch(() => null);
  if (!response.ok || said === null) {
    throw new Failure(response.status, said?.error?.message ?? said?.message ?? `The server answered ${response.status}.`);
  }
  return said as Said<T>;
}

/** The result of a read. */
export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await ask<T>("GET", path, undefined, signal)).result;
}

/** A path with a query, without parameters that have no value. */
export function withQuery(path: string, query: Record<string, string | number | boolean | undefined>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== "") parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === "" ? path : `${path}?${text}`;
}
