// How much of the wider API the caller used: quotas, and calls by day.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { quotas, usage } from "../api/settings";
import { session } from "../api/session";
import { Section, Trouble } from "../components/controls";
import { CELL, ROW, Table } from "../components/page";
import { type Line, Plot } from "../components/plot";
import { words } from "../components/text";
import { DAY_S, isoDay } from "../days";

const DAYS = 30;
/** From here on a quota means that there is no cap. */
const NO_CAP = 1_000_000_000;

export function Usage(): ReactNode {
  const user = useQuery(session).data?.username ?? "";
  const limits = useQuery({ ...quotas(user), enabled: user !== "" });
  const used = useQuery({ ...usage(user), enabled: user !== "" });
  const plotted = useMemo(() => {
    const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
    const days = Array.from({ length: DAYS }, (_, index) => today - (DAYS - 1 - index) * DAY_S);
    const of = (day: number) => used.data?.get(isoDay(day));
    const lines: Line[] = [
      { label: "calls that draw on a quota", colour: "--accent", values: days.map((day) => of(day)?.charged ?? 0) },
      { label: "calls that are free", colour: "--high", values: days.map((day) => of(day)?.free ?? 0) },
    ];
    return { days, lines };
  }, [used.data]);
  const trouble = limits.error ?? used.error;
  return (
    <>
      {trouble && <Trouble error={trouble} retry={() => void (limits.error ? limits.refetch() : used.refetch())} />}
      <Section title={`Calls of the last ${DAYS} days`}>
        <p className="mb-2 max-w-prose text-soft">Only calls of the wider API are counted. This interface makes such calls where it reads, keeps, shares and deletes graphs and where it shows objects by their type and id. Everything else in it is free, and so are runs.</p>
        <Plot label={`Calls on each of the last ${DAYS} days; the table below has the numbers`} days={plotted.days} lines={plotted.lines} />
        <details className="mt-2">
          <summary className="text-accent">The numbers</summary>
          <Table label="Calls by day" heads={["Day (UTC)", ...plotted.lines.map((line) => line.label)]}>
            {plotted.days.map((day, index) => (
              <tr key={day} className={ROW}>
                <th scope="row" className={`${CELL} font-normal`}>{isoDay(day)}</th>
                {plotted.lines.map((line) => <td key={line.label} className={`${CELL} tabular-nums`}>{line.values[index]?.toLocaleString("en")}</td>)}
              </tr>
            ))}
          </Table>
        </details>
      </Section>
      <Section title="Quotas">
        <Table label="Every quota" heads={["Quota", "Used", "Allowed", "Share"]}>
          {(limits.data ?? []).map((one) => (
            <tr key={one.name} className={ROW}>
              <th scope="row" className={`${CELL} font-normal`}>{words(one.name)}</th>
              <td className={`${CELL} tabular-nums`}>{one.used.toLocaleString("en")}</td>
              <td className={`${CELL} tabular-nums`}>{one.allowed >= NO_CAP ? "no cap" : one.allowed.toLocaleString("en")}</td>
              <td className={`${CELL} min-w-24`}>
                {one.allowed > 0 && one.allowed < NO_CAP && <progress className="h-1.5 w-full" aria-label={words(one.name)} max={one.allowed} value={one.used} />}
              </td>
            </tr>
          ))}
        </Table>
      </Section>
    </>
  );
}
