// Where the facts of a proof stand in its sentence.

/** Facts shorter than this are in every other word. */
const CHARS_MIN = 2;

/** The pieces of a text; `marked` are those that one of the facts says, the longest first. */
export function highlighted(text: string, facts: unknown): { text: string; marked: boolean }[] {
  const values = [...new Set(said(facts))].filter((value) => value.length >= CHARS_MIN).sort((a, b) => b.length - a.length);
  const found: { text: string; marked: boolean }[] = [];
  let [plain, at] = [0, 0];
  while (at < text.length) {
    const value = values.find((one) => text.startsWith(one, at));
    if (value === undefined) {
      at += 1;
      continue;
    }
    if (at > plain) found.push({ text: text.slice(plain, at), marked: false });
    found.push({ text: value, marked: true });
    at += value.length;
    plain = at;
  }
  if (plain < text.length) found.push({ text: text.slice(plain), marked: false });
  return found;
}

function said(facts: unknown): string[] {
  if (typeof facts === "string") return [facts];
  if (typeof facts === "number") return [String(facts)];
  if (typeof facts !== "object" || facts === null) return [];
  return Object.values(facts).flatMap(said);
}
