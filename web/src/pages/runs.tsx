// Every run of the project, newest first: what is going on, and what was done.

import { useQueries, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { isOver, newestRuns, type Run, type RunDetail, runsOf } from "../api/runs";
import { collections } from "../api/session";
import { Button, Empty, FIELD, LinkButton, Trouble } from "../components/controls";
import { CELL, Page, ROW, Table } from "../components/page";
import { notDone, RunLink, RunState } from "../components/runs";
import { count, Foreign } from "../components/text";
import { lasting } from "../levels";
import { None, useMayAdd } from "./none";

const route = getRouteApi("/inside/runs");

/** Collections whose runs are all read: of more, the newest run of each is shown, until one is chosen. */
const COLLECTIONS_MAX = 20;
const ROWS_SHOWN = 50;

export function Runs(): ReactNode {
  const { collection } = route.useSearch();
  const navigate = route.useNavigate();
  const places = useQuery(collections);
  const newest = useQuery(newestRuns);
  const owner = useMayAdd();
  const all = places.data ?? [];
  const chosen = collection === undefined ? all : all.filter((one) => one.uuid === collection);
  const many = chosen.length > COLLECTIONS_MAX;
  const lists = useQueries({ queries: many ? [] : chosen.map((one) => runsOf(one.uuid)) });
  const trouble = [places, newest, ...lists].find((one) => one.error);
  const runs: Run[] = many ? (newest.data ?? []) : lists.flatMap((list) => list.data ?? []);
  const loaded = places.data !== undefined && newest.data !== undefined && lists.every((list) => list.data);
  const choose = (uuid: string) => void navigate({ search: uuid === "" ? {} : { collection: uuid } });
  return (
    <Page title="Runs" beside={
      <>
        <p role="status" className="text-soft">{loaded ? count(runs.length, "run") : "Loading …"}</p>
        {all.length > 1 && (
          <select aria-label="Collection" className={`${FIELD} ml-auto max-w-60`} value={collection ?? ""} onChange={(event) => choose(event.target.value)}>
            <option value="">all collections</option>
            {all.map((one) => <option key={one.uuid} value={one.uuid}>{one.printable_name}</option>)}
          </select>
        )}
      </>
    }>
      {trouble?.error && <Trouble error={trouble.error} retry={() => void trouble.refetch()} />}
      {many && <p className="text-soft">The newest run of each of {count(chosen.length, "collection")}. Choose one to see all of its runs.</p>}
      {loaded && all.length === 0 && <None owner={owner} />}
      {loaded && all.length > 0 && runs.length === 0 && (
        <Empty title="Nothing was run yet">
          <p>Nothing was contacted. A collection shows what its first run would contact before you start it.</p>
          <LinkButton to="/collections">To the collections</LinkButton>
        </Empty>
      )}
      {runs.length > 0 && (
        <RunTable runs={runs.toSorted((a, b) => b.created_at.localeCompare(a.created_at))} newest={newest.data ?? []}
          named={new Map(all.map((one) => [one.uuid, one.printable_name]))} />
      )}
    </Page>
  );
}

function RunTable({ runs, newest, named }: { runs: Run[]; newest: RunDetail[]; named: Map<string, string> }): ReactNode {
  const [shown, setShown] = useState(ROWS_SHOWN);
  const link = "text-accent underline";
  return (
    <>
      <Table label="All runs" heads={["Run", "State", "Collection", "Took", "Entities", "Not probed", "Asked for"]}>
        {runs.slice(0, shown).map((run) => {
          const detail = newest.find((one) => one.id === run.id);
          const missed = detail && notDone(detail);
          return (
            <tr key={run.id} className={ROW}>
              <th scope="row" className={`${CELL} font-normal`}><RunLink of={run} /></th>
              <td className={CELL}><RunState of={run.status} /></td>
              <td className={`${CELL} min-w-32 break-words`}>
                <Link to="/collections/$uuid" params={{ uuid: run.collection_uuid }} className={link}>
                  <Foreign>{named.get(run.collection_uuid) ?? run.collection_name}</Foreign>
                </Link>
              </td>
              <td className={`${CELL} whitespace-nowrap`}>{run.started_at === null ? "–" : `${isOver(run) ? "" : "so far "}${lasting(run.duration)}`}</td>
              <td className={`${CELL} tabular-nums`}>{run.entity_count.toLocaleString("en")}</td>
              <td className={CELL}>
                {missed === undefined ? <Link to="/runs/$id" params={{ id: String(run.id) }} hash="not-done" className={link}>see the run</Link>
                  : missed === 0 ? "nothing"
                    : <Link to="/runs/$id" params={{ id: String(run.id) }} hash="not-done" className={link}>{count(missed, "probe")}</Link>}
              </td>
              <td className={`${CELL} min-w-32 break-words`}>{run.created_by_email ? <>by <Foreign>{run.created_by_email}</Foreign></> : "by the schedule"}</td>
            </tr>
          );
        })}
      </Table>
      {runs.length > shown && <Button look="quiet" className="self-start" onClick={() => setShown(shown + 4 * ROWS_SHOWN)}>{count(runs.length - shown, "older run")}</Button>}
    </>
  );
}
