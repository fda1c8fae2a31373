// Help: the search language with examples that can be tried, the keys, and what words mean.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { keywords } from "../api/library";
import type { Schema } from "../api/client";
import { Section, Trouble } from "../components/controls";
import { CELL, Page, ROW, Table } from "../components/page";
import { LEVEL_MEANING, LEVELS } from "../levels";

const EXAMPLES: { to: "/issues" | "/entities" | "/technologies"; q: string; finds: string }[] = [
  { to: "/issues", q: "status_new:open severity_lte:2", finds: "open issues that are critical or high" },
  { to: "/issues", q: "status_new:open confidence:confirmed entity_type:Uri", finds: "what was reproduced on a site and is open" },
  { to: "/issues", q: "first_seen_after:last_refresh", finds: "issues that the last finished run found first" },
  { to: "/entities", q: "scoped:true present:true type:uri http_code:200", finds: "your sites that answer with a page" },
  { to: "/entities", q: "present:true port_tcp:22 port_tcp:3389", finds: "where SSH or a remote desktop is open" },
  { to: "/entities", q: "scoped:false ownership_gte:30", finds: "what may be yours and waits for a word" },
  { to: "/entities", q: "technology:php type:!DnsRecord", finds: "what runs PHP, without names" },
  { to: "/technologies", q: "nginx version:1.1", finds: "versions of nginx that hold 1.1" },
];

const RULES = [
  ["keyword:value", "one term. Terms are separated by blanks, and different keywords must all hold"],
  ["type:uri type:domain", "the same keyword again means or"],
  ["type:!uri", "a mark of exclamation before the value means not"],
  ["shop", "a word alone searches the name, by any part of it"],
  ['tag:"to do"', "a value with blanks stands in double quotes"],
  ["last_seen_after:2026-03-01", "a time is a date, a moment, or last_refresh: the start of a collection’s last finished run"],
] as const;

const KEYS = [
  ["/", "search, on every list"],
  ["j and k", "next and previous row"],
  ["Enter", "open the row; in triage, go into the issue"],
  ["x", "select an issue"],
  ["a, n, e", "accept the risk, not ours, done"],
  ["u", "take the last decision back"],
  ["Esc", "close, or clear the selection"],
] as const;

export function Help(): ReactNode {
  const all = useQuery(keywords);
  return (
    <Page title="Help">
      <Section title="The search language">
        <p className="mb-2 max-w-prose">
          The text in the search box is the API’s own search string. It stands in the address, so that an address can be sent to a colleague, and the same text
          works in the API and after <code className="font-mono">ambit entities</code>, <code className="font-mono">ambit issues</code> and <code className="font-mono">ambit technologies</code>.
          Case never matters.
        </p>
        <Pairs of={RULES} />
      </Section>
      <Section title="Examples to try">
        <ul className="flex flex-col gap-1">
          {EXAMPLES.map(({ to, q, finds }) => (
            <li key={q}>
              <Link to={to} search={{ q }} className="font-mono text-[0.8125rem] break-words text-accent underline">{q}</Link>{" "}
              <span className="text-soft">finds {finds}</span>
            </li>
          ))}
        </ul>
      </Section>
      <Section title="Keywords">
        {all.error && <Trouble error={all.error} retry={() => void all.refetch()} />}
        <Table label="Every keyword" heads={["Keyword", "Searches", "Takes", "Finds"]}>
          {(all.data ?? []).map((one) => (
            <tr key={one.keyword} className={ROW}>
              <th scope="row" className={`${CELL} font-mono text-[0.8125rem] font-normal`}>{one.keyword}</th>
              <td className={`${CELL} min-w-24`}>{one.searches.join(", ")}</td>
              <td className={`${CELL} max-w-64 min-w-24`}>{takes(one)}</td>
              <td className={`${CELL} min-w-48`}>{one.meaning}</td>
            </tr>
          ))}
        </Table>
      </Section>
      <Section title="The past">
        <p className="max-w-prose">
          Inventory and the page of an entity turn to the end of a day with <em>As of</em>; <Link to="/changes" search={{}} className="text-accent underline">Changes</Link> says
          what came, changed and went since a day.
        </p>
      </Section>
      <Section title="Keys"><Pairs of={KEYS} /></Section>
      <Section title="How far a run goes">
        <Pairs of={LEVELS.map((level) => [level, LEVEL_MEANING[level]] as const)} />
      </Section>
      <Section title="For programs">
        <p>The <a href="/docs" className="text-accent underline">documentation of the API</a> is served by this program and tries calls without the network.</p>
      </Section>
    </Page>
  );
}

function takes(of: Schema["SearchKeyword"]): string {
  if (of.words.length > 0) return of.words.join(", ").replaceAll("_", "_\u200b");
  if (of.value === "number" && of.min !== null) return of.max === null ? `a number from ${of.min}` : `a number from ${of.min} to ${of.max}`;
  return { text: "text", number: "a number", boolean: "true or false", time: "a time", kind: "a kind of entity", word: "a word" }[of.value];
}

function Pairs({ of }: { of: readonly (readonly [string, string])[] }): ReactNode {
  return (
    <dl className="grid gap-x-4 gap-y-1 sm:grid-cols-[minmax(5rem,auto)_1fr]">
      {of.map(([what, meaning]) => (
        <div key={what} className="contents">
          <dt className="font-mono text-[0.8125rem] break-words">{what}</dt>
          <dd className="min-w-0">{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}
