// What somebody named: seeds, and what shall never be contacted.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useAct } from "../act";
import { addSeed, addSeeds, change, type Collection, removeSeed, seeds } from "../api/collections";
import { Button, FIELD, Trouble } from "../components/controls";
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
      <p className="mb-2 text-soft">Yours for certain: everything else is found from here.</p>
      <Lines rows={rows} none={list.data ? "Nothing is named yet." : "Loading …"} />
      {mayChange && (
        <Adding label="Add what is yours" hint="Domains, hosts, addresses, blocks, AS numbers, URLs" busy={busy}
          onAdd={(names) => act(() => addSeeds(of.uuid, names), `${count(names.length, "seed")} added.`)} />
      )}
    </>
  );
}

export function Exclusions({ of }: { of: Collection }): ReactNode {
  const { busy, act } = useAct();
  const mayChange = of.role === "admin";
  const set = (exclusions: string[]) => change(of.uuid, { exclusions });
  const rows = of.exclusions.map((name) => (
    <Line key={name} busy={busy} name={name}
      onRemove={mayChange ? () => void act(() => set(of.exclusions.filter((one) => one !== name)), `${name} may be contacted again.`, () => set(of.exclusions)) : undefined} />
  ));
  return (
    <>
      <p className="mb-2 text-soft">Never contacted, whatever points there, from the moment you add it.</p>
      <Lines rows={rows} none="Nothing is excluded." />
      {mayChange && (
        <Adding label="Never contact" hint="Names, *.names, addresses, blocks, URLs" busy={busy}
          onAdd={(names) => act(() => set([...of.exclusions, ...names]), `${names.join(", ")}: never contacted.`, () => set(of.exclusions))} />
      )}
    </>
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
function Adding({ label, hint, busy, onAdd }: { label: string; hint: string; busy: boolean; onAdd: (names: string[]) => Promise<boolean> }): ReactNode {
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
      <Button type="submit" disabled={busy}>Add</Button>
    </form>
  );
}
