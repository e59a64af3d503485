/** Holds the README and its pages to the program: what they promise exists, and what exists is in them. */
import "../src/operations/config_sections.ts";
import assert from "node:assert/strict";
import { references } from "../src/build/docs.ts";
import { configSchema } from "../src/config/config_schema.ts";
import { DEFAULT_EVENTS, LANES } from "../src/claude/settings/lanes.ts";
import { ENVIRONMENT_NAMES } from "../src/system/permissions.ts";
import { startProgram } from "./support/process.ts";

const { keys: CONFIG_KEYS, itemKeys: CONFIG_ITEM_KEYS } = configSchema();

const ROOT = new URL("../", import.meta.url);
/** The README and the pages that it leads to, by their paths. */
const PAGES = new Map(
  ["README.md", ...pagesIn("docs"), ...pagesIn("docs/reference")]
    .map((path) => [path, Deno.readTextFileSync(new URL(path, ROOT))]),
);
const README = PAGES.get("README.md")!;
const COMMANDS = PAGES.get("docs/reference/commands.md")!;
const EVERYWHERE = [...PAGES.values()].join("\n");

function pagesIn(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, ROOT))]
    .filter(({ name }) => name.endsWith(".md")).map(({ name }) => `${folder}/${name}`);
}

/** What a link to a heading is called. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = page.replace(/^```[^]*?^```/gm, "").matchAll(/^#+ (.*)$/gm);
  return new Set(
    Array.from(
      headings,
      ([, heading]) =>
        heading!.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu, "").replaceAll(" ", "-"),
    ),
  );
}

/** The commands that a help page lists below its flags. */
async function commandsOf(...path: string[]): Promise<string[]> {
  const { stdout } = await startProgram([...path, "--help"]);
  const [, list = ""] = stdout.split(/\n\n(?=COMMANDS|START)([^]*)/);
  return list.split("\n").flatMap((line) => /^ {2}([a-z]\S*)/.exec(line)?.slice(1) ?? []);
}

Deno.test("README.md has the two commands for a clone", () => {
  for (const task of ["demo", "test"]) {
    assert.ok(README.includes(`npx -y deno@2.9.6 task ${task}`), task);
  }
});

Deno.test("the references say what the program says: `deno task docs` writes them", async () => {
  for (const [path, text] of await references()) assert.equal(PAGES.get(path), text, path);
});

Deno.test("the reference of commands has every verb and every action of the program", async () => {
  const verbs = await commandsOf();
  assert.ok(verbs.includes("session") && verbs.includes("doctor"), verbs.join());
  for (const verb of verbs) {
    assert.ok(COMMANDS.includes(`\n### ${verb}\n`), `the verb ${verb} is missing`);
    for (const action of await commandsOf(verb)) {
      assert.ok(COMMANDS.includes(`\n#### ${verb} ${action}\n`), `${verb} ${action} is missing`);
    }
  }
});

Deno.test("README.md and its pages name no command that the program does not have", async () => {
  const verbs = new Set([...await commandsOf(), "hook"]);
  const blocks = Array.from(EVERYWHERE.matchAll(/^```sh\n[^]*?^```/gm), ([block]) => block).join(
    "\n",
  );
  const inBlocks = [...blocks.matchAll(/^(?:.*&& )?conclaude ([a-z-]+)/gm)];
  const inLines = [...EVERYWHERE.matchAll(/`conclaude ([a-z-]+)/g)];
  assert.ok(inBlocks.length > 5 && inLines.length > 2);
  for (const [, verb] of [...inBlocks, ...inLines]) {
    assert.ok(verbs.has(verb!), `there is no conclaude ${verb}`);
  }
});

Deno.test("the reference of keys has every key of the configuration", () => {
  const page = PAGES.get("docs/reference/configuration.md")!;
  for (const { key } of [...CONFIG_KEYS, ...CONFIG_ITEM_KEYS]) {
    assert.ok(page.includes(`\n- \`${key}\` (`), key);
  }
});

Deno.test("README.md and its pages lead to pages and headings that are there", () => {
  let followed = 0;
  for (const [path, text] of PAGES) {
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link!)) continue;
      const url = new URL(link!, new URL(path, ROOT));
      const target = url.pathname.slice(ROOT.pathname.length);
      if (!target.endsWith(".md")) {
        assert.ok(Deno.statSync(url).isFile, `${path}: there is no ${target}`);
        continue;
      }
      const page = PAGES.get(target);
      assert.ok(page !== undefined, `${path}: there is no ${target}`);
      const anchor = decodeURIComponent(url.hash.slice(1));
      assert.ok(anchor === "" || anchorsOf(page).has(anchor), `${path}: there is no ${link}`);
      followed++;
    }
  }
  assert.ok(followed > 20, String(followed));
  const index = PAGES.get("docs/README.md")!;
  for (const path of PAGES.keys()) {
    const link = path.replace("docs/", "");
    assert.ok(
      ["README.md", "docs/README.md"].includes(path) || index.includes(`](${link})`),
      `docs/README.md does not lead to ${path}`,
    );
  }
});

Deno.test("what README.md shows of a configuration stands word for word in its page", () => {
  const blocks = [...README.matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, block]) => block!);
  assert.ok(blocks.length > 0);
  const pages = [...PAGES].filter(([path]) => path !== "README.md").map(([, text]) => text);
  for (const block of blocks) assert.ok(pages.some((page) => page.includes(block)), block);
});

Deno.test("the pages name every event that is installed, and every variable that is read", () => {
  const [hooks, variables] = ["docs/hooks.md", "docs/reference/environment.md"]
    .map((path) => PAGES.get(path)!);
  for (const event of DEFAULT_EVENTS) assert.ok(hooks!.includes(event), event);
  for (const name of ENVIRONMENT_NAMES) assert.ok(variables!.includes(`\`${name}\``), name);
});

Deno.test("README.md has 900 to 1,200 words, and the pages written by hand at most 15,000", () => {
  const wordsOf = (text: string) => text.split(/\s+/).length;
  const readme = wordsOf(README);
  assert.ok(readme >= 900 && readme <= 1200, String(readme));
  const byHand = [...PAGES].filter(([path]) => /^docs\/[^/]+$/.test(path))
    .reduce((sum, [, text]) => sum + wordsOf(text), 0);
  assert.ok(byHand <= 15_000, String(byHand));
});

Deno.test("docs/hooks.md puts every event into the lane that it is installed in", () => {
  const rows = PAGES.get("docs/hooks.md")!.split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").slice(1, 3));
  for (const { event, lane, role } of LANES) {
    const name = role === "drain" ? `Drain` : event;
    const at = lane === "sync" ? 0 : 1;
    assert.ok(
      rows.some((cells) => new RegExp(`\\b${name}\\b`).test(cells[at]!)),
      `${name} ${lane}`,
    );
  }
});

Deno.test("README.md names only tasks that exist", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(new URL("../deno.json", import.meta.url)));
  const named = [...EVERYWHERE.matchAll(/\bdeno(?:@[\d.]+)? task ([a-z:-]+)/g)];
  assert.ok(named.length > 2);
  for (const [, task] of named) assert.ok(task! in tasks, task);
});
