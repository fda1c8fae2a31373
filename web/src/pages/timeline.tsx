// The moments at which an entity changed, newest first, each with what was different from the one before.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { entity, moments } from "../api/entities";
import { Button, Trouble } from "../components/controls";
import { isNothing, Value } from "../components/facts";
import { exact, relative, words } from "../components/text";
import { differences } from "../diff";

/** Moments that are shown before more are asked for. */
const SHOWN = 10;

export function Timeline({ uid, asOf, onMoment }: { uid: string; asOf: string | undefined; onMoment: (asOf: string) => void }): ReactNode {
  const found = useQuery(moments(uid));
  const [number, setNumber] = useState(SHOWN);
  if (found.error) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  const all = found.data ?? [];
  const newest = all.toReversed();
  return (
    <>
      <ol className="flex flex-col gap-2">
        {newest.slice(0, number).map((at, index) => (
          <Event key={at} uid={uid} at={at} before={newest[index + 1]} here={asOf === at} onMoment={onMoment} />
        ))}
      </ol>
      {newest.length > number && <Button look="quiet" onClick={() => setNumber(number + SHOWN)}>{newest.length - number} more</Button>}
    </>
  );
}

function Event({ uid, at, before, here, onMoment }: {
  uid: string;
  at: string;
  before: string | undefined;
  here: boolean;
  onMoment: (asOf: string) => void;
}): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <li className={here ? "border-l-4 border-accent pl-2" : "pl-3"}>
      <div className="flex flex-wrap items-center gap-x-3">
        <time dateTime={at} title={exact(at)}>{exact(at)}, {relative(at)}</time>
        <span className="text-soft">{before === undefined ? "first seen" : "changed"}</span>
        {before !== undefined && (
          <button type="button" aria-expanded={open} className="min-h-6 text-accent underline" onClick={() => setOpen(!open)}>what changed</button>
        )}
        <button type="button" className="min-h-6 text-accent underline" onClick={() => onMoment(at)}>show the page as of then</button>
      </div>
      {open && before !== undefined && <Differences uid={uid} before={before} after={at} />}
    </li>
  );
}

/** What an entity showed otherwise at a moment than at another; without the second one, than now. */
export function Differences({ uid, before, after }: { uid: string; before: string; after: string | undefined }): ReactNode {
  const [old, fresh] = [useQuery(entity(uid, before)), useQuery(entity(uid, after))];
  const error = old.error ?? fresh.error;
  if (error) return <Trouble error={error} retry={() => void (old.error ? old.refetch() : fresh.refetch())} />;
  if (!old.data || !fresh.data) return <p role="status">Loading …</p>;
  const told = ({ details, summary, scoped, tags, hidden, allow_list, deny_list }: typeof old.data) => ({
    details,
    summary: { issues: summary.issues, ports: summary.ports, technologies: summary.technology.technologies },
    "in scope": scoped,
    tags,
    hidden,
    "allow list": allow_list,
    "deny list": deny_list,
  });
  const found = differences(told(old.data), told(fresh.data));
  if (found.length === 0) return <p className="text-soft">Nothing that this page shows: the change was reverted, or it concerns only internal fields.</p>;
  return (
    <table className="mt-1 w-full table-fixed text-left">
      <thead className="text-xs text-soft">
        <tr><th scope="col" className="w-1/4">Fact</th><th scope="col">Before</th><th scope="col">Then</th></tr>
      </thead>
      <tbody>
        {found.map(({ path, before, after }) => (
          <tr key={path} className="border-t border-line align-top">
            <th scope="row" className="py-1 pr-2 font-normal break-words">{words(path.replace(/^details\./, ""))}</th>
            <td className="py-1 pr-2 text-critical">{isNothing(before) ? "–" : <Value of={before} />}</td>
            <td className="py-1 text-good">{isNothing(after) ? "–" : <Value of={after} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
