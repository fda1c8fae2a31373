// The first step: name what is yours. What belongs to it is found from public records; only then is it decided how far
// a run goes.

import { useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { create } from "../api/collections";
import { runsOf, start } from "../api/runs";
import { Button, Empty, FIELD, LinkButton } from "../components/controls";
import { LEVEL_MEANING, WORKFLOWS } from "../levels";
import { useProject } from "../project";
import { useTitle } from "../title";
import { typed } from "./scope";

export function NewCollection(): ReactNode {
  const project = useProject();
  useTitle("Add what is yours");
  if (project && project.role !== "owner") {
    return (
      <Empty title={`Only the owners of ${project.name} add collections to it`} alone>
        <LinkButton to="/collections">To the collections</LinkButton>
      </Empty>
    );
  }
  return <Form />;
}

function Form(): ReactNode {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState(0);
  const [text, setText] = useState("");
  const [name, setName] = useState<string | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const workflow = WORKFLOWS[chosen] ?? WORKFLOWS[0];
  const targets = workflow.seeds === null ? [] : typed(text);
  const called = (name ?? targets[0] ?? "").trim();

  async function add(look: boolean) {
    if (targets.length === 0 && workflow.seeds !== null) {
      setTrouble(`Name at least one: ${workflow.seeds}.`);
      return;
    }
    if (called === "") {
      setTrouble("Say what to call it.");
      return;
    }
    setBusy(true);
    setTrouble(null);
    try {
      const made = await create(called, workflow.name, "passive", targets);
      await queries.invalidateQueries();
      if (look) {
        await start(made.uuid, {});
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
          void add(workflow.seeds !== null);
        }}
      >
        <Link to="/collections" className="self-start text-accent underline">Scope and runs</Link>
        <h1 className="text-lg font-semibold">Add what is yours</h1>
        <label className="flex flex-col gap-1">
          <span>What to look for</span>
          <select className={FIELD} value={chosen} onChange={(event) => setChosen(Number(event.target.value))}>
            {WORKFLOWS.map((one, index) => <option key={one.name} value={index}>{one.words}</option>)}
          </select>
          <span className="text-xs text-soft">{workflow.meaning}</span>
        </label>
        {workflow.seeds !== null && (
          <label className="flex flex-col gap-1">
            <span>{workflow.seeds}, one on a line</span>
            <textarea autoFocus rows={4} spellCheck={false} value={text} onChange={(event) => setText(event.target.value)}
              aria-invalid={trouble !== null} aria-describedby={trouble === null ? undefined : "trouble"}
              placeholder={workflow.example} className={`${FIELD} font-mono text-[0.8125rem]`} />
          </label>
        )}
        <label className="flex flex-col gap-1">
          <span>What to call it</span>
          <input type="text" maxLength={100} autoComplete="off" value={name ?? targets[0] ?? ""} onChange={(event) => setName(event.target.value)} className={FIELD} />
        </label>
        {trouble !== null && <p id="trouble" role="alert" className="rounded bg-critical-ground p-2 break-words text-critical">{trouble}</p>}
        {workflow.seeds === null ? <p className="rounded bg-raised p-3">On the next page you say with which account. Nothing is asked before you start a run.</p> : <Steps />}
        <div className="flex flex-wrap gap-2">
          {workflow.seeds !== null && <Button type="submit" look="first" disabled={busy}>{busy ? "Adding …" : "Add, and look passively"}</Button>}
          <Button look={workflow.seeds === null ? "first" : "plain"} disabled={busy} onClick={() => void add(false)}>{workflow.seeds === null ? "Add it" : "Only add"}</Button>
        </div>
      </form>
    </div>
  );
}

/** What comes after the first step. */
function Steps(): ReactNode {
  return (
    <ol className="list-decimal rounded bg-raised py-3 pr-3 pl-8">
      <li><strong>A passive look.</strong> {LEVEL_MEANING.passive}</li>
      <li><strong>You say what is yours</strong> of what cannot be told, with the evidence beside it.</li>
      <li><strong>You choose how far to go,</strong> see in numbers what that asks, and start it.</li>
    </ol>
  );
}
