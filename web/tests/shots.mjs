// Pictures of the interface over the world of the demo, into docs/ui/: `npm run shots` with the two variables of
// `cargo xtask browser`.

import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { World } from "./world.mjs";

const folder = fileURLToPath(new URL("../../docs/ui/", import.meta.url));
const SHOTS = [
  ["sign-in", "/sign_in", { width: 800, height: 500 }],
  ["triage", "/issues?q=status_new:open", {}],
  ["issue", "/issues?q=status_new:open", { dark: true, height: 640 }, ["j", "Enter"], "In scope: "],
  ["triage-phone", "/issues?q=status_new:open", { width: 360, height: 640 }],
  ["inventory", "/entities?q=scoped:true+present:true", {}],
  ["inventory-dark", "/entities?q=scoped:true+present:true+type:Uri&columns=type,issues,technologies,code,title,network,last_seen", { dark: true }],
  ["collections", "/collections", { height: 400 }],
  ["collection", "/collections/{collection}", { height: 1000 }, [], "60 % yours"],
  ["timing", "/collections/{collection}#timing", { height: 560 }, [], "Runs rest"],
  ["collection-phone", "/collections/{collection}", { width: 360, height: 640, dark: true }, [], "DNS questions"],
  ["run", "/runs/2", { height: 820 }, [], "Issues closed: "],
  ["runs", "/runs", { height: 400 }],
  ["changes", "/changes?since={second}", { height: 900 }, [], "Gone: "],
  ["technologies", "/technologies", {}],
  ["graph", "/graphs?q=name:old.saltmarsh.test+type:DnsRecord&depth=1", { dark: true, height: 560 }, [], "relations"],
  ["tree", "/entities?q=scoped:true+present:true+type:Domain+type:DnsRecord+type:IpAddress&view=tree", {}, [], "below)"],
  ["library", "/library", {}],
  ["help", "/help", { height: 900 }],
  ["keys", "/settings", { height: 560 }],
  ["people", "/settings?tab=people", { height: 480 }],
  ["usage", "/settings?tab=usage", { height: 700 }],
  ["notifications", "/settings?tab=notifications", { height: 420 }],
  ["add", "/collections/new", { height: 560 }],
  ["entity", "/entities?q=name:old.saltmarsh.test:443+type:Uri", { height: 1000 }, ["Enter"], "In scope: "],
];

/** Names on the command line: those alone. */
const only = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const world = new World();
await world.start();
try {
  for (const [name, path, options, keys = [], until] of SHOTS.filter(([name]) => only.length === 0 || only.includes(name))) {
    const size = { width: 1200, height: 720, ...options };
    const [{ uuid }] = await world.api("/api/v3/asm/user_collections");
    const runs = await world.api(`/api/v3/asm/collections/${uuid}/collection_runs`);
    const second = runs.find((run) => run.id === 2).started_at;
    const page = name === "sign-in" ? await world.page(size) : await world.inside(path.replace("{collection}", uuid).replace("{second}", second), size);
    if (name === "sign-in") await page.goto(world.url + path);
    await page.waitForLoadState("networkidle");
    for (const key of keys) await page.keyboard.press(key);
    if (until) await page.getByText(until).first().waitFor();
    await page.waitForLoadState("networkidle");
    const [, part] = path.split("#");
    if (part !== undefined) await page.locator(`#${part}`).evaluate((element) => element.scrollIntoView());
    await page.screenshot({ path: `${folder}${name}.png` });
    await page.context().close();
  }
} finally {
  await world.stop();
}
