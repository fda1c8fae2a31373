// What opens the accounts that a collection looks through: integrations of its project, whose secrets are sealed.

import { useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { accountChoices, accountType, type AccountField, accountWords, integrationType, pairs } from "../accounts";
import { useAct } from "../act";
import type { Collection } from "../api/collections";
import { addUse, endUse, type Integration, integrations, integrationUses, makeIntegration, removeIntegration } from "../api/integrations";
import { libraryWorkflows } from "../api/library";
import { Button, FIELD, Section, Trouble } from "../components/controls";
import { Foreign } from "../components/text";

/** What is said of integrations without which a run works as well. */
const HELPED = {
  sessions: {
    title: "Sessions that its runs use",
    none: "None: a run sees what everybody sees. In a session it also sees the pages behind the sign-in, where it only follows links.",
    noun: "a session",
  },
  tokens: {
    title: "Tokens that its runs use",
    none: "None: a run sees what everybody may read. With a token it also sees what its holder may.",
    noun: "a token",
  },
};

/** A section where the collection's workflow begins with credentials, or where it uses some. */
export function Credentials({ of }: { of: Collection }): ReactNode {
  const uses = useQuery(integrationUses);
  const workflows = useQuery(libraryWorkflows);
  const workflow = workflows.data?.find((one) => one.name === of.workflow_name);
  const begins = workflow?.credentials ?? [];
  const types = [...begins, ...workflow?.helped_by ?? []];
  const helped = types.includes("ApplicationCredential") ? HELPED.sessions : HELPED.tokens;
  const used = (uses.data ?? []).filter((use) => use.collection_uuid === of.uuid);
  const { busy, act } = useAct();
  const mayChange = of.role === "admin" && !of.archived;
  if (types.length === 0 && used.length === 0) return null;
  return (
    <Section title={begins.length > 0 || types.length === 0 ? "Accounts that its runs read" : helped.title} id="accounts">
      {uses.error && <Trouble error={uses.error} retry={() => void uses.refetch()} />}
      {types.length === 0 && <p className="mb-2">Runs of this collection do not begin with accounts: what is listed here is not used.</p>}
      {uses.data && used.length === 0 && (
        <p className="mb-2">{begins.length > 0 ? "None yet: without one, a run finds nothing." : helped.none}</p>
      )}
      <ul>
        {used.map((use) => (
          <li key={use.uuid} className="flex items-center gap-2">
            <span className="min-w-0 flex-1 py-0.5 break-words"><Foreign>{use.integration_name}</Foreign> <span className="text-soft">{use.integration_type}</span></span>
            {mayChange && (
              <Button look="quiet" disabled={busy}
                onClick={() => void act(() => endUse(use.uuid), `${use.integration_name} is not used here any more. The next run closes what only it led to.`,
                  () => addUse(of.uuid, use.integration_uuid))}>
                Do not use<span className="sr-only"> {use.integration_name}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
      {mayChange && types.length > 0 && <More of={of} types={types} noun={begins.length > 0 ? "an account" : helped.noun} used={used.map((use) => use.integration_uuid)} />}
    </Section>
  );
}

function More({ of, types, used, noun }: { of: Collection; types: string[]; used: string[]; noun: string }): ReactNode {
  const all = useQuery(integrations(of.project_uuid));
  const others = (all.data ?? []).filter((one) => types.includes(one.type) && !used.includes(one.uuid));
  const { busy, act } = useAct();
  // Members of a project read collections; integrations are its owners'.
  if (all.error) return <p className="text-soft">{all.error.message}</p>;
  return (
    <div className="mt-2 flex flex-col gap-3">
      {others.length > 0 && (
        <ul aria-label="Other accounts of the project">
          {others.map((one) => <Other key={one.uuid} of={one} busy={busy} onUse={() => void act(() => addUse(of.uuid, one.uuid), `The next run reads ${one.name}.`)}
            onRemove={() => void act(() => removeIntegration(one.uuid), `${one.name} is removed with its secrets.`)} />)}
        </ul>
      )}
      <NewAccount of={of} types={types} noun={noun} />
    </div>
  );
}

function Other({ of, busy, onUse, onRemove }: { of: Integration; busy: boolean; onUse: () => void; onRemove: () => void }): ReactNode {
  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className="min-w-0 flex-1 py-0.5 break-words"><Foreign>{of.name}</Foreign> <span className="text-soft">of this project, not used here</span></span>
      <Button disabled={busy} onClick={onUse}>Use<span className="sr-only"> {of.name}</span></Button>
      <Button look="quiet" disabled={busy} onClick={onRemove}>Remove for good<span className="sr-only"> {of.name}</span></Button>
    </li>
  );
}

/** What is asked for where nobody here knows what opens an account of a type. */
const LINES: Record<"secrets" | "settings", AccountField> = {
  secrets: { name: "secrets", label: "Secrets, each on a line as name = value", lines: true, required: true },
  settings: { name: "settings", label: "Settings, each on a line as name = value", lines: true },
};

function NewAccount({ of, types, noun }: { of: Collection; types: string[]; noun: string }): ReactNode {
  const [chosen, setChosen] = useState<string | null>(null);
  const choices = accountChoices(types);
  const type = chosen ?? choices[0] ?? "";
  const [values, setValues] = useState<Record<string, string>>({});
  const { busy, act } = useAct();
  const known = accountType(type);
  const value = (name: string) => values[name]?.trim() ?? "";
  const said = (part: "secrets" | "settings") => known === null ? pairs(value(part))
    : Object.fromEntries(known[part].map(({ name }) => [name, value(name)]).filter(([, text]) => text !== ""));
  function submit(event: FormEvent) {
    event.preventDefault();
    void act(async () => {
      const made = await makeIntegration(of.project_uuid, { name: value("name"), type: integrationType(type) as "AwsCredential", secrets: said("secrets"), settings: { ...known?.given, ...said("settings") } });
      await addUse(of.uuid, made.uuid);
    }, noun === HELPED.sessions.noun ? "The next run uses this session." : "The next run reads the account.").then((done) => done && setValues({}));
  }
  const others = known === null ? [LINES.secrets, LINES.settings] : [...known.secrets, ...known.settings];
  const fields: AccountField[] = [{ name: "name", label: "What to call it", required: true }, ...others];
  return (
    <details>
      <summary className="text-accent">Add {choices.length === 1 ? accountWords(type) : noun}</summary>
      <form className="mt-2 grid gap-3 sm:grid-cols-2" onSubmit={submit}>
        {choices.length > 1 && (
          <label className="flex flex-col gap-1">
            What it is
            <select className={FIELD} value={type}
              onChange={(event) => { setChosen(event.target.value); setValues({ name: values.name ?? "" }); }}>
              {choices.map((one) => <option key={one} value={one}>{accountWords(one)}</option>)}
            </select>
          </label>
        )}
        {fields.map((field) => <Field key={field.name} of={field} value={values[field.name] ?? ""} onChange={(text) => setValues({ ...values, [field.name]: text })} />)}
        <div className="flex flex-wrap items-center gap-2 sm:col-span-2">
          <Button type="submit" look="first" disabled={busy}>Add it</Button>
          <span className="text-soft">It is encrypted when it arrives, decrypted only for runs, and never shown again. Read access is enough.</span>
        </div>
      </form>
    </details>
  );
}

function Field({ of, value, onChange }: { of: AccountField; value: string; onChange: (text: string) => void }): ReactNode {
  return (
    <label className={`flex flex-col gap-1 ${of.lines ? "sm:col-span-2" : ""}`}>
      <span>{of.label}{!of.required && <span className="text-soft"> (optional)</span>}</span>
      {of.lines ? (
        <textarea className={`${FIELD} min-h-20 font-mono text-[0.8125rem]`} required={of.required ?? false} autoComplete="off" spellCheck={false} value={value}
          onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input type={of.hidden ? "password" : "text"} className={FIELD} required={of.required ?? false} autoComplete="off" spellCheck={false} value={value}
          onChange={(event) => onChange(event.target.value)} />
      )}
    </label>
  );
}
