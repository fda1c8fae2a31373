// Text of others: what a person cannot see in it, or what would turn the line around, is made visible.

const INVISIBLE =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffc\u{e0000}-\u{e0fff}]/u;

export interface Piece {
  text: string;
  /** True for the name of a character that would not be seen. */
  named: boolean;
}

/** The pieces of a text; `lines` keeps line feeds as they are. */
export function pieces(text: string, lines = false): Piece[] {
  const found: Piece[] = [];
  let plain = "";
  for (const character of text) {
    if (!INVISIBLE.test(character) || (lines && character === "\n")) {
      plain += character;
      continue;
    }
    if (plain !== "") found.push({ text: plain, named: false });
    plain = "";
    const code = character.codePointAt(0) ?? 0;
    found.push({ text: `U+${code.toString(16).toUpperCase().padStart(4, "0")}`, named: true });
  }
  if (plain !== "") found.push({ text: plain, named: false });
  return found;
}

/** The same as one text, where there is no markup. */
export function visible(text: string): string {
  return pieces(text)
    .map((piece) => (piece.named ? `‹${piece.text}›` : piece.text))
    .join("");
}
