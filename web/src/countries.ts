// Countries by their two letters, and what the shapes of the map call them.

/** Where the map has another name than the language does. */
const OTHERWISE: Record<string, string> = {
  US: "United States of America", BA: "Bosnia and Herz.", CD: "Dem. Rep. Congo", CG: "Congo", CF: "Central African Rep.", CI: "Côte d'Ivoire",
  DO: "Dominican Rep.", GQ: "Eq. Guinea", SS: "S. Sudan", SB: "Solomon Is.", FK: "Falkland Is.", TF: "Fr. S. Antarctic Lands", EH: "W. Sahara",
  MK: "Macedonia", MM: "Myanmar", PS: "Palestine", TR: "Turkey", TT: "Trinidad and Tobago", SZ: "eSwatini",
};

const NAMES = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

/** The name of a country in words; what is no country stays as it is. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/i.test(code) ? (NAMES.of(code.toUpperCase()) ?? code) : code;
}

/** What the map calls a country. */
export function shapeName(code: string): string {
  return OTHERWISE[code.toUpperCase()] ?? countryName(code);
}
