// The library: what this version finds, how it looks, and which products it recognises.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { libraryIssues, libraryProducts, libraryTasks } from "../api/library";
import type { Schema } from "../api/client";
import { Empty, FIELD, Trouble } from "../components/controls";
import { CELL, Page, ROW, Table } from "../components/page";
import { Chip, count, Foreign, kind, Severity, words } from "../components/text";

const route = getRouteApi("/inside/library");

const TABS = [
  ["issues", "Issues"],
  ["tasks", "Tasks"],
  ["products", "Products"],
] as const;
type Tab = (typeof TABS)[number][0];

export function Library(): ReactNode {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const tab: Tab = TABS.find(([name]) => name === address.tab)?.[0] ?? "issues";
  const filter = address.q ?? "";
  return (
    <Page title="Library" beside={
      <>
        <nav aria-label="Parts of the library" className="flex gap-1">
          {TABS.map(([name, label]) => (
            <Link key={name} to="/library" search={{ tab: name }} className={`rounded px-2 py-1 ${name === tab ? "bg-picked font-semibold" : "hover:bg-raised"}`}
              {...(name === tab ? { "aria-current": "page" as const } : {})}>{label}</Link>
          ))}
        </nav>
        <input type="search" aria-label="Filter" placeholder="words that occur" className={`${FIELD} ml-auto w-60 max-w-full`} value={filter} spellCheck={false}
          onChange={(event) => void navigate({ search: (now) => ({ ...now, q: event.target.value || undefined }), replace: true })} />
      </>
    }>
      {tab === "issues" && <Issues filter={filter} />}
      {tab === "tasks" && <Tasks filter={filter} />}
      {tab === "products" && <Products filter={filter} />}
    </Page>
  );
}

/** Whether every word of the filter occurs in one of the texts. */
function holds(filter: string, ...texts: string[]): boolean {
  const all = texts.join(" ").toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => all.includes(word));
}

function Found({ number, all, what, many }: { number: number; all: number; what: string; many?: string }): ReactNode {
  return <p role="status" className="text-soft">{number === all ? count(all, what, many) : `${number} of ${count(all, what, many)}`}</p>;
}

function Issues({ filter }: { filter: string }): ReactNode {
  const found = useQuery(libraryIssues);
  const all = found.data ?? [];
  const shown = all.filter((one) => holds(filter, one.name, one.pretty_name, one.description, one.category))
    .sort((a, b) => a.severity - b.severity || a.pretty_name.localeCompare(b.pretty_name));
  if (found.error) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <p role="status">Loading …</p>;
  return (
    <>
      <Found number={shown.length} all={all.length} what="kind of issue" many="kinds of issue" />
      {shown.length === 0 && <Empty title="No kind of issue has these words" />}
      <ul className="flex flex-col divide-y divide-line">
        {shown.map((one) => <Issue key={one.name} of={one} />)}
      </ul>
    </>
  );
}

function Issue({ of }: { of: Schema["LibraryIssue"] }): ReactNode {
  return (
    <li className="py-2">
      <details>
        <summary className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Severity of={of.severity} />
          <span className="min-w-0 flex-1 font-medium break-words">{of.pretty_name}</span>
          <Chip>{words(of.category)}</Chip>
          {of.status === "potential" && <Chip>potential</Chip>}
        </summary>
        <div className="mt-2 flex max-w-prose flex-col gap-2 border-l border-line pl-3">
          <p>{of.description}</p>
          <p><strong>How to fix it.</strong> {of.remediation}</p>
          <ul>
            {(of.references as { uri: string }[]).map((one) => (
              <li key={one.uri} className="break-all"><a href={one.uri} target="_blank" rel="noopener noreferrer" className="text-accent underline">{one.uri}</a></li>
            ))}
          </ul>
          <p><Link to="/issues" search={{ q: `name:${of.name}` }} className="text-accent underline">Issues of this kind in the project</Link></p>
        </div>
      </details>
    </li>
  );
}

function Tasks({ filter }: { filter: string }): ReactNode {
  const found = useQuery(libraryTasks);
  const all = found.data ?? [];
  const shown = all.filter((one) => holds(filter, one.name, one.pretty_name, one.description));
  if (found.error) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <p role="status">Loading …</p>;
  return (
    <>
      <Found number={shown.length} all={all.length} what="task" />
      <Table label="Every task" heads={["Task", "What it does", "At", "Finds", "Contacts"]}>
        {shown.map((one) => (
          <tr key={one.name} className={ROW}>
            <th scope="row" className={`${CELL} min-w-32 font-medium`}>{one.pretty_name}</th>
            <td className={`${CELL} min-w-64`}>{one.description}</td>
            <td className={`${CELL} min-w-24`}>{one.allowed_types.map(kind).join(", ")}</td>
            <td className={`${CELL} min-w-24`}>{one.created_types.map(kind).join(", ") || "facts of it"}</td>
            <td className={CELL}>{one.passive ? "nothing of yours" : "what is yours"}</td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function Products({ filter }: { filter: string }): ReactNode {
  const found = useQuery(libraryProducts);
  const all = found.data ?? [];
  const shown = all.filter((one) => holds(filter, one.vendor, one.product, one.tags.join(" ")));
  if (found.error) return <Trouble error={found.error} retry={() => void found.refetch()} />;
  if (!found.data) return <p role="status">Loading …</p>;
  return (
    <>
      <Found number={shown.length} all={all.length} what="way to recognise a product" many="ways to recognise a product" />
      <Table label="Every product" heads={["Product", "Vendor", "What it is", "Recognised by"]}>
        {shown.map((one, index) => (
          <tr key={index} className={ROW}>
            <th scope="row" className={`${CELL} min-w-32 font-medium`}>{one.product}</th>
            <td className={CELL}>{one.vendor}</td>
            <td className={CELL}>{one.tags.map((tag) => <Chip key={tag}>{tag}</Chip>)}</td>
            <td className={`${CELL} min-w-40`}>
              {one.positive_matches.map((match, index) => (
                <span key={index} className="block">{words(match.match_type)}: <code className="font-mono text-[0.8125rem] break-all"><Foreign>{match.match_content}</Foreign></code></span>
              ))}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}
