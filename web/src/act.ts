// A change that a person asked for: done, said, taken back where it can be; what is shown is asked for again.

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useNotices } from "./components/notice";

export interface Act {
  /** Something is under way. */
  busy: boolean;
  /** Does it; returns whether it was done. What is said may depend on the answer. A refusal is said where done things are. */
  act: <T>(what: () => Promise<T>, said: string | ((answer: T) => string), undo?: () => Promise<unknown>) => Promise<boolean>;
}

export function useAct(): Act {
  const queries = useQueryClient();
  const { say } = useNotices();
  const [busy, setBusy] = useState(false);
  async function act<T>(what: () => Promise<T>, said: string | ((answer: T) => string), undo?: () => Promise<unknown>): Promise<boolean> {
    setBusy(true);
    try {
      const answer = await what();
      await queries.invalidateQueries();
      say(typeof said === "string" ? said : said(answer), undo && (async () => {
        await undo();
        await queries.invalidateQueries();
      }));
      return true;
    } catch (error) {
      say(error instanceof Error ? error.message : String(error));
      return false;
    } finally {
      setBusy(false);
    }
  }
  return { busy, act };
}
