// What opens the accounts that a collection looks through: integrations of its project, whose secrets are sealed.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { useAct } from "../act";
import type { Collection } from "../api/collections";
import { addUse, endUse, type Integration, integrations, integrationUses, makeIntegration, removeIntegration } from "../api/integrations";
import { libraryWorkflows } from "../api/library";
import { Button, FIELD, Section, Trouble } from "../components/controls";
import { Foreign } from "../components/text";

/** The one type of integration that runs of this version look through. */
const AWS = "AwsCredential";

/** A secret or setting of an integration, as a person knows it. */
interface Field {
  name: string;
  label: string;
  hidden?: boolean;
  required?: boolean;
}

const AWS_SECRETS: Field[] = [
  { name: "aws_access_key_id", label: "Access key id", required: true },
  { name: "aws_secret_access_key", label: "Secret access key", hidden: true, required: true },
  { name: "aws_session_token", label: "Session token, of keys that hold for a while" },
  { name: "aws_role_arn", label: "Role to take (ARN)" },
  { name: "aws_external_id", label: "External id that the role demands" },
];

/** A section where the collection's workflow begins with credentials, or where it uses some. */
export function Credentials({ of }: { of: Collection }): ReactNode {
  const uses = useQuery(integrationUses);
  const workflows = useQuery(libraryWorkflows);
  const begins = workflows.data?.find((one) => one.name === of.workflow_name)?.credentials ?? [];
  const used = (uses.data ?? []).filter((use) => use.collection_uuid === of.uuid);
  const { busy, act } = useAct();
  const mayChange = of.role === "admin" && !of.archived;
  if (begins.length === 0 && used.length === 0) return null;
  return (
    <Section title="Accounts it looks through" id="accounts">
      {uses.error && <Trouble error={uses.error} retry={() => void uses.refetch()} />}
      {begins.length === 0 && <p className="mb-2">Runs of this collection do not begin with accounts: what is listed here is not used.</p>}
      {uses.data && used.length === 0 && <p className="mb-2">None yet: without one, a run finds nothing.</p>}
      <ul>
        {used.map((use) => (
          <li key={use.uuid} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 py-0.5 break-words"><Foreign>{use.integration_name}</Foreign> <span className="text-soft">{use.integration_type}</span></span>
            {mayChange && (
              <Button look="quiet" disabled={busy} aria-label={`Do not use ${use.integration_name}`}
                onClick={() => void act(() => endUse(use.uuid), `${use.integration_name} is not used here any more. The next run closes what only it led to.`,
                  () => addUse(of.uuid, use.integration_uuid))}>
                Do not use it
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayChange && begins.includes(AWS) && <More of={of} used={used.map((use) => use.integration_uuid)} />}
    </Section>
  );
}

function More({ of, used }: { of: Collection; used: string[] }): ReactNode {
  const all = useQuery(integrations(of.project_uuid));
  const others = (all.data ?? []).filter((one) => one.type === AWS && !used.includes(one.uuid));
  const { busy, act } = useAct();
  // Members of a project read collections; integrations are its owners'.
  if (all.error) return <p className="text-soft">{all.error.message}</p>;
  return (
    <div className="mt-2 flex flex-col gap-3">
      {others.length > 0 && (
        <ul aria-label="Other accounts of the project">
          {others.map((one) => <Other key={one.uuid} of={one} busy={busy} onUse={() => void act(() => addUse(of.uuid, one.uuid), `${one.name} is looked through by the next run.`)}
            onRemove={() => void act(() => removeIntegration(one.uuid), `${one.name} is removed with its secrets.`)} />)}
        </ul>
      )}
      <NewAws of={of} />
    </div>
  );
}

function Other({ of, busy, onUse, onRemove }: { of: Integration; busy: boolean; onUse: () => void; onRemove: () => void }): ReactNode {
  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 flex-1 py-0.5 break-words"><Foreign>{of.name}</Foreign> <span className="text-soft">of this project, not used here</span></span>
      <Button disabled={busy} aria-label={`Use ${of.name}`} onClick={onUse}>Use it</Button>
      <Button look="quiet" disabled={busy} aria-label={`Remove ${of.name} for good`} onClick={onRemove}>Remove it for good</Button>
    </li>
  );
}

function NewAws({ of }: { of: Collection }): ReactNode {
  const [values, setValues] = useState<Record<string, string>>({});
  const { busy, act } = useAct();
  const value = (name: string) => values[name] ?? "";
  function submit(event: FormEvent) {
    event.preventDefault();
    const secrets = Object.fromEntries(AWS_SECRETS.map(({ name }) => [name, value(name).trim()]).filter(([, text]) => text !== ""));
    const settings = value("region").trim() === "" ? {} : { region: value("region").trim() };
    void act(async () => {
      const made = await makeIntegration(of.project_uuid, { name: value("name").trim(), type: AWS, secrets, settings });
      await addUse(of.uuid, made.uuid);
    }, "The account is looked through by the next run.").then((done) => done && setValues({}));
  }
  const fields: Field[] = [{ name: "name", label: "What to call it", required: true }, ...AWS_SECRETS, { name: "region", label: "Region that is asked first" }];
  return (
    <details>
      <summary className="text-accent">Add an account at AWS</summary>
      <form className="mt-2 grid gap-3 sm:grid-cols-2" onSubmit={submit}>
        {fields.map((field) => (
          <label key={field.name} className="flex flex-col gap-1">
            {field.label}
            <input type={field.hidden ? "password" : "text"} className={FIELD} required={field.required ?? false} autoComplete="off" spellCheck={false}
              value={value(field.name)} onChange={(event) => setValues({ ...values, [field.name]: event.target.value })} />
          </label>
        ))}
        <div className="flex flex-wrap items-center gap-2 sm:col-span-2">
          <Button type="submit" look="first" disabled={busy}>Add it</Button>
          <span className="text-soft">Sealed when it arrives, opened for runs alone, and shown to nobody again. Reading rights are enough.</span>
        </div>
      </form>
    </details>
  );
}
