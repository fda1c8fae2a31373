// Triage: what needs me, worst first, and a decision for each.

import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { allIssues, appeared, type Decision, decide, issueKinds, issueList, type IssueHit, issueNumber, type IssueQuestion, restore } from "../api/issues";
import { isOver, LOOK_MS, newestRuns } from "../api/runs";
import { collections } from "../api/session";
import { Button, Empty, FIELD, Trouble } from "../components/controls";
import { Dialog } from "../components/dialog";
import { Facets, type Facet } from "../components/facets";
import { useNotices } from "../components/notice";
import { QueryBox } from "../components/querybox";
import { count, relative, searching, severityWord, statusWord, words } from "../components/text";
import { useKeys } from "../keys";
import { usePlace } from "../place";
import { mayIn } from "../roles";
import { terms, without } from "../search";
import { stepOf } from "../steps";
import { useTitle } from "../title";
import { lastVisit } from "../visit";
import { None, useMayAdd } from "./none";
import { NothingOpen } from "./nothingopen";
import { DecisionDialog, type Choice, decisionOf } from "./decision";
import { IssueDrawer } from "./issue";
import { IssueList } from "./issuelist";

const route = getRouteApi("/inside/issues");

const SORTS = [
  ["summary.severity", "worst first"],
  ["-first_seen", "newest first"],
  ["first_seen", "oldest first"],
  ["entity_name", "by entity"],
  ["pretty_name", "by kind"],
] as const;

const GROUPS = [
  ["", "no groups"],
  ["pretty_name", "by kind"],
  ["entity_name", "by entity"],
  ["entity_type", "by kind of entity"],
] as const;

/** The search for what is past its due date. */
const LATE = "status_new:open overdue:true";

/** Keys of decisions, which viewers do not have. */
const DECIDING = ["x", "a", "n", "e", "u"];

/** Said where a viewer presses such a key. */
const ONLY_SEEN = "You may view this collection. Deciding on its issues requires the role of an analyst.";

const KEYS: [string, string][] = [
  ["j / k", "next, previous issue"],
  ["Enter", "open the issue, go into it"],
  ["x", "select it"],
  ["a", "accept the risk until …"],
  ["n", "not ours"],
  ["e", "done"],
  ["u", "take the last decision back"],
  ["/", "search"],
  ["Esc", "close"],
  ["?", "these keys"],
];

export function Triage(): ReactNode {
  const address = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const { say, undo } = useNotices();
  const search = address.q ?? "";
  const question: IssueQuestion = { search, sort: address.group || (address.sort ?? "summary.severity"), since: address.since };
  const list = useInfiniteQuery(issueList(question));
  const [visit] = useState(lastVisit);
  const fresh = useQuery({ ...appeared(visit ?? ""), enabled: visit !== null });
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.result.hits) ?? [], [list.data]);
  const first = list.data?.pages[0];
  const total = first?.result.total_hits ?? 0;

  // While a run goes on, what it finds is told of, and shown when asked for: rows do not move under the cursor.
  const going = useQuery(newestRuns).data?.some((run) => !isOver(run)) ?? false;
  const [opened] = useState(() => new Date().toISOString());
  const live = useQuery({ ...appeared(opened, search), enabled: going, refetchInterval: LOOK_MS });
  const unseen = useMemo(() => [...(live.data?.uids ?? [])].filter((uid) => !rows.some((row) => row.uid === uid)).length, [live.data, rows]);

  const { before, step, keep } = usePlace("/issues");
  const [at, setAt] = useState(before.at);
  useEffect(() => keep({ at }), [at, step, keep]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [everything, setEverything] = useState(false);
  const [choosing, setChoosing] = useState<{ choice: Choice; whom: "one" | "selected" } | null>(null);
  const [help, setHelp] = useState(false);
  const [working, setWorking] = useState<string | null>(null);
  const box = useRef<HTMLInputElement>(null);
  const open = address.issue;
  const current = rows[Math.min(at, rows.length - 1)];
  const shown = rows.find((row) => row.uid === open);
  useTitle(shown === undefined ? "Triage" : `${shown.pretty_name} · ${shown.entity_name}`);

  // Opening an issue is a step that the browser's Back takes again; from issue to issue is none. Closing goes that step back.
  const { history } = useRouter();
  const stepped = useRef(false);
  useEffect(() => {
    if (open === undefined) stepped.current = false;
  }, [open]);
  const change = useCallback(
    (next: Partial<typeof address>) => {
      const step = stepOf(next, open !== undefined, stepped.current);
      stepped.current = step.opened;
      if (step.back) history.back();
      else void navigate({ search: (now) => ({ ...now, ...next }), replace: step.replace });
    },
    [navigate, history, open],
  );
  const ask = useCallback(
    (q: string) => {
      setAt(0);
      setSelected(new Set());
      setEverything(false);
      change({ q });
    },
    [change],
  );

  const places = useQuery(collections).data;
  const mayDecide = useCallback((row: IssueHit) => mayIn(places, row.collection, "analyst"), [places]);
  const decides = places === undefined || places.some((one) => one.role !== "viewer");

  const pick = useCallback((uid: string) => {
    setEverything(false);
    setSelected((now) => {
      const next = new Set(now);
      if (!next.delete(uid)) next.add(uid);
      return next;
    });
  }, []);

  /** Decides on open issues, and says how to take it back. Returns why that failed, or null. */
  async function act(decision: Decision, whom: "one" | "selected"): Promise<string | null> {
    setWorking("Deciding …");
    try {
      const meant = whom === "one" ? rows.filter((row) => row.uid === (open ?? current?.uid)) : everything
        ? await allIssues(question, (found) => setWorking(`Finding all that match: ${found} …`))
        : rows.filter((row) => selected.has(row.uid));
      const mine = meant.filter(mayDecide);
      const hits = mine.filter((row) => row.summary.status_new === "open");
      const [closed, seen] = [mine.length - hits.length, meant.length - mine.length];
      if (hits.length === 0) {
        return mine.length === 0 && seen > 0 ? ONLY_SEEN : "Nothing to decide: what is selected is closed already.";
      }
      await decide(hits.map((hit) => hit.uid), decision);
      setChoosing(null);
      const before = hits.map((hit) => ({ uid: hit.uid, status: hit.summary.status }));
      const what = hits.length === 1 ? `“${hits[0]?.pretty_name}”` : count(hits.length, "issue");
      const stays = closed > 0 ? ` ${count(closed, "closed one")} stayed as decided.` : "";
      const others = seen > 0 ? ` ${count(seen, "issue")} of collections that you may only see stayed as well.` : "";
      say(`${what}: ${statusWord(decision.status)}${decision.until ? ` until ${decision.until}` : ""}.${stays}${others}`, async () => {
        await restore(before);
        await queries.invalidateQueries();
      });
      setSelected(new Set());
      setEverything(false);
      await queries.invalidateQueries();
      return null;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      setWorking(null);
    }
  }

  function choose(choice: Choice, whom: "one" | "selected") {
    const row = rows.find((one) => one.uid === (open ?? current?.uid));
    if (whom === "one" && row !== undefined && !mayDecide(row)) return say(ONLY_SEEN);
    const decision = decisionOf(choice);
    if (decision !== null) void act(decision, whom).then((trouble) => trouble !== null && say(trouble));
    else setChoosing({ choice, whom });
  }

  const whom = () => (open === undefined && (selected.size > 0 || everything) ? "selected" : "one");
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => {
      if (current) change({ issue: current.uid });
    },
    x: () => {
      if (current && mayDecide(current)) pick(current.uid);
    },
    a: () => choose("accept", whom()),
    n: () => choose("not ours", whom()),
    e: () => choose("done", whom()),
    u: undo,
    "/": () => box.current?.focus(),
    "?": () => setHelp(true),
    Escape: () => {
      if (open !== undefined) change({ issue: undefined });
      else setSelected(new Set());
    },
  });

  function move(by: number) {
    if (rows.length === 0) return;
    const next = Math.max(0, Math.min(rows.length - 1, at + by));
    setAt(next);
    if (open !== undefined) change({ issue: rows[next]?.uid });
  }

  const more = list.hasNextPage && !list.isFetching ? list.fetchNextPage : undefined;
  const facets = useFacets(first?.result.aggregations ?? undefined, search);
  // A decision takes a row from under the cursor.
  useEffect(() => setAt((now) => Math.max(0, Math.min(now, rows.length - 1))), [rows.length]);

  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <h1 className="sr-only">Triage</h1>
        <QueryBox value={search} noun="issues" onSearch={ask} input={box} />
        <label className="sr-only" htmlFor="sort">Order</label>
        <select id="sort" className={FIELD} value={address.sort ?? "summary.severity"} disabled={Boolean(address.group)}
          onChange={(event) => change({ sort: event.target.value })}>
          {SORTS.map(([value, label]) => <option key={value} value={value}>{label}</option>)}
        </select>
        <label className="sr-only" htmlFor="group">Groups</label>
        <select id="group" className={FIELD} value={address.group ?? ""}
          onChange={(event) => change({ group: event.target.value || undefined })}>
          {GROUPS.map(([value, label]) => <option key={value} value={value}>{label}</option>)}
        </select>
        <Button aria-label="Keys" onClick={() => setHelp(true)}>Keys</Button>
      </div>
      <div className="flex min-h-0 flex-1">
        <aside aria-label="Filters" className="hidden w-68 shrink-0 overflow-auto border-r border-line p-3 lg:block">
          <Facets facets={facets} search={search} onSearch={ask} />
        </aside>
        <section id="list" tabIndex={-1} aria-label="Issues" className="relative flex min-w-0 flex-1 flex-col">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-1.5">
            <p role="status" className="font-semibold">
              {working ?? (first ? count(total, "issue") : searching(list.error))}
            </p>
            {first && first.message.startsWith("no hits") && <p className="text-high">{first.message}</p>}
            {unseen > 0 && address.since === undefined && !list.hasNextPage && (
              <Button look="quiet" onClick={() => void list.refetch()}>{count(unseen, "more issue")} since you opened this: show</Button>
            )}
            <Late search={search} onSearch={ask} />
            <Visit visit={visit} fresh={fresh.data?.total} since={address.since} onSince={(since) => change({ since })} />
            <details className="lg:hidden">
              <summary className="text-accent">Filters</summary>
              <div className="absolute inset-x-0 z-30 max-h-[60vh] overflow-auto border-b border-line bg-ground p-3 shadow-lg">
                <Facets facets={facets} search={search} onSearch={ask} />
              </div>
            </details>
            {(selected.size > 0 || everything) && (
              <div role="toolbar" aria-label="For what is selected" className="ml-auto flex flex-wrap items-center gap-1.5">
                <span>{everything ? `all ${total.toLocaleString("en")} that match` : `${selected.size} selected`}</span>
                {!everything && total > selected.size && (
                  <Button look="quiet" onClick={() => setEverything(true)}>Select all {total.toLocaleString("en")}</Button>
                )}
                <Button onClick={() => choose("accept", "selected")}>Accept until …</Button>
                <Button onClick={() => choose("not ours", "selected")}>Not ours</Button>
                <Button onClick={() => choose("done", "selected")}>Done</Button>
                <Button look="quiet" onClick={() => { setSelected(new Set()); setEverything(false); }}>Clear</Button>
              </div>
            )}
          </div>
          {list.error && <Trouble error={list.error} retry={() => void list.refetch()} />}
          {first && rows.length === 0 ? (
            <Nothing search={search} since={address.since} message={first.message} onSearch={ask} onAll={() => change({ since: undefined })} />
          ) : (
            <IssueList rows={rows} total={total} at={at} group={address.group} open={open} selected={selected} everything={everything}
              fresh={fresh.data?.uids} visit={visit} more={more} mayDecide={mayDecide} onPick={pick}
              onOpen={(index) => { setAt(index); change({ issue: rows[index]?.uid }); }} />
          )}
        </section>
        {open !== undefined && (
          <IssueDrawer key={open} uid={open} onClose={() => change({ issue: undefined })}
            onChoose={(choice) => choose(choice, "one")} />
        )}
      </div>
      {choosing && (
        <DecisionDialog choice={choosing.choice} number={choosing.whom === "one" ? 1 : everything ? total : selected.size}
          onClose={() => setChoosing(null)} onDecide={(decision) => act(decision, choosing.whom)} />
      )}
      {help && (
        <Dialog label="Keys" onClose={() => setHelp(false)}>
          <h2 className="mb-2 text-base font-semibold">Keys</h2>
          <dl className="grid grid-cols-[6rem_1fr] gap-y-1">
            {KEYS.filter(([keys]) => decides || !DECIDING.includes(keys)).map(([keys, meaning]) => (
              <div key={keys} className="contents"><dt className="font-mono">{keys}</dt><dd>{meaning}</dd></div>
            ))}
          </dl>
          <form method="dialog" className="mt-3 text-right"><Button type="submit">Close</Button></form>
        </Dialog>
      )}
    </>
  );
}

/** How many open issues are past their due date. */
function Late({ search, onSearch }: { search: string; onSearch: (search: string) => void }): ReactNode {
  const late = useQuery(issueNumber(LATE)).data ?? 0;
  if (late === 0 || search === LATE) return null;
  return <Button look="quiet" onClick={() => onSearch(LATE)}>{late.toLocaleString("en")} overdue</Button>;
}

function Visit({ visit, fresh, since, onSince }: {
  visit: string | null;
  fresh: number | undefined;
  since: string | undefined;
  onSince: (since: string | undefined) => void;
}): ReactNode {
  if (since !== undefined) {
    return <Button look="quiet" onClick={() => onSince(undefined)}>New or back since {relative(since)} ✕</Button>;
  }
  if (visit === null || fresh === undefined) return null;
  if (fresh === 0) return <p className="text-soft">nothing new since your last visit, {relative(visit)}</p>;
  return <Button look="quiet" onClick={() => onSince(visit)}>{fresh} new or back since your last visit, {relative(visit)}</Button>;
}

function Nothing({ search, since, message, onSearch, onAll }: {
  search: string;
  since: string | undefined;
  message: string;
  onSearch: (search: string) => void;
  onAll: () => void;
}): ReactNode {
  const asked = terms(search);
  const last = asked[asked.length - 1];
  const all = useQuery(collections);
  const owner = useMayAdd();
  if (all.data?.length === 0) return <None owner={owner} />;
  if (since !== undefined) {
    return (
      <Empty title={`Nothing new or back since ${relative(since)}`}>
        <Button onClick={onAll}>Show what is open</Button>
      </Empty>
    );
  }
  if (message.startsWith("no hits")) {
    return <Empty title={message}><Button onClick={() => onSearch("status_new:open")}>Show what is open</Button></Empty>;
  }
  if (last === undefined || search === "status_new:open") return <NothingOpen onSearch={onSearch} />;
  const said = `${last.keyword === "" ? "" : `${last.keyword}:`}${last.not ? "!" : ""}${last.value}`;
  return (
    <Empty title="No issue matches">
      <p>Nothing matches all terms of the search.</p>
      <Button onClick={() => onSearch(without(search, [last.keyword]))}>Without {said}</Button>
    </Empty>
  );
}

function useFacets(counts: Partial<Record<string, Facet["buckets"] | null>> | undefined, search: string): Facet[] {
  const kinds = useQuery(issueKinds);
  const named = useQuery(collections);
  return useMemo(() => {
    const of = (name: string) => counts?.[name] ?? undefined;
    const collection = (value: string) => named.data?.find((one) => one.name === value)?.printable_name ?? value;
    const all: Facet[] = [
      { label: "Severity", keyword: "severity", buckets: of("severity_bucket"), name: severityWord, ordered: true },
      { label: "Open or closed", keyword: "status_new", buckets: of("status_new_bucket") },
      { label: "Status", keyword: "status_detailed", buckets: of("status_bucket"), name: statusWord },
      { label: "Kind", keyword: "name", buckets: of("issue_name_bucket"), name: (value) => kinds.data?.get(value) ?? words(value) },
      { label: "Confidence", keyword: "confidence", buckets: of("confidence") },
      { label: "Collection", keyword: "collection", buckets: of("collection_bucket"), name: collection },
    ];
    // A facet of one value tells nothing, unless it was asked for.
    const asked = new Set(terms(search).map((term) => term.keyword));
    return all.filter((one) => asked.has(one.keyword) || (one.buckets?.buckets.length ?? 0) !== 1);
  }, [counts, kinds.data, named.data, search]);
}

