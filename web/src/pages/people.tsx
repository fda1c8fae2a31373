// The people of a project, and what each may do in its collections.

import { useQueries, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useAct } from "../act";
import type { Schema } from "../api/client";
import { bring, type CollectionRole, giveRole, people, type Person, type ProjectRole, roles, takeOut } from "../api/settings";
import { collections } from "../api/session";
import { Button, FIELD, Section, Trouble } from "../components/controls";
import { Dialog } from "../components/dialog";
import { CELL, ROW, Table } from "../components/page";
import { Chip, Foreign } from "../components/text";

/** Collections whose roles stand side by side. */
const COLLECTIONS_MAX = 12;

const ROLES: [CollectionRole, string][] = [
  ["viewer", "sees it"],
  ["analyst", "decides on issues"],
  ["admin", "starts runs, changes scope, and may delete the collection for good"],
];

export function People({ project }: { project: Schema["Project"] }): ReactNode {
  const owner = project.role === "owner";
  const all = useQuery(people(project.uuid));
  const places = useQuery(collections);
  const [leaving, setLeaving] = useState<Person | null>(null);
  const { busy, act } = useAct();
  const shown = (places.data ?? []).filter((one) => one.role === "admin").slice(0, COLLECTIONS_MAX);
  const given = useQueries({ queries: shown.map((one) => roles(one.uuid)) });
  const list = all.data ?? [];
  return (
    <>
      {owner && <Bring project={project.uuid} />}
      <Section title={`People of ${project.name}`}>
        {all.error && <Trouble error={all.error} retry={() => void all.refetch()} />}
        <Table label="People and roles" heads={["Who", "In the project", ...shown.map((one) => one.printable_name), "Take out"]}>
          {list.map((person) => (
            <tr key={person.id} className={ROW}>
              <th scope="row" className={`${CELL} min-w-32 font-normal break-words`}>
                <Foreign>{person.email}</Foreign> {person.state === "invited" && <Chip>invited</Chip>}
              </th>
              <td className={CELL}>
                {owner ? (
                  <select aria-label={`Role of ${person.email}`} className={FIELD} disabled={busy} value={person.role}
                    onChange={(event) => void act(() => bring(project.uuid, person.email, event.target.value as ProjectRole), `${person.email} is ${person.state === "invited" ? "invited as " : ""}${event.target.value} now.`,
                      () => bring(project.uuid, person.email, person.role))}>
                    <option value="owner">owner</option>
                    <option value="member">member</option>
                  </select>
                ) : person.role}
              </td>
              {shown.map((place, index) => (
                <td key={place.uuid} className={CELL}>
                  {person.role === "owner" ? <span className="text-soft">all, as an owner</span>
                    : <Role place={place} person={person} now={given[index]?.data?.find((one) => one.project_user_id === person.id)?.role ?? null} />}
                </td>
              ))}
              <td className={CELL}>{owner && <Button disabled={busy} onClick={() => setLeaving(person)}>{person.state === "invited" ? "Withdraw" : "Take out"}<span className="sr-only"> {person.email}</span> …</Button>}</td>
            </tr>
          ))}
        </Table>
        <p className="mt-2 text-xs text-soft">
          Owners may do everything. A member sees what a role is given in: {ROLES.map(([role, meaning]) => `${role} ${meaning}`).join(", ")}; each may do what those before it may.
          {(places.data?.length ?? 0) > COLLECTIONS_MAX && ` The first ${COLLECTIONS_MAX} collections are shown; the command ambit role and the API have all.`}
        </p>
      </Section>
      {leaving?.state === "invited" && (
        <Dialog label="Withdraw an invitation" onClose={() => setLeaving(null)}>
          <h2 className="mb-2 text-base font-semibold">Withdraw the invitation of <Foreign>{leaving.email}</Foreign>?</h2>
          <p className="mb-3">They have not answered it. They can be invited again.</p>
          <form method="dialog" className="flex justify-end gap-2">
            <Button type="submit">Keep it</Button>
            <Button type="submit" look="first" onClick={() => void act(() => takeOut(project.uuid, leaving.id), `The invitation of ${leaving.email} is withdrawn.`)}>Withdraw it</Button>
          </form>
        </Dialog>
      )}
      {leaving?.state === "active" && (
        <Dialog label="Take somebody out" onClose={() => setLeaving(null)}>
          <h2 className="mb-2 text-base font-semibold">Take <Foreign>{leaving.email}</Foreign> out of the project?</h2>
          <p className="mb-3">What they decided and wrote stays. Their roles in its collections end.</p>
          <form method="dialog" className="flex justify-end gap-2">
            <Button type="submit">Keep them</Button>
            <Button type="submit" look="first" onClick={() => void act(() => takeOut(project.uuid, leaving.id), `${leaving.email} is out of the project.`)}>Take out</Button>
          </form>
        </Dialog>
      )}
    </>
  );
}

function Role({ place, person, now }: { place: Schema["Collection"]; person: Person; now: CollectionRole | null }): ReactNode {
  const { busy, act } = useAct();
  return (
    <select aria-label={`Role of ${person.email} in ${place.printable_name}`} className={FIELD} disabled={busy} value={now ?? ""}
      onChange={(event) => {
        const next = (event.target.value || null) as CollectionRole | null;
        void act(() => giveRole(place.uuid, person.id, next), next === null ? "The role is removed." : `${person.email} is ${next} of ${place.printable_name}.`,
          () => giveRole(place.uuid, person.id, now));
      }}>
      <option value="">does not see it</option>
      {ROLES.map(([role]) => <option key={role} value={role}>{role}</option>)}
    </select>
  );
}

function Bring({ project }: { project: string }): ReactNode {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<ProjectRole>("member");
  const [trouble, setTrouble] = useState<string | null>(null);
  const { busy, act } = useAct();
  function submit(event: FormEvent) {
    event.preventDefault();
    setTrouble(null);
    void act(async () => {
      const [found] = await bring(project, email.trim(), role);
      if (found?.state === "unknown") {
        setTrouble("No user of this installation has that address. Its administrator creates users: ambit user create.");
        throw new Error(`${email.trim()} is not a user of this installation.`);
      }
      setEmail("");
      return found?.state;
    }, (state) => (state === "invited" ? `${email.trim()} is invited, and in the project once they accept.` : `${email.trim()} is in the project.`));
  }
  return (
    <Section title="Invite somebody">
      <form className="flex flex-wrap items-end gap-3" onSubmit={submit}>
        <label className="flex flex-col gap-1">E-mail address<input type="email" className={FIELD} value={email} required onChange={(event) => setEmail(event.target.value)} /></label>
        <label className="flex flex-col gap-1">
          As
          <select className={FIELD} value={role} onChange={(event) => setRole(event.target.value as ProjectRole)}>
            <option value="member">member</option>
            <option value="owner">owner</option>
          </select>
        </label>
        <Button type="submit" look="first" disabled={busy}>Invite</Button>
      </form>
      {trouble && <p role="alert" className="mt-2 rounded bg-critical-ground p-2 text-critical">{trouble}</p>}
    </Section>
  );
}
