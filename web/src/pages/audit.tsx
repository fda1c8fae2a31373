// What people did in a project, newest first.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import type { Schema } from "../api/client";
import { audit } from "../api/settings";
import { Button, Empty, FIELD, Section, Trouble } from "../components/controls";
import { Facts } from "../components/facts";
import { CELL, ROW, Table } from "../components/page";
import { count, exact, Foreign } from "../components/text";

const ROWS_SHOWN = 100;

export function Audit({ project }: { project: Schema["Project"] }): ReactNode {
  const owner = project.role === "owner";
  const found = useQuery({ ...audit, enabled: owner });
  const [filter, setFilter] = useState("");
  const [number, setNumber] = useState(ROWS_SHOWN);
  if (!owner) return <Empty title="Only owners of a project read its audit log"><p>An owner of {project.name} can make you one.</p></Empty>;
  const all = found.data ?? [];
  const words = filter.toLowerCase();
  const rows = all.filter((row) => `${row.user ?? ""} ${row.action} ${row.object} ${JSON.stringify(row.details)}`.toLowerCase().includes(words));
  return (
    <Section title="What people did">
      {found.error && <Trouble error={found.error} retry={() => void found.refetch()} />}
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <input type="search" aria-label="Filter the audit log" placeholder="who, what, or at what" className={`${FIELD} w-72 max-w-full`} value={filter} onChange={(event) => setFilter(event.target.value)} />
        <p role="status" className="text-soft">{found.data ? `${rows.length.toLocaleString("en")} of the ${count(all.length, "newest entry", "newest entries")}` : "Loading …"}</p>
      </div>
      {found.data && rows.length === 0 && <Empty title="No entry has these words" />}
      {rows.length > 0 && (
        <Table label="Entries" heads={["When", "Who", "What", "At", "With"]}>
          {rows.slice(0, number).map((row) => (
            <tr key={row.id} className={ROW}>
              <td className={`${CELL} whitespace-nowrap`}><time dateTime={row.at}>{exact(row.at)}</time></td>
              <td className={`${CELL} min-w-32 break-words`}><Foreign>{row.user ?? "the program"}</Foreign></td>
              <td className={`${CELL} whitespace-nowrap`}>{row.action.replaceAll(/[._]/g, " ")}</td>
              <td className={`${CELL} max-w-64 min-w-24 font-mono text-xs break-all`}><Foreign>{row.object}</Foreign></td>
              <td className={`${CELL} min-w-48`}>
                {typeof row.details === "object" && row.details !== null && Object.keys(row.details).length > 0 && <Facts of={row.details as Record<string, unknown>} />}
              </td>
            </tr>
          ))}
        </Table>
      )}
      {rows.length > number && <Button look="quiet" onClick={() => setNumber(number + 4 * ROWS_SHOWN)}>{count(rows.length - number, "older entry", "older entries")}</Button>}
    </Section>
  );
}
