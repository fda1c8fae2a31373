// An object of the wider API, where clients lead people: a file that somebody uploaded, a URL, a domain, an address.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode } from "react";
import { object, typeOf, type WiderObject } from "../api/objects";
import { CopyButton, Section, Trouble } from "../components/controls";
import { Facts } from "../components/facts";
import { Foreign, words } from "../components/text";
import { useTitle } from "../title";

const route = getRouteApi("/inside/gui/$type/$id");

export function ObjectPage(): ReactNode {
  const { type, id } = route.useParams();
  const found = useQuery(object(type, id));
  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Object">
      <div className="mx-auto flex max-w-6xl flex-col gap-5 p-3 sm:p-5">
        {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
        {found.isPending && <p role="status">Loading …</p>}
        {found.data && <Body of={found.data} word={type} />}
      </div>
    </div>
  );
}

/** What people call it: what the inventory or its submitter named, else its id. */
function nameOf({ attributes, id }: WiderObject): string {
  const names = [attributes.url, attributes.meaningful_name, attributes.name];
  return names.find((name): name is string => typeof name === "string" && name !== "") ?? id;
}

/** The host of a URL: the inventory writes ports where people leave them out. Anything else is itself. */
function hostOf(name: string): string {
  return URL.canParse(name) ? new URL(name).hostname : name;
}

function Body({ of, word }: { of: WiderObject; word: string }): ReactNode {
  const { last_analysis_results: results, last_analysis_stats: stats, ...rest } = of.attributes;
  const name = nameOf(of);
  useTitle(name);
  const isKnown = ["domain", "ip_address", "url"].includes(typeOf(word));
  return (
    <>
      <header>
        <p className="text-soft">{words(of.type)}</p>
        <div className="flex flex-wrap items-center gap-2">
          <h1 className="min-w-0 font-mono text-lg font-semibold break-all"><Foreign>{name}</Foreign></h1>
          <CopyButton text={name} label="Copy name" />
        </div>
        {isKnown && (
          <p><Link to="/entities" search={{ q: `name:"${hostOf(name)}"` }} className="text-accent underline">Find it in the inventory</Link></p>
        )}
      </header>
      <Section title="What engines said">
        <Facts of={{ ...(stats as Record<string, unknown> | undefined), ...(results as Record<string, unknown> | undefined) }} />
      </Section>
      <Section title="What is known"><Facts of={rest} /></Section>
    </>
  );
}
