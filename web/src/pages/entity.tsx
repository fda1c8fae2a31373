// One entity: why it is ours, what is known of it, its issues, what is near, what happened to it; now or at a moment of
// the past.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useRef, useState } from "react";
import { useAnchor } from "../anchor";
import { type Entity, entity, entityList, rawEntity, scope } from "../api/entities";
import { issueList } from "../api/issues";
import { AsOfBanner, AsOfPicker } from "../components/asof";
import { Button, CopyButton, Empty, Section, Trouble } from "../components/controls";
import { Facts, isNothing } from "../components/facts";
import { Chip, count, Foreign, kind, Moment, Severity, severityWord, statusWord, words } from "../components/text";
import { Trail } from "../components/trail";
import { useTitle } from "../title";
import { hasInterface, Taken } from "./interfaces";
import { PostureOf } from "./posture";
import { Timeline } from "./timeline";

const route = getRouteApi("/inside/entities/$uid");

export function EntityPage(): ReactNode {
  const { uid } = route.useParams();
  const { as_of: asOf } = route.useSearch();
  const navigate = route.useNavigate();
  const now = useQuery(entity(uid));
  const known = now.data !== undefined && (asOf === undefined || endOf(asOf) >= now.data.first_seen);
  const then = useQuery({ ...entity(uid, asOf), enabled: known });
  const shown = asOf === undefined ? now.data : then.data;
  const turn = (as_of: string | undefined) => void navigate({ search: as_of === undefined ? {} : { as_of } });
  const trouble = now.error ?? then.error;
  useTitle(shown?.name ?? now.data?.name);
  const content = useRef<HTMLDivElement>(null);
  useAnchor(content);
  return (
    <>
      {asOf && <AsOfBanner asOf={asOf} onNow={() => turn(undefined)} />}
      <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Entity">
        <div ref={content} className="mx-auto flex max-w-6xl flex-col gap-5 p-3 sm:p-5 2xl:max-w-[110rem]">
          <div className="flex flex-wrap items-center justify-between gap-2">
            <Link to="/entities" search={{ q: "scoped:true present:true", ...(asOf ? { as_of: asOf } : {}) }} className="text-accent underline">
              Inventory
            </Link>
            <AsOfPicker asOf={asOf} onChange={turn} />
          </div>
          {trouble && <Trouble error={trouble} retry={() => void (now.error ? now.refetch() : then.refetch())} />}
          {now.data && !known && (
            <Empty title="It was not known then">
              <p>It was first seen <Moment at={now.data.first_seen} />.</p>
              <Button onClick={() => turn(undefined)}>Back to now</Button>
            </Empty>
          )}
          {!shown && !trouble && known && <p role="status">Loading …</p>}
          {shown && <Body of={shown} asOf={asOf} onMoment={turn} />}
        </div>
      </div>
    </>
  );
}

/** The moment that an "as of" means: of a day its end. */
function endOf(asOf: string): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(asOf) ? `${asOf}T23:59:59.999Z` : asOf;
}

function Body({ of, asOf, onMoment }: { of: Entity; asOf: string | undefined; onMoment: (asOf: string) => void }): ReactNode {
  const why = useQuery(scope(of.uid, asOf));
  const known = blocks(of.details as unknown as Record<string, unknown>).map(([title, facts]) => <Section key={title} title={title}><Facts of={facts} /></Section>);
  return (
    <>
      <header>
        <p className="text-soft">{kind(of.type)}</p>
        <div className="flex flex-wrap items-center gap-2">
          <h1 className="min-w-0 font-mono text-lg font-semibold break-all"><Foreign>{of.name}</Foreign></h1>
          <CopyButton text={of.name} label="Copy name" />
        </div>
        <p className="mt-1 flex flex-wrap gap-1.5">
          <Chip tone={of.scoped ? "good" : "soft"}>{of.scoped ? "in scope" : "not in scope"}</Chip>
          {of.seed && <Chip tone="accent">seed</Chip>}
          {of.allow_list && <Chip>on the allow list</Chip>}
          {of.deny_list && <Chip>on the deny list</Chip>}
          {of.hidden && <Chip>hidden</Chip>}
          {of.deleted && <Chip>gone</Chip>}
          {of.tags.map((tag) => <Chip key={tag}><Foreign>{tag}</Foreign></Chip>)}
        </p>
      </header>
      <Section title="Why it is believed to be ours">
        {why.data ? <Trail scope={why.data} /> : <p className="text-soft">{why.error?.message ?? "Loading …"}</p>}
      </Section>
      <Strip of={of} />
      <div className="grid items-start gap-5 2xl:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-5">
          {of.summary.screenshot_exists && <Picture of={of} />}
          {of.seed && kind(of.type) === "Domain" && <PostureOf uid={of.uid} asOf={asOf} />}
          <Issues uid={of.uid} asOf={asOf} />
          {asOf === undefined && hasInterface(of.type) && <Taken uid={of.uid} />}
          {known.slice(0, 1)}
        </div>
        <div className="flex min-w-0 flex-col gap-5">
          {known.slice(1)}
          <Section title="Where this is from">
            <p className="mb-1">Last seen <Moment at={of.last_seen} />. Probed by:</p>
            <p className="flex flex-wrap gap-1.5">
              {[...new Set(of.task_results.map((result) => result.task))].map((task) => <Chip key={task}>{words(task)}</Chip>)}
            </p>
          </Section>
          <Related of={of} asOf={asOf} />
          {asOf === undefined && <p><Link to="/graphs" search={{ entity: of.uid, depth: "1" }} className="text-accent underline">Show it and its neighbours as a graph</Link></p>}
          <Section title="What happened">
            <Timeline uid={of.uid} asOf={asOf} onMoment={onMoment} />
          </Section>
          {asOf === undefined && <Raw uid={of.uid} />}
        </div>
      </div>
    </>
  );
}

/** The newest picture that a browser took of a site; of the past there is none. */
function Picture({ of }: { of: Entity }): ReactNode {
  const source = `/api/ambit/v1/entities/${of.uid}/screenshot`;
  return (
    <Section title="Picture">
      <a href={source} target="_blank" rel="noreferrer">
        <img src={source} alt={`${of.name} in a browser`} loading="lazy" className="w-full rounded border border-line" />
      </a>
    </Section>
  );
}

/** The few figures that people look for first; what is not known is left out. */
function Strip({ of }: { of: Entity }): ReactNode {
  const { summary } = of;
  const issues = Object.entries(summary.issues.current_by_severity as Record<string, number>).filter(([, number]) => number > 0);
  const ports = [...summary.ports.tcp.map(String), ...summary.ports.udp.map((port) => `${port}/udp`)];
  const place = summary.geolocation.country_name ?? summary.geolocation.country_code;
  const network = summary.network.asn === null ? summary.network.name : `${summary.network.name ?? ""} (AS${summary.network.asn})`;
  const figures: [string, ReactNode][] = [
    ["Open issues", issues.length === 0 ? "none" : issues.map(([severity, number]) => `${number} ${severityWord(severity)}`).join(", ")],
    ["Ports", ports.length > 0 && ports.join(", ")],
    ["Technologies", summary.technology.technologies.length > 0 && <Foreign>{summary.technology.technologies.join(", ")}</Foreign>],
    ["Addresses", summary.resolutions.length > 0 && <Foreign>{summary.resolutions.join(", ")}</Foreign>],
    ["HTTP", summary.http.code !== null && <Foreign>{`${summary.http.code} ${summary.http.title ?? ""}`}</Foreign>],
    ["Network", network && <Foreign>{network}</Foreign>],
    ["Country", place && <Foreign>{place}</Foreign>],
    ["First seen", <Moment key="first" at={of.first_seen} />],
    ["Last seen", <Moment key="last" at={of.last_seen} />],
  ];
  return (
    <dl className="grid grid-cols-[repeat(auto-fill,minmax(10rem,1fr))] gap-3 rounded border border-line bg-raised p-3">
      {figures.filter(([, value]) => value).map(([name, value]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-soft">{name}</dt>
          <dd className="font-medium break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Which members of the details stand together; the rest are facts. */
const BLOCKS: [string, RegExp][] = [
  ["Web", /^(code|title|uri|redirect|headers|verbs|forms|auth\.|cookies|domain_cookies|scripts|generator|api_endpoint|response_)/],
  ["Certificate", /^(certificate|alt_names|ssl|not_|issuer|subject|serial|algorithm|key_|self_signed|signature)/],
  ["Products", /^(fingerprint|cloud_)/],
  ["Network", /^(net_|asn|ip_address|host_id|geolocation|port|ports|protocol|service)$|^net_/],
  ["Hashes", /(sha1|md5|sha256|_hash)$/],
];

function blocks(details: Record<string, unknown>): [string, Record<string, unknown>][] {
  const found = new Map<string, Record<string, unknown>>([["Facts", {}], ...BLOCKS.map(([title]) => [title, {}] as [string, Record<string, unknown>])]);
  for (const [name, value] of Object.entries(details)) {
    if (isNothing(value) || /^(hidden_|extended_path|exfil_|screenshot_exists)/.test(name)) continue;
    const title = BLOCKS.find(([, pattern]) => pattern.test(name))?.[0] ?? "Facts";
    const block = found.get(title);
    if (block) block[name] = value;
  }
  return [...found].filter(([, facts]) => Object.keys(facts).length > 0);
}

/** Issues of one entity that are listed. */
const ISSUES_MAX = 50;

function Issues({ uid, asOf }: { uid: string; asOf: string | undefined }): ReactNode {
  const found = useInfiniteQuery(issueList({ search: `entity_uid:${uid}`, sort: "summary.severity", since: undefined, asOf }));
  const hits = found.data?.pages[0]?.result.hits ?? [];
  const total = found.data?.pages[0]?.result.total_hits ?? 0;
  return (
    <Section title={`Issues${found.data ? ` (${total})` : ""}`}>
      {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
      {found.data && total === 0 && <p className="text-soft">None was found here.</p>}
      <ul className="flex flex-col gap-1">
        {hits.slice(0, ISSUES_MAX).map((hit) => (
          <li key={hit.uid} className="flex flex-wrap items-center gap-2">
            <Severity of={hit.summary.severity} />
            <Link to="/issues" search={{ q: `entity_uid:${uid}`, issue: hit.uid }} className="text-accent underline">
              <Foreign>{hit.pretty_name}</Foreign>
            </Link>
            <Chip tone={hit.summary.status_new === "closed" ? "good" : "accent"}>{statusWord(hit.summary.status)}</Chip>
            <span className="text-xs text-soft">first seen <Moment at={hit.first_seen} /></span>
          </li>
        ))}
      </ul>
      {total > ISSUES_MAX && <Link to="/issues" search={{ q: `entity_uid:${uid}` }} className="text-accent underline">All {total}</Link>}
    </Section>
  );
}

/** The host in a name: what its neighbours have in theirs, too. */
function host(name: string): string {
  return name.replace(/^[a-z]+:\/\//, "").replace(/ \(.*$/, "").replace(/[/:].*$/, "").replace(/^\*\./, "");
}

const RELATED_MAX = 12;

function Related({ of, asOf }: { of: Entity; asOf: string | undefined }): ReactNode {
  const search = `name:${host(of.name)}`;
  const found = useInfiniteQuery({ ...entityList({ search, sort: "type", asOf }), enabled: host(of.name) !== "" });
  const first = found.data?.pages[0]?.result;
  const others = (first?.hits ?? []).filter((hit) => hit.id !== of.uid);
  if (first === undefined || others.length === 0) return null;
  return (
    <Section title={`Others with ${host(of.name)} in their name (${first.total_hits - 1})`}>
      <ul className="grid grid-cols-1 gap-x-4 gap-y-1 md:grid-cols-2">
        {others.slice(0, RELATED_MAX).map((hit) => (
          <li key={hit.id} className="min-w-0 truncate">
            <span className="text-soft">{kind(hit.type)} </span>
            <Link to="/entities/$uid" params={{ uid: hit.id }} search={asOf ? { as_of: asOf } : {}} className="font-mono text-[0.8125rem] text-accent underline">
              <Foreign>{hit.name}</Foreign>
            </Link>
          </li>
        ))}
      </ul>
      {first.total_hits - 1 > RELATED_MAX && (
        <Link to="/entities" search={{ q: search, ...(asOf ? { as_of: asOf } : {}) }} className="text-accent underline">
          All {count(first.total_hits, "entity", "entities")}
        </Link>
      )}
    </Section>
  );
}

function Raw({ uid }: { uid: string }): ReactNode {
  const [open, setOpen] = useState(false);
  const raw = useQuery({ ...rawEntity(uid), enabled: open });
  const text = raw.data ? JSON.stringify(raw.data, null, 2) : "";
  return (
    <details className="rounded border border-line p-3" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-sm font-semibold text-soft">Everything that is known, as JSON</summary>
      {raw.error && <Trouble error={raw.error} retry={() => void raw.refetch()} />}
      {text !== "" && (
        <>
          <p className="my-2"><CopyButton text={text} /></p>
          <pre tabIndex={0} className="max-h-96 overflow-auto rounded bg-raised p-2 font-mono text-xs"><Foreign lines>{text}</Foreign></pre>
        </>
      )}
    </details>
  );
}
