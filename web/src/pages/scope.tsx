// What somebody named: seeds, and what shall never be contacted.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useAct } from "../act";
import type { Schema } from "../api/client";
import { addSeed, addSeeds, change, type Collection, previewScope, removeSeed, seeds } from "../api/collections";
import { Button, FIELD, Trouble } from "../components/controls";
import { useNotices } from "../components/notice";
import { count, Foreign, kind } from "../components/text";

/** Rows that are shown before the rest is opened. */
const SHOWN_MAX = 30;

/** What a person typed, apart: lines, blanks and commas are between two. */
export function typed(text: string): string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== "");
}

export function Seeds({ of }: { of: Collection }): ReactNode {
  const list = useQuery(seeds(of.uuid));
  const { busy, act } = useAct();
  const mayChange = of.role === "admin";
  if (list.error) return <Trouble error={list.error} retry={() => void list.refetch()} />;
  const rows = (list.data ?? []).map((seed) => (
    <Line key={seed.id} busy={busy} name={seed.name} what={kind(seed.type)}
      onRemove={mayChange ? () => void act(() => removeSeed(seed.id), `${seed.name} is no seed any more.`, () => addSeed(of.uuid, seed)) : undefined} />
  ));
  return (
    <>
      <p className="mb-2 text-soft">{of.workflow_name === "third_party_workflow" ? "Observed from outside: none of them becomes yours." : "Yours for certain: everything else is found from here."}</p>
      <Lines rows={rows} none={list.data ? "There is no seed yet." : "Loading …"} />
      {mayChange && (
        <Adding label="Add what is yours" hint="Domains, hosts, addresses, blocks, AS numbers, URLs" busy={busy}
          onAdd={(names) => act(() => addSeeds(of.uuid, names), `${count(names.length, "seed")} added.`)} />
      )}
    </>
  );
}

/** Exclusions that somebody typed, and what they would do. */
interface Tried {
  names: string[];
  would: Schema["ScopePreview"];
}

export function Exclusions({ of }: { of: Collection }): ReactNode {
  const { busy, act } = useAct();
  const [tried, setTried] = useState<Tried | null>(null);
  const { say } = useNotices();
  const mayChange = of.role === "admin";
  const set = (exclusions: string[]) => change(of.uuid, { exclusions });
  const rows = of.exclusions.map((name) => (
    <Line key={name} busy={busy} name={name}
      onRemove={mayChange ? () => void act(() => set(of.exclusions.filter((one) => one !== name)), `${name} may be contacted again.`, () => set(of.exclusions)) : undefined} />
  ));
  async function attempt(names: string[]): Promise<boolean> {
    try {
      setTried({ names, would: await previewScope(of.uuid, [...of.exclusions, ...names]) });
      return true;
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      return false;
    }
  }
  return (
    <>
      <p className="mb-2 text-soft">Never contacted, whatever points there, from the moment you add it.</p>
      <Lines rows={rows} none="Nothing is excluded." />
      {mayChange && tried === null && (
        <Adding label="Never contact" hint="Names, *.names, addresses, blocks, URLs" button="Try" busy={busy} onAdd={attempt} />
      )}
      {tried && (
        <div role="group" aria-label="What it would do" className="mt-2 rounded bg-raised p-3">
          <p className="mb-1 font-semibold break-all"><Foreign>{tried.names.join(", ")}</Foreign></p>
          <Would of={tried.would} />
          <div className="mt-2 flex flex-wrap gap-1.5">
            <Button look="first" disabled={busy} autoFocus
              onClick={() => void act(() => set([...of.exclusions, ...tried.names]), `${tried.names.join(", ")}: never contacted.`, () => set(of.exclusions))
                .then((done) => done && setTried(null))}>
              Never contact them
            </Button>
            <Button onClick={() => setTried(null)}>Leave it</Button>
          </div>
        </div>
      )}
    </>
  );
}

/** What rules would do, sort by sort. */
function Would({ of }: { of: Schema["ScopePreview"] }): ReactNode {
  const sorts: [string, Schema["MovedEntities"]][] = [
    ["no longer in scope", of.leaves],
    ["newly in scope", of.enters],
    ["contacted less, or not at all", of.quieter],
    ["contacted more", of.louder],
  ];
  const some = sorts.filter(([, moved]) => moved.count > 0);
  if (some.length === 0) return <p>Nothing that is known would change.</p>;
  return (
    <ul>
      {some.map(([words, moved]) => (
        <li key={words}>
          <details>
            <summary className="text-accent">{count(moved.count, "entity", "entities")} {words}</summary>
            <ul className="max-h-48 overflow-auto pl-3" tabIndex={0} aria-label={words}>
              {moved.first.map((one) => (
                <li key={one.uid}>
                  <span className="text-soft">{kind(one.type)}</span> <span className="font-mono text-[0.8125rem] break-all"><Foreign>{one.name}</Foreign></span>
                </li>
              ))}
              {moved.count > moved.first.length && <li>and {(moved.count - moved.first.length).toLocaleString("en")} more</li>}
            </ul>
          </details>
        </li>
      ))}
    </ul>
  );
}

function Lines({ rows, none }: { rows: ReactNode[]; none: string }): ReactNode {
  if (rows.length === 0) return <p>{none}</p>;
  return (
    <>
      <ul>{rows.slice(0, SHOWN_MAX)}</ul>
      {rows.length > SHOWN_MAX && (
        <details>
          <summary className="text-accent">{count(rows.length - SHOWN_MAX, "more", "more")}</summary>
          <ul>{rows.slice(SHOWN_MAX)}</ul>
        </details>
      )}
    </>
  );
}

function Line({ name, what, busy, onRemove }: { name: string; what?: string; busy: boolean; onRemove: (() => void) | undefined }): ReactNode {
  return (
    <li className="flex items-center gap-2">
      <span className="min-w-0 flex-1 py-0.5">
        {what && <span className="text-soft">{what} </span>}
        <span className="font-mono text-[0.8125rem] break-all"><Foreign>{name}</Foreign></span>
      </span>
      {onRemove && <Button look="quiet" disabled={busy} aria-label={`Remove ${name}`} onClick={onRemove}>Remove</Button>}
    </li>
  );
}

/** A field for one or many, and what the server says of them. */
function Adding({ label, hint, button = "Add", busy, onAdd }: {
  label: string;
  hint: string;
  button?: string;
  busy: boolean;
  onAdd: (names: string[]) => Promise<boolean>;
}): ReactNode {
  const [text, setText] = useState("");
  return (
    <form
      className="mt-2 flex flex-wrap gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        const names = typed(text);
        if (names.length > 0) void onAdd(names).then((done) => done && setText(""));
      }}
    >
      <input type="text" aria-label={label} placeholder={hint} spellCheck={false} autoComplete="off" value={text}
        onChange={(event) => setText(event.target.value)} className={`${FIELD} min-w-0 flex-1 font-mono text-[0.8125rem]`} />
      <Button type="submit" disabled={busy}>{button}</Button>
    </form>
  );
}
