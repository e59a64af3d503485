/** `install-hooks --mcp`, and what `uninstall-hooks` makes of it. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { snapshot, type Stage, stage } from "./support.ts";
import { modeOf, namesIn } from "../support/look.ts";
import { gitSync, makeRepository } from "../support/git.ts";
import { testWith } from "../support/fixtures.ts";

const COMMAND = ["--command", "sh"];
const OURS = { type: "stdio", command: "sh", args: ["mcp"] };

function readJson(path: string) {
  return JSON.parse(Deno.readTextFileSync(path));
}

function withState(place: Stage, text = '{"theme": "dark", "primaryApiKey": "sk-secret"}'): string {
  const path = join(place.home, ".claude.json");
  Deno.writeTextFileSync(path, text, { mode: 0o600 });
  return path;
}

const test = testWith(stage);

test("install-hooks --mcp registers the server for the user, and uninstall-hooks gives back the bytes", async (place) => {
  const path = withState(place);
  const before = snapshot(place.home);
  const { code, stdout } = await place.run(["install-hooks", "--mcp", ...COMMAND]);
  assert.equal(code, 0);
  assert.match(stdout, /\n {2}mcp: {5}registered in \S+\/\.claude\.json\n/);
  assert.deepEqual(readJson(path).mcpServers, { conclaude: OURS });
  assert.equal(modeOf(path), "600");
  const installed = snapshot(place.home);
  const again = await place.run(["install-hooks", "--mcp", ...COMMAND]);
  assert.match(again.stdout, /are up to date[^]*registered in \S+ already/);
  assert.deepEqual(snapshot(place.home), installed);
  const { body } = await place.json(["uninstall-hooks", ...COMMAND]);
  assert.equal((body as unknown as { mcp: { done: string } }).mcp.done, "removed");
  assert.deepEqual(snapshot(place.home), before);
});

test("without --mcp no server is registered, and none is needed to uninstall", async (place) => {
  await place.run(["install-hooks", ...COMMAND]);
  assert.ok(!namesIn(place.home).includes(".claude.json"));
  withState(place, "this is no JSON");
  const { code, stdout } = await place.run(["uninstall-hooks", ...COMMAND]);
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /mcp/);
});

test("install-hooks --mcp --dry-run shows the server, nothing else of that file, and changes nothing", async (place) => {
  withState(place);
  const before = snapshot(place.home);
  const { stdout } = await place.run(["install-hooks", "--mcp", "--dry-run", ...COMMAND]);
  assert.match(stdout, /would be registered in/);
  assert.match(
    stdout,
    /\n\+ mcpServers\.conclaude: \{"type":"stdio","command":"sh","args":\["mcp"\]\}/,
  );
  assert.doesNotMatch(stdout, /sk-secret/);
  assert.deepEqual(snapshot(place.home), before);
});

test("the project's server is in .mcp.json, and the local one under the checkout that Claude Code knows", async (place) => {
  makeRepository(place.project);
  gitSync(place.project, "commit", "-q", "--allow-empty", "-m", "x");
  const tree = join(place.home, "tree");
  gitSync(place.project, "worktree", "add", "-q", tree);
  Deno.mkdirSync(join(place.project, "sub"));
  for (const cwd of [tree, join(place.project, "sub")]) {
    await place.run(["install-hooks", "--mcp", "--scope", "local", ...COMMAND], { cwd });
    assert.deepEqual(readJson(join(place.home, ".claude.json")), {
      projects: { [place.project]: { mcpServers: { conclaude: OURS } } },
    });
    await place.run(["uninstall-hooks", "--scope", "local", ...COMMAND], { cwd });
    assert.ok(!namesIn(place.home).includes(".claude.json"));
  }
  const shared = await place.run(["install-hooks", "--mcp", "--scope", "project", ...COMMAND]);
  assert.match(shared.stdout, /\.mcp\.json; Claude Code asks each person before it starts it/);
  assert.deepEqual(readJson(join(place.project, ".mcp.json")), { mcpServers: { conclaude: OURS } });
  await place.run(["uninstall-hooks", ...COMMAND]);
  assert.ok(namesIn(place.project).includes(".mcp.json"), "another scope is not asked about");
  await place.run(["uninstall-hooks", "--scope", "project", ...COMMAND]);
  assert.ok(!namesIn(place.project).includes(".mcp.json"));
});

test("CLAUDE_CONFIG_DIR takes the place of the home for the server as well", async (place) => {
  const folder = join(place.home, "other");
  const env = { CLAUDE_CONFIG_DIR: folder };
  await place.run(["install-hooks", "--mcp", ...COMMAND], { env });
  assert.deepEqual(readJson(join(folder, ".claude.json")).mcpServers, { conclaude: OURS });
  assert.deepEqual(namesIn(place.home).filter((name) => name.startsWith(".claude")), []);
});

test("a file that cannot be edited safely is refused in three lines, before the hooks are touched", async (place) => {
  await place.run(["install-hooks", "--events", "Stop", ...COMMAND]);
  withState(place, '{"mcpServers": {"conclaude": {}}} // mine');
  const before = snapshot(place.home);
  for (const verb of [["install-hooks", "--mcp"], ["uninstall-hooks"]]) {
    const { code, stderr } = await place.run([...verb, ...COMMAND]);
    assert.equal(code, 1);
    const [what, why, next, ...more] = stderr.trimEnd().split("\n");
    assert.match(what!, /^Cannot (?:add|remove) the MCP server (?:to|from) "\S+\.claude\.json"$/);
    assert.match(why!, /^ {2}why: {2}the file contains JSONC comments/);
    assert.ok(next!.includes(`run \`conclaude ${[...verb, ...COMMAND].join(" ")}\` again`), next);
    assert.deepEqual(more, []);
    assert.deepEqual(snapshot(place.home), before);
  }
});

test("--mcp wants a scope, since no settings file holds servers", async (place) => {
  const { code, stderr } = await place.run(["install-hooks", "--mcp", "--settings", "mine.json"]);
  assert.equal(code, 2);
  assert.match(stderr, /Cannot use --mcp and --settings together/);
  assert.deepEqual(namesIn(place.project), []);
  assert.equal((await place.run(["uninstall-hooks", "--settings", "mine.json"])).code, 0);
});
