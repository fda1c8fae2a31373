// The way in: an API key, or a link that works once.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { session, signIn, ways } from "../api/session";
import { Button, FIELD } from "../components/controls";
import { useTitle } from "../title";

const route = getRouteApi("/sign_in");

/** Takes the token of a link out of the address, so that it stays in no history. */
function tokenOfLink(): string | null {
  const token = location.hash.slice(1);
  if (!/^[0-9a-f]{64}$/.test(token)) return null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return token;
}

export function SignIn(): ReactNode {
  const { next } = route.useSearch();
  const router = useRouter();
  const queries = useQueryClient();
  const { data: way } = useQuery(ways);
  const [key, setKey] = useState("");
  const [said, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const trouble = said ?? way?.trouble ?? null;
  useTitle("Sign in");

  async function enter(by: { key: string } | { token: string }) {
    setBusy(true);
    setTrouble(null);
    try {
      await signIn(by);
      queries.removeQueries();
      await queries.ensureQueryData(session);
      // Only a path of this server: an address cannot lead elsewhere.
      router.history.push(next !== undefined && /^\/(?![/\\])/.test(next) ? next : "/");
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  }

  const followed = useRef(false);
  useEffect(() => {
    if (followed.current) return;
    followed.current = true;
    const token = tokenOfLink();
    if (token !== null) void enter({ token });
  });

  return (
    <main className="flex min-h-full items-center justify-center bg-raised p-4">
      <form
        className="flex w-full max-w-md flex-col gap-3 rounded-lg border border-line bg-ground p-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() === "") setTrouble("Enter an API key.");
          else void enter({ key: key.trim() });
        }}
      >
        <h1 className="text-xl font-semibold">Ambit</h1>
        <label htmlFor="key">API key</label>
        {/* One name for all, so that a password manager keeps the key. */}
        <input type="text" name="username" autoComplete="username" value="ambit" readOnly hidden />
        <input
          id="key"
          type="password"
          autoComplete="current-password"
          autoFocus
          aria-invalid={trouble !== null}
          aria-describedby={trouble === null ? undefined : "trouble"}
          value={key}
          onChange={(event) => setKey(event.target.value)}
          className={`${FIELD} font-mono`}
        />
        {trouble !== null && (
          <p id="trouble" role="alert" className="rounded bg-critical-ground p-2 text-critical">
            {trouble}
          </p>
        )}
        <Button type="submit" look="first" disabled={busy}>{busy ? "Signing in …" : "Sign in"}</Button>
        {way?.provider === true && (
          // A page of the server, which sends the browser on: no page of this program.
          <a href="/sign_in/provider" className="underline">Sign in by your organisation’s provider</a>
        )}
        <p className="text-soft">
          Or, on the machine of the server, <code className="font-mono">ambit login</code> prints a link that signs you in.
        </p>
      </form>
    </main>
  );
}
