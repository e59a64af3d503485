/** The plugin of Claude Code: its folder, and what doctor and SessionStart say of it beside hooks in a settings file. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Stage, stage } from "./support.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(stage);

const write = (path: string, value: unknown) => {
  Deno.mkdirSync(join(path, ".."), { recursive: true });
  Deno.writeTextFileSync(path, JSON.stringify(value));
};

/** Writes the plugin, and says what Claude Code says of one that is switched on. @returns The plugin's folder. */
async function switchOn({ home, run }: Stage): Promise<string> {
  const installPath = (await run(["plugin", "path"])).stdout.trim();
  write(join(home, ".claude", "settings.json"), {
    enabledPlugins: { "conclaude@conclaude": true },
  });
  write(join(home, ".claude", "plugins", "installed_plugins.json"), {
    plugins: { "conclaude@conclaude": [{ installPath }] },
  });
  return installPath;
}

async function hookRows({ json }: Stage) {
  const { body } = await json(["doctor"]);
  return body.checks.filter(({ name }) => name === "hooks");
}

async function begin(place: Stage, env: Record<string, string>): Promise<string> {
  const stdin = JSON.stringify({
    session_id: crypto.randomUUID(),
    hook_event_name: "SessionStart",
    source: "startup",
    cwd: place.project,
  });
  const { stdout } = await place.run(["hook", "SessionStart"], {
    stdin,
    env: { CLAUDE_PROJECT_DIR: place.project, ...env },
  });
  return stdout === "" ? "" : JSON.parse(stdout).systemMessage ?? "";
}

test("plugin path prints one line, and writes only what has changed", async (place) => {
  const first = await place.run(["plugin", "path"]);
  const folder = join(place.home, ".conclaude", "plugin");
  assert.equal(first.stdout, `${folder}\n`);
  const again = async () => {
    const { body } = await place.json(["plugin", "path"]);
    return (body as unknown as { readonly written: readonly string[] }).written;
  };
  assert.deepEqual(await again(), []);
  Deno.writeTextFileSync(join(folder, "hooks", "hooks.json"), "{}");
  assert.deepEqual(await again(), ["hooks/hooks.json"]);
  assert.deepEqual(
    [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
    [".claude-plugin", ".mcp.json", "hooks", "skills"],
  );
});

test("doctor counts the hooks of the plugin", async (place) => {
  await switchOn(place);
  const rows = await hookRows(place);
  assert.deepEqual(rows.map(({ status }) => status), ["ok"]);
  assert.match(rows[0]!.message, /^installed in .*plugin\/hooks\/hooks\.json \(SessionStart,/);
});

test("a plugin from a marketplace in a folder, of which Claude Code keeps a copy, is installed once", async (place) => {
  const copy = join(place.home, ".claude", "plugins", "cache", "conclaude");
  const market = join(place.home, "market");
  const folder = await switchOn(place);
  for (const to of [copy, join(market, "conclaude")]) {
    for (const file of [".claude-plugin/plugin.json", "hooks/hooks.json"]) {
      write(join(to, file), JSON.parse(Deno.readTextFileSync(join(folder, file))));
    }
  }
  write(join(place.home, ".claude", "settings.json"), {
    enabledPlugins: { "conclaude@conclaude": true },
    extraKnownMarketplaces: { conclaude: { source: { source: "directory", path: market } } },
  });
  write(join(market, ".claude-plugin", "marketplace.json"), {
    plugins: [{ name: "conclaude", source: "./conclaude" }],
  });
  write(join(place.home, ".claude", "plugins", "installed_plugins.json"), {
    plugins: { "conclaude@conclaude": [{ installPath: copy }] },
  });
  assert.deepEqual((await hookRows(place)).map(({ status }) => status), ["ok"]);
});

test("where the plugin and a settings file both have hooks, everybody says how to keep one", async (place) => {
  const folder = await switchOn(place);
  const keep = /claude plugin uninstall conclaude/;
  assert.equal(await begin(place, { CLAUDE_PLUGIN_ROOT: folder }), "");
  assert.match(
    (await place.json(["install-hooks"])).body.warnings.join(),
    /^(?!conclaude ).*each hook runs twice; keep one: `claude plugin/,
  );
  const rows = await hookRows(place);
  assert.deepEqual(rows.map(({ status }) => status), ["warn"]);
  assert.match(rows[0]!.message, /installed twice, in .*settings\.json and as a plugin/);
  assert.match(rows[0]!.next!, keep);
  assert.match(rows[0]!.next!, /conclaude uninstall-hooks/);
  assert.match(await begin(place, { CLAUDE_PLUGIN_ROOT: folder }), keep);
  const health = async () => /^health.*/m.exec((await place.run(["status"])).stdout)?.[0];
  assert.match((await health())!, /hooks are installed twice: run `conclaude doctor`/);
  assert.equal(await begin(place, {}), "");
  const { stdout } = await place.run(["uninstall-hooks"]);
  assert.match(stdout, /plugin: +stays: `claude plugin uninstall conclaude` takes it out/);
  assert.match((await health())!, /well/);
  assert.deepEqual((await hookRows(place)).map(({ status }) => status), ["ok"]);
});
