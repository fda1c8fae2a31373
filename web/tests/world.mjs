// The program over the world of the demo, in its three states, and a browser that reaches nothing else.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const PROGRAM = process.env.AMBIT_PROGRAM;
const CHROMIUM = process.env.AMBIT_CHROMIUM;
assert(PROGRAM && CHROMIUM, "run these by `cargo xtask browser`");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Settings of the machine that would lead the program elsewhere are left out. */
const ENVIRONMENT = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("AMBIT_")));

export class World {
  /** A server over the states of the demo that are named; without one, over an empty folder, over what fills it, or over a data folder that is there; with an engine, it carries runs. */
  async start(states = ["1", "2", "3"], fill = () => {}, data = undefined, engine = false) {
    this.folder = mkdtempSync(join(tmpdir(), "ambit-web-"));
    this.data = data ?? join(this.folder, "data");
    for (const state of states) {
      this.run(["demo", "--once", "--silent", "--data", this.data, "--state", state, "-o", join(this.folder, "found")]);
    }
    fill(this);
    this.server = spawn(PROGRAM, ["serve", ...(engine ? [] : ["--no-engine"]), "--data", this.data, "--listen", "127.0.0.1:0"], {
      env: ENVIRONMENT,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.url = await new Promise((found, failed) => {
      let said = "";
      this.server.stderr.on("data", (bytes) => {
        said += bytes;
        const line = /listening on (\S+)/.exec(said);
        if (line) found(line[1]);
      });
      this.server.on("exit", () => failed(new Error(`the server ended: ${said}`)));
    });
    this.browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
    this.key = this.run(["key", "create", "--data", this.data, "--label", "tests"]).trim();
  }

  async stop() {
    await this.browser?.close();
    if (this.server?.exitCode === null) {
      this.server.kill();
      // It writes to its folder until it ends.
      await once(this.server, "exit");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  run(words) {
    return execFileSync(PROGRAM, words, { env: ENVIRONMENT, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  }

  /** A link that signs in once. */
  link() {
    return this.run(["login", "--data", this.data, "--url", this.url]).trim();
  }

  ask(path, key = this.key) {
    return fetch(this.url + path, { headers: { "x-apikey": key } });
  }

  /** What the API says, by a key. */
  async api(path) {
    return (await (await this.ask(path)).json()).result;
  }

  /** A page of a fresh browser, whose faults are gathered: `page.faults`. */
  async page({ width = 1280, height = 800, dark = false } = {}) {
    const context = await this.browser.newContext({
      viewport: { width, height },
      colorScheme: dark ? "dark" : "light",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    page.faults = [];
    await context.route("**/*", (route) => {
      const asked = route.request().url();
      if (asked.startsWith(`${this.url}/`)) return route.continue();
      page.faults.push(`asked for ${asked}`);
      return route.abort();
    });
    page.on("console", (message) => page.faults.push(`console ${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => page.faults.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      page.faults.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    return page;
  }

  /** The same, signed in, at a path. */
  async inside(path, options) {
    const page = await this.page(options);
    await page.goto(this.link());
    await page.waitForURL(/\/issues/);
    await page.goto(this.url + path);
    return page;
  }
}

/** Ends a page, which had no fault but those that were expected. */
export async function done(page, ...expected) {
  const faults = page.faults.filter((fault) => !expected.some((one) => one.test(fault)));
  await page.context().close();
  assert.deepEqual(faults, []);
}

/** No rule of axe is broken, and nothing is wider than the window. */
export async function accessible(page, what) {
  await page.evaluate(AXE);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await page.evaluate((runOnly) => globalThis.axe.run(document, { runOnly }), tags);
  const broken = found.violations.map((rule) => {
    const where = rule.nodes.map((node) => `${node.html} ${node.failureSummary}`).join("; ");
    return `${what}: ${rule.id}: ${where.slice(0, 600)}`;
  });
  assert.deepEqual(broken, []);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert(wide <= 0, `${what} is ${wide} px wider than the window`);
}
