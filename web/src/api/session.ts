import { queryOptions } from "@tanstack/react-query";
import { ASM, ask, Failure, forgetProject, get, OURS, type Schema } from "./client";

export type Session = Schema["Session"];

/** Stands in this browser's storage from signing in to signing out; the session itself is out of a page's reach. */
const SIGNED_IN = "ambit.signed_in";

/** The name of who was signed in last. */
const PERSON = "ambit.person";

/** Who is signed in; null: nobody. */
export const session = queryOptions({
  queryKey: ["session"],
  queryFn: async ({ signal }): Promise<Session | null> => {
    // Who never signed in here, or signed out, need not be asked for.
    if (localStorage.getItem(SIGNED_IN) === null) return null;
    try {
      const found = await get<Session>(`${OURS}/session`, signal);
      // What another person looked at in this browser is not for this one.
      if ((localStorage.getItem(PERSON) ?? found.username) !== found.username) forgetProject();
      localStorage.setItem(PERSON, found.username);
      return found;
    } catch (error) {
      if (!(error instanceof Failure && error.status === 401)) throw error;
      localStorage.removeItem(SIGNED_IN);
      return null;
    }
  },
  staleTime: 60_000,
  retry: 1,
});

/** How people sign in beside keys and links. */
export const ways = queryOptions({
  queryKey: ["ways"],
  queryFn: ({ signal }) => get<Schema["SignInWays"]>("/sign_in/ways", signal),
  staleTime: Infinity,
});

export const projects = queryOptions({
  queryKey: ["projects"],
  queryFn: ({ signal }) => get<Schema["Project"][]>(`${ASM}/projects`, signal),
  staleTime: 300_000,
});

/** Names of collections as people wrote them, by their internal names. */
export const collections = queryOptions({
  queryKey: ["collections"],
  queryFn: ({ signal }) => get<Schema["Collection"][]>(`${ASM}/user_collections`, signal),
  staleTime: 60_000,
});

export async function signIn(by: { key: string } | { token: string }): Promise<void> {
  await ask("POST", "/session", by);
  localStorage.setItem(SIGNED_IN, "1");
}

export async function signOut(): Promise<void> {
  await ask("DELETE", `${OURS}/session`);
  localStorage.removeItem(SIGNED_IN);
  forgetProject();
}
