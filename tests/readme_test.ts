/** Holds the README and its pages to the program: what they promise exists, and what exists is in them. */
import "../src/operations/config_sections.ts";
import assert from "node:assert/strict";
import { configSchema } from "../src/config/config_schema.ts";
import { DEFAULT_EVENTS, LANES } from "../src/claude/settings/lanes.ts";
import { ENVIRONMENT_NAMES } from "../src/operations/permissions.ts";
import { startProgram } from "./support/process.ts";

const { keys: CONFIG_KEYS, itemKeys: CONFIG_ITEM_KEYS } = configSchema();

const ROOT = new URL("../", import.meta.url);
/** The README and the pages that it leads to, by their paths. */
const PAGES = new Map(
  [
    "README.md",
    ...Array.from(Deno.readDirSync(new URL("docs", ROOT)), ({ name }) => `docs/${name}`),
  ]
    .map((path) => [path, Deno.readTextFileSync(new URL(path, ROOT))]),
);
const README = PAGES.get("README.md")!;
const EVERYWHERE = [...PAGES.values()].join("\n");

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

Deno.test("README.md names every verb and every action of the program", async () => {
  const verbs = await commandsOf();
  assert.ok(verbs.includes("session") && verbs.includes("doctor"), verbs.join());
  for (const verb of verbs) {
    assert.ok(README.includes(`\`${verb}`), `the verb ${verb} is missing`);
    for (const action of verb === "completions" ? [] : await commandsOf(verb)) {
      assert.ok(README.includes(`\`${verb} ${action}`), `${verb} ${action} is missing`);
    }
  }
});

Deno.test("README.md and its pages name no command that the program does not have", async () => {
  const verbs = new Set([...await commandsOf(), "hook"]);
  const inBlocks = [...EVERYWHERE.matchAll(/^(?:.*&& )?conclaude ([a-z-]+)/gm)];
  const inLines = [...EVERYWHERE.matchAll(/`conclaude ([a-z-]+)/g)];
  assert.ok(inBlocks.length > 5 && inLines.length > 2);
  for (const [, verb] of [...inBlocks, ...inLines]) {
    assert.ok(verbs.has(verb!), `there is no conclaude ${verb}`);
  }
});

Deno.test("README.md names every key of the configuration", () => {
  const sections = new Map(
    [...README.matchAll(/^- \*\*`([^`]+)`\*\*:([^]*?)(?=^- |^$)/gm)]
      .map(([, section, text]) => [section!, text!]),
  );
  for (const { key } of [...CONFIG_KEYS, ...CONFIG_ITEM_KEYS]) {
    const [section, ...rest] = key.split(".");
    const text = sections.get(section!);
    assert.ok(text !== undefined, `the section ${section} is missing`);
    assert.ok(rest.length === 0 || text.includes(`\`${rest.join(".")}\``), `${key} is missing`);
  }
});

Deno.test("the page of the configuration has every key with its default, range and meaning", () => {
  const page = PAGES.get("docs/configuration.md")!.replace(/\s+/g, " ");
  for (const { key, default: value, range, description } of [...CONFIG_KEYS, ...CONFIG_ITEM_KEYS]) {
    const shown = value === null
      ? ""
      : `: ${typeof value === "object" ? JSON.stringify(value) : String(value)}`;
    const limits = range === undefined ? "" : ` (${range[0]}–${range[1]})`;
    // Commands of subagents and slash commands have the keys of the commands of a stop.
    const name = /^(?:subagentStop|userPromptSubmit\.slashCommands)\.commands\.<name>/.test(key)
      ? `stop.commands${key.slice(key.indexOf("[]"))}`
      : key;
    assert.ok(page.includes(`- \`${name}${shown}\`${limits}: ${description}`), key);
  }
});

Deno.test("README.md and its pages lead to pages and headings that are there", () => {
  let followed = 0;
  for (const [path, text] of PAGES) {
    for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link!)) continue;
      const url = new URL(link!, new URL(path, ROOT));
      const target = url.pathname.slice(ROOT.pathname.length);
      const page = PAGES.get(target);
      assert.ok(page !== undefined, `${path}: there is no ${target}`);
      const anchor = decodeURIComponent(url.hash.slice(1));
      assert.ok(anchor === "" || anchorsOf(page).has(anchor), `${path}: there is no ${link}`);
      followed++;
    }
  }
  assert.ok(followed > 20, String(followed));
  for (const path of PAGES.keys()) {
    assert.ok(
      path === "README.md" || README.includes(`](${path}`),
      `README.md leads not to ${path}`,
    );
  }
});

Deno.test("what README.md shows of a configuration stands word for word in its page", () => {
  const blocks = [...README.matchAll(/^```yaml\n([^]*?)^```/gm)].map(([, block]) => block!);
  assert.ok(blocks.length > 2);
  const pages = [...PAGES].filter(([path]) => path !== "README.md").map(([, text]) => text);
  for (const block of blocks) assert.ok(pages.some((page) => page.includes(block)), block);
});

Deno.test("README.md names every event that is installed and every variable that is read", () => {
  for (const event of DEFAULT_EVENTS) assert.ok(README.includes(event), event);
  for (const name of ENVIRONMENT_NAMES) assert.ok(README.includes(`\`${name}\``), name);
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
  const named = [...EVERYWHERE.matchAll(/\bdeno(?:@[\d.]+)? task ([a-z:]+)/g)];
  assert.ok(named.length > 2);
  for (const [, task] of named) assert.ok(task! in tasks, task);
});
