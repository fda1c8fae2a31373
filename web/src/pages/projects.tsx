// The projects of the caller: which one is looked at, what they are called, and new ones.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useAct } from "../act";
import { chooseProject, chosenProject, forgetProject, type Schema } from "../api/client";
import { changeProject, leaveProject, makeProject, people } from "../api/settings";
import { Button, FIELD, Section, Trouble } from "../components/controls";
import { Dialog } from "../components/dialog";
import { Chip, Foreign, Moment } from "../components/text";
import { Invitations } from "./invitations";

export function Projects({ all }: { all: Schema["Project"][] }): ReactNode {
  const { busy, act } = useAct();
  const [name, setName] = useState("");
  function submit(event: FormEvent) {
    event.preventDefault();
    void act(() => makeProject(name.trim()), `The project ${name.trim()} is created. It is empty: choose it above.`).then((done) => done && setName(""));
  }
  return (
    <>
      <Invitations />
      <Section title="Projects">
        <p className="mb-2 text-soft">Collections, issues and people of one project are not seen from another.</p>
        <ul className="flex flex-col divide-y divide-line">
          {all.map((project) => <Project key={project.uuid} of={project} alone={all.length === 1} />)}
        </ul>
      </Section>
      <Section title="A new project">
        <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
          <label className="flex flex-col gap-1">Name<input className={FIELD} value={name} maxLength={200} required onChange={(event) => setName(event.target.value)} /></label>
          <Button type="submit" look="first" disabled={busy || name.trim() === ""}>Make it</Button>
        </form>
      </Section>
    </>
  );
}

function Project({ of, alone }: { of: Schema["Project"]; alone: boolean }): ReactNode {
  const { busy, act } = useAct();
  const queries = useQueryClient();
  const [name, setName] = useState(of.name);
  const [editing, setEditing] = useState(false);
  const [leaving, setLeaving] = useState(false);
  return (
    <li className="relative flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      {editing ? (
        <form className="flex gap-2" onSubmit={(event) => {
          event.preventDefault();
          void act(() => changeProject(of.uuid, { name: name.trim() }), "Renamed.", () => changeProject(of.uuid, { name: of.name })).then((done) => done && setEditing(false));
        }}>
          <input aria-label={`Name of ${of.name}`} className={FIELD} value={name} maxLength={200} autoFocus onChange={(event) => setName(event.target.value)} />
          <Button type="submit" disabled={busy || name.trim() === ""}>Save</Button>
        </form>
      ) : (
        <span className="min-w-0 font-semibold break-words"><Foreign>{of.name}</Foreign></span>
      )}
      <Chip>{of.role ?? "no role"}</Chip>
      {of.primary && <Chip tone="accent">primary</Chip>}
      <span className="text-soft">made <Moment at={of.created_at} />{of.owner_email && <> by <Foreign>{of.owner_email}</Foreign></>}</span>
      <span className="ml-auto flex flex-wrap gap-1.5">
        {of.role === "owner" && !editing && <Button onClick={() => setEditing(true)}>Rename<span className="sr-only"> {of.name}</span></Button>}
        {!alone && <Button onClick={() => { chooseProject(of.uuid); void queries.resetQueries(); }}>Switch to it<span className="sr-only"> {of.name}</span></Button>}
        {!of.primary && <Button disabled={busy} onClick={() => void act(() => changeProject(of.uuid, { primary: true }), `${of.name} is your primary project now.`)}>Make it primary<span className="sr-only"> {of.name}</span></Button>}
        {of.role !== null && <Button onClick={() => setLeaving(true)}>Leave …<span className="sr-only"> {of.name}</span></Button>}
      </span>
      {leaving && <Leave of={of} onClose={() => setLeaving(false)} />}
    </li>
  );
}

/** Asks before leaving; the only owner is told what to do first. */
function Leave({ of, onClose }: { of: Schema["Project"]; onClose: () => void }): ReactNode {
  const { act } = useAct();
  const queries = useQueryClient();
  const all = useQuery(people(of.uuid));
  const only = of.role === "owner" && (all.data ?? []).filter((one) => one.role === "owner" && one.state === "active").length < 2;
  async function leave() {
    await leaveProject(of.uuid);
    if (chosenProject() === of.uuid) forgetProject();
    // Nothing of it is shown any more, not even until the rest is read again.
    await queries.resetQueries();
  }
  return (
    <Dialog label="Leave the project" onClose={onClose}>
      <h2 className="mb-2 text-base font-semibold break-words">Leave <Foreign>{of.name}</Foreign>?</h2>
      {all.error && <Trouble error={all.error} retry={() => void all.refetch()} />}
      {all.data && (only
        ? <p className="mb-3">You are its only owner, and a project keeps at least one. Make somebody else an owner first, under People.</p>
        : <p className="mb-3">You see nothing of it any more, and your roles in its collections end. An owner can invite you again. What you decided and wrote stays.</p>)}
      <form method="dialog" className="flex justify-end gap-2">
        <Button type="submit">Stay</Button>
        <Button type="submit" look="first" disabled={!all.data || only} onClick={() => void act(leave, `You left ${of.name}.`)}>Leave it</Button>
      </form>
    </Dialog>
  );
}
