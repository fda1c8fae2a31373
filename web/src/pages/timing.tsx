// When the runs of a collection start by themselves, and when they rest.

import { type FormEvent, type ReactNode, useState } from "react";
import { useAct } from "../act";
import type { Schema } from "../api/client";
import { change, type Collection } from "../api/collections";
import { Button, FIELD } from "../components/controls";
import { Foreign } from "../components/text";
import { scheduleWords, SCHEDULES } from "../levels";

type Change = Schema["CollectionSettings"];

/** The choice in the list that is no schedule of the API's: a cron line takes its place. */
const BY_CRON = "cron";
const DAYS: [string, string][] = [["", "every day"], ["mon-fri", "on weekdays"], ["sun,sat", "at weekends"]];
const SINGLE_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** How a person reads when runs start: the schedule's word, or the cron line. */
export function startWords(of: Collection): string {
  return of.timing.cron === null ? scheduleWords(of.auto_refresh_schedule) : `by the cron line ${of.timing.cron}`;
}

export function Timing({ of }: { of: Collection }): ReactNode {
  const { busy, act } = useAct();
  const set = (next: Change, said: string, before: Change) => act(() => change(of.uuid, next), said, () => change(of.uuid, before));
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Starts of={of} busy={busy} set={set} />
      <Rests of={of} busy={busy} set={set} />
    </div>
  );
}

interface Part {
  of: Collection;
  busy: boolean;
  set: (next: Change, said: string, before: Change) => Promise<boolean>;
}

/** What brings back how runs start now: choosing a word ends a cron line. */
function kept(of: Collection): Change {
  return of.timing.cron === null ? { auto_refresh_schedule: of.auto_refresh_schedule as "daily" } : { timing: { cron: of.timing.cron } };
}

function Starts({ of, busy, set }: Part): ReactNode {
  const [cron, setCron] = useState(of.timing.cron ?? "");
  const [byCron, setByCron] = useState(of.timing.cron !== null);
  function choose(value: string) {
    if (value === BY_CRON) return setByCron(true);
    setByCron(false);
    void set({ auto_refresh_schedule: value as "daily" }, `Runs ${scheduleWords(value)}.`, kept(of));
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    void set({ timing: { cron: cron.trim() } }, `Runs by ${cron.trim()}.`, kept(of));
  }
  return (
    <div className="flex flex-col gap-3">
      <label className="flex flex-col gap-1">
        A run starts
        <select className={FIELD} disabled={busy} value={byCron ? BY_CRON : of.auto_refresh_schedule} onChange={(event) => choose(event.target.value)}>
          {SCHEDULES.map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          <option value={BY_CRON}>by a cron line</option>
        </select>
      </label>
      {byCron && (
        <form className="flex flex-wrap items-end gap-2" onSubmit={submit}>
          <label className="flex min-w-0 flex-1 flex-col gap-1">
            Cron line
            <input type="text" className={`${FIELD} font-mono text-[0.8125rem]`} value={cron} required spellCheck={false} autoComplete="off" aria-describedby="cron-form"
              onChange={(event) => setCron(event.target.value)} />
          </label>
          {cron.trim() !== (of.timing.cron ?? "") && <Button type="submit" disabled={busy}>Save the cron line</Button>}
          <span id="cron-form" className="w-full text-xs text-soft">Minute, hour, day, month, day of the week: 30 2 * * mon-fri is half past two in the night, on weekdays.</span>
        </form>
      )}
      <Zone key={of.timing.time_zone} of={of} busy={busy} set={set} />
      <label className="flex flex-col gap-1">
        Put each start off by up to
        <select className={FIELD} disabled={busy} value={of.timing.jitter_minutes}
          onChange={(event) => void set({ timing: { jitter_minutes: Number(event.target.value) } }, "Saved.", { timing: { jitter_minutes: of.timing.jitter_minutes } })}>
          {[...new Set([0, 15, 60, 240, of.timing.jitter_minutes])].sort((a, b) => a - b).map((minutes) => (
            <option key={minutes} value={minutes}>{minutes === 0 ? "nothing" : minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} minutes`}</option>
          ))}
        </select>
      </label>
    </div>
  );
}

function Zone({ of, busy, set }: Part): ReactNode {
  const [zone, setZone] = useState(of.timing.time_zone);
  return (
    <form className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void set({ timing: { time_zone: zone.trim() } }, `Times are those of ${zone.trim()}.`, { timing: { time_zone: of.timing.time_zone } });
      }}>
      <label className="flex min-w-0 flex-1 flex-col gap-1">
        Time zone
        <input type="text" className={FIELD} list="zones" value={zone} required spellCheck={false} autoComplete="off" onChange={(event) => setZone(event.target.value)} />
      </label>
      <datalist id="zones">{Intl.supportedValuesOf("timeZone").map((name) => <option key={name} value={name} />)}</datalist>
      {zone.trim() !== of.timing.time_zone && <Button type="submit" disabled={busy}>Save the time zone</Button>}
    </form>
  );
}

function Rests({ of, busy, set }: Part): ReactNode {
  const [days, setDays] = useState("mon-fri");
  const [from, setFrom] = useState("08:00");
  const [until, setUntil] = useState("18:00");
  const windows = of.timing.rest_windows;
  const put = (next: string[], said: string) => set({ timing: { rest_windows: next } }, said, { timing: { rest_windows: windows } });
  function submit(event: FormEvent) {
    event.preventDefault();
    const added = `${days} ${from}-${until}`.trim();
    void put([...windows.filter((one) => one !== added), added], `Runs rest ${added}.`);
  }
  return (
    <div className="flex flex-col gap-2">
      <p>Runs rest</p>
      <p className="text-soft">No run starts in these hours, and one that goes on waits until they are over. Times are those of {of.timing.time_zone}.</p>
      {windows.length === 0 && <p>Never: a run may go on at any hour.</p>}
      <ul>
        {windows.map((one) => (
          <li key={one} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 py-0.5"><Foreign>{one}</Foreign></span>
            <Button look="quiet" disabled={busy} aria-label={`Remove ${one}`} onClick={() => void put(windows.filter((other) => other !== one), `Runs do not rest ${one} any more.`)}>Remove</Button>
          </li>
        ))}
      </ul>
      <form className="flex flex-wrap items-end gap-2" onSubmit={submit}>
        <label className="flex flex-col gap-1">
          Days
          <select className={FIELD} value={days} onChange={(event) => setDays(event.target.value)}>
            {[...DAYS, ...SINGLE_DAYS.map((day): [string, string] => [day, day])].map(([value, words]) => <option key={value} value={value}>{words}</option>)}
          </select>
        </label>
        <label className="flex flex-col gap-1">From<input type="time" className={FIELD} value={from} required onChange={(event) => setFrom(event.target.value)} /></label>
        <label className="flex flex-col gap-1">Until<input type="time" className={FIELD} value={until} required onChange={(event) => setUntil(event.target.value)} /></label>
        <Button type="submit" disabled={busy}>Rest then</Button>
      </form>
    </div>
  );
}
