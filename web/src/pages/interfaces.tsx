// What an application or an interface takes: parameters with the places that name them, and where it leads visitors to
// any host. These stand in the raw details alone.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { rawEntity } from "../api/entities";
import { Section, Trouble } from "../components/controls";
import { Foreign } from "../components/text";

interface Parameter {
  name: string;
  seen?: string[];
  paths?: string[];
}

interface LedAway {
  path: string;
  parameter: string;
}

/** How the places are called in which a parameter is named. */
const PLACES: Record<string, string> = {
  document: "its description",
  form: "a form",
  guess: "nothing, it was tried",
  link: "a link",
  query: "the address of a page",
  script: "a script",
};

/** Rows that are listed; the rest stands in what is known as JSON. */
const ROWS_MAX = 200;

/** Whether entities of a type take parameters. */
export function hasInterface(type: string): boolean {
  return /(^|:)(Uri|ApiEndpoint)$/.test(type);
}

/** What an entity takes; nothing where nobody looked. */
export function Taken({ uid }: { uid: string }): ReactNode {
  const raw = useQuery(rawEntity(uid));
  if (raw.error) return <Trouble error={raw.error} retry={() => void raw.refetch()} />;
  const details = (raw.data?.details ?? {}) as Record<string, unknown>;
  const list = <T,>(name: string) => (Array.isArray(details[name]) ? details[name] as T[] : []);
  const taken = [...list<Parameter>("hidden_parameters"), ...list<Parameter>("hidden_guessed_parameters")];
  const led = list<LedAway>("hidden_led_away");
  if (taken.length === 0 && led.length === 0) return null;
  return (
    <Section title={`Parameters (${taken.length})`}>
      <div className="max-h-96 overflow-auto" tabIndex={0} role="region" aria-label="Parameters">
        <table className="w-full text-left">
          <thead className="text-xs text-soft">
            <tr><th scope="col">Parameter</th><th scope="col">Named by</th><th scope="col">At</th></tr>
          </thead>
          <tbody>
            {taken.slice(0, ROWS_MAX).map((one) => (
              <tr key={`${one.name} ${String(one.seen)}`} className="border-t border-line align-top">
                <td className="py-0.5 pr-3 font-mono text-[0.8125rem] break-all"><Foreign>{one.name}</Foreign></td>
                <td className="py-0.5 pr-3">{(one.seen ?? []).map((place) => PLACES[place] ?? place).join(", ")}</td>
                <td className="py-0.5 font-mono text-[0.8125rem] break-all"><Foreign>{(one.paths ?? []).join(" ")}</Foreign></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {taken.length > ROWS_MAX && <p className="text-soft">And {taken.length - ROWS_MAX} more, in what is known as JSON.</p>}
      {led.map((one) => (
        <p key={`${one.path} ${one.parameter}`} className="mt-1">
          <Foreign>{one.path}</Foreign> leads to any host that <Foreign>{one.parameter}</Foreign> names.
        </p>
      ))}
    </Section>
  );
}
