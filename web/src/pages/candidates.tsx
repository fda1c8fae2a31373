// What may be theirs: found near what is, with the evidence for it, waiting for a person's word.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { useAct } from "../act";
import { candidates, candidateSearch, type Collection, mark } from "../api/collections";
import { type EntityHit, scope } from "../api/entities";
import { Button, Trouble } from "../components/controls";
import { Chip, count, Foreign, kind } from "../components/text";
import { Trail } from "../components/trail";

export function Candidates({ of }: { of: Collection }): ReactNode {
  const found = useQuery(candidates(of.name));
  if (found.error) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <p>Searching …</p>;
  const { hits, total_hits: total } = found.data;
  if (total === 0) {
    return <p>There is nothing to decide. Entities that a run finds and cannot attribute will be listed here.</p>;
  }
  return (
    <>
      <p className="mb-2">
        {count(total, "name or address", "names and addresses")} may be yours, and {total === 1 ? "is" : "are"} observed only passively (public records and DNS) until you decide.
        {total > hits.length && " These are the most probable."}
      </p>
      <ul className="flex flex-col divide-y divide-line">
        {hits.map((hit) => <Candidate key={hit.id} of={hit} role={of.role ?? "viewer"} />)}
      </ul>
      {total > hits.length && (
        <p className="mt-2">
          <Link to="/entities" search={{ q: candidateSearch(of.name) }} className="text-accent underline">
            All {total.toLocaleString("en")} in the inventory
          </Link>
        </p>
      )}
    </>
  );
}

function Candidate({ of, role }: { of: EntityHit; role: string }): ReactNode {
  const why = useQuery(scope(of.id));
  const { busy, act } = useAct();
  return (
    <li className="flex flex-col gap-2 py-2 md:flex-row md:items-start">
      <div className="min-w-0 flex-1">
        <p>
          <span className="text-soft">{kind(of.type)}</span>{" "}
          <Link to="/entities/$uid" params={{ uid: of.id }} search={{}} className="font-mono text-[0.8125rem] break-all text-accent underline">
            <Foreign>{of.name}</Foreign>
          </Link>{" "}
          {why.data && <Chip>{Math.round(why.data.ownership * 100)} % yours</Chip>}
        </p>
        {why.data ? <div className="mt-1 border-l border-line pl-3"><Trail scope={why.data} end={false} /></div> : <p className="text-soft">{why.error?.message ?? "Loading …"}</p>}
      </div>
      <div className="flex gap-1.5">
        {role === "admin" && (
          <Button
            disabled={busy}
            aria-label={`${of.name} is ours`}
            onClick={() => void act(() => mark(of.id, { allow_list: true }), `${of.name} counts as yours.`, () => mark(of.id, { allow_list: false }))}
          >
            Ours
          </Button>
        )}
        {role !== "viewer" && (
          <Button
            disabled={busy}
            aria-label={`${of.name} is not ours`}
            onClick={() => void act(() => mark(of.id, { deny_list: true }), `${of.name} is not yours, and is not probed.`, () => mark(of.id, { deny_list: false }))}
          >
            Not ours
          </Button>
        )}
      </div>
    </li>
  );
}
