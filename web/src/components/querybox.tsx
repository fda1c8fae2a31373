// The query: the API's own search string.

import { useQuery } from "@tanstack/react-query";
import { type ReactNode, type Ref, useEffect, useState } from "react";
import { keywords } from "../api/library";
import { Link } from "@tanstack/react-router";
import { Button, FIELD, Panel } from "./controls";

export type Noun = "entities" | "issues" | "technologies";

const EXAMPLES: Record<Noun, string> = {
  entities: "type:uri technology:nginx",
  issues: "severity_lte:2 shop",
  technologies: "nginx",
};

export function QueryBox({ value, noun, onSearch, input }: {
  value: string;
  noun: Noun;
  onSearch: (search: string) => void;
  input: Ref<HTMLInputElement>;
}): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  return (
    <form
      role="search"
      className="flex min-w-0 grow basis-full gap-1.5 md:basis-0"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(text.trim());
      }}
    >
      <input
        ref={input}
        type="search"
        aria-label={`Search ${noun}`}
        placeholder={`All ${noun}; for example ${EXAMPLES[noun]}`}
        spellCheck={false}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.target.value)}
        className={`${FIELD} min-w-0 flex-1 font-mono text-[0.8125rem]`}
      />
      <Button type="submit">Search</Button>
      <Panel label="The search language" trigger={<Button aria-label="The search language">?</Button>}>
        <Keywords noun={noun} />
      </Panel>
    </form>
  );
}

function Keywords({ noun }: { noun: Noun }): ReactNode {
  const all = useQuery(keywords);
  return (
    <div className="w-[32rem] max-w-full">
      <p className="mb-2">
        Terms are separated by blanks. A term is <code>keyword:value</code>; a repeated keyword means <em>or</em>,
        <code> keyword:!value</code> means <em>not</em>. A word alone searches the name.
      </p>
      <div className="max-h-72 overflow-auto" tabIndex={0} role="region" aria-label="Keywords">
        <table className="w-full text-left text-xs">
          <tbody>
            {(all.data ?? [])
              .filter((one) => one.searches.includes(noun))
              .map((one) => (
                <tr key={one.keyword} className="border-t border-line align-top">
                  <th scope="row" className="py-1 pr-3 font-mono font-normal whitespace-nowrap">{one.keyword}</th>
                  <td className="py-1">{one.meaning}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
      <p className="mt-2"><Link to="/help" className="text-accent underline">The whole language, with examples</Link></p>
    </div>
  );
}
