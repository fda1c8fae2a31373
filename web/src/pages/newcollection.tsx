// The first step: name what is yours. What belongs to it is found from public records; only then is it decided how far
// a run goes.

import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { create } from "../api/collections";
import { runsOf, start } from "../api/runs";
import { Button, FIELD } from "../components/controls";
import { LEVEL_MEANING } from "../levels";
import { typed } from "./scope";

export function NewCollection(): ReactNode {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [name, setName] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const targets = typed(text);
  const called = (name ?? targets[0] ?? "").trim();

  async function add(look: boolean) {
    if (targets.length === 0) {
      setTrouble("Name at least one domain, address or block.");
      return;
    }
    setBusy(true);
    setTrouble(null);
    try {
      const made = await create(called === "" ? (targets[0] ?? "") : called, "passive", targets);
      await queries.invalidateQueries();
      if (look) {
        await start(made.uuid, false);
        const run = (await queries.fetchQuery({ ...runsOf(made.uuid), staleTime: 0 }))[0];
        if (run) return await navigate({ to: "/runs/$id", params: { id: String(run.id) } });
      }
      await navigate({ to: "/collections/$uuid", params: { uuid: made.uuid } });
    } catch (error) {
      setTrouble(error instanceof Error ? error.message : String(error));
      setBusy(false);
    }
  }

  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Add what is yours">
      <form
        className="mx-auto flex max-w-2xl flex-col gap-4 p-3 sm:p-5"
        onSubmit={(event) => {
          event.preventDefault();
          void add(true);
        }}
      >
        <Link to="/collections" className="self-start text-accent underline">Scope and runs</Link>
        <h1 className="text-lg font-semibold">Add what is yours</h1>
        <label className="flex flex-col gap-1">
          <span>Domains, hosts, addresses, blocks, AS numbers or URLs, one on a line</span>
          <textarea autoFocus rows={4} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)}
            aria-invalid={trouble !== null} aria-describedby={trouble === null ? undefined : "trouble"}
            placeholder={"example.com\n203.0.113.0/24"} className={`${FIELD} font-mono text-[0.8125rem]`} />
        </label>
        <label className="flex flex-col gap-1">
          <span>What to call it</span>
          <input type="text" maxLength={100} autoComplete="off" value={name ?? targets[0] ?? ""} onChange={(event) => setName(event.target.value)} className={FIELD} />
        </label>
        {trouble !== null && <p id="trouble" role="alert" className="rounded bg-critical-ground p-2 break-words text-critical">{trouble}</p>}
        <ol className="list-decimal rounded bg-raised py-3 pr-3 pl-8">
          <li><strong>A passive look.</strong> {LEVEL_MEANING.passive}</li>
          <li><strong>You say what is yours</strong> of what cannot be told, with the evidence beside it.</li>
          <li><strong>You choose how far to go,</strong> see in numbers what that asks, and start it.</li>
        </ol>
        <div className="flex flex-wrap gap-2">
          <Button type="submit" look="first" disabled={busy}>{busy ? "Adding …" : "Add, and look passively"}</Button>
          <Button disabled={busy} onClick={() => void add(false)}>Only add</Button>
        </div>
      </form>
    </div>
  );
}
