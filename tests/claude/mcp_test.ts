import assert from "node:assert/strict";
import { UserError } from "../../src/base/errors.ts";
import type { Program } from "../../src/claude/settings/hooks.ts";
import {
  addServer,
  registerServer,
  removeServer,
  serverOf,
  serversPlace,
  type ServersScope,
  unregisterServer,
} from "../../src/claude/settings/mcp_servers.ts";
import { pause } from "../support/wait.ts";
import { modeOf, namesIn } from "../support/look.ts";
import { tempFolder } from "../support/folders.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempFolder);

const program: Program = { kind: "path", path: "/usr/local/bin/conclaude" };
const entry = serverOf(program);
const ours = { type: "stdio", command: "/usr/local/bin/conclaude", args: ["mcp"] };

const USER = ["mcpServers"];
const LOCAL = ["projects", "/work/shop.d", "mcpServers"];

function add(text: string, keys: readonly string[] = USER): string {
  const added = addServer(text, keys, entry);
  assert.equal(addServer(added, keys, entry), added, "a second run changed it");
  return added;
}

function remove(text: string, keys: readonly string[] = USER): string {
  return removeServer(text, keys);
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2) + "\n";
}

Deno.test("serverOf() gives Claude Code a program and its arguments, without a shell", () => {
  assert.deepEqual(serverOf({ kind: "path", path: "/a b/conclaude" }), {
    command: "/a b/conclaude",
    args: ["mcp"],
  });
  assert.deepEqual(serverOf({ kind: "name", name: "conclaude" }).command, "conclaude");
  assert.deepEqual(serverOf({ kind: "line", line: "deno run '--a=b c' '/my clone/main.ts'" }), {
    command: "deno",
    args: ["run", "--a=b c", "/my clone/main.ts", "mcp"],
  });
});

Deno.test("serversPlace() knows the three scopes, and the folder that takes the home's place", () => {
  const around: Omit<ServersScope, "scope"> = {
    projectDir: "/work/shop",
    home: "/home/ana",
  };
  const place = (scope: ServersScope["scope"], more: Partial<ServersScope> = {}) =>
    serversPlace({ ...around, scope, ...more });
  assert.deepEqual(place("user"), {
    scope: "user",
    path: "/home/ana/.claude.json",
    keys: ["mcpServers"],
    isClaudes: true,
  });
  assert.deepEqual(place("local").keys, ["projects", "/work/shop", "mcpServers"]);
  assert.equal(place("project").path, "/work/shop/.mcp.json");
  for (const scope of ["user", "local"] as const) {
    assert.equal(place(scope, { configDir: "/c" }).path, "/c/.claude.json");
    assert.throws(() => place(scope, { home: undefined }), UserError);
  }
});

Deno.test("addServer() makes what is missing on the way, in the style of the file", () => {
  assert.equal(add(""), pretty({ mcpServers: { conclaude: ours } }));
  assert.equal(
    add('{"a":1}', LOCAL),
    `{"a":1,"projects":{"/work/shop.d":{"mcpServers":{"conclaude":${JSON.stringify(ours)}}}}}`,
  );
  const known = {
    projects: { "/work/shop.d": { allowedTools: [], mcpServers: {} }, "/b": {} },
    numStartups: 3,
  };
  const expected = structuredClone(known) as unknown as typeof known & {
    projects: { "/work/shop.d": { mcpServers: Record<string, unknown> } };
  };
  expected.projects["/work/shop.d"].mcpServers["conclaude"] = ours;
  assert.equal(add(pretty(known), LOCAL), pretty(expected));
});

Deno.test("removeServer() gives back the bytes that were there, whatever else the file holds", () => {
  const other = { command: "x", args: [] };
  for (
    const [before, keys] of [
      ['{ "n" : 1.0e2,\n\n "s": "\\u00e9\\/" }\n', USER],
      ['\uFEFF{"a":1}', USER],
      ['{\r\n\t"a": 1\r\n}\r\n', LOCAL],
      [pretty({ mcpServers: { other }, z: [] }), USER],
      [pretty({ projects: { "/work/shop.d": { mcpServers: { other } } } }), LOCAL],
      [pretty({ projects: { "/work/shop.d": { allowedTools: [], mcpServers: {} } } }), LOCAL],
      [pretty({ projects: { "/b": {} } }), LOCAL],
      [pretty({ mcpServers: { conclaude: { type: "http", url: "http://x" } } }), LOCAL],
    ] as const
  ) {
    const added = add(before, keys);
    assert.notEqual(added, before);
    assert.equal(remove(added, keys), before);
    assert.equal(remove(before, keys), before);
  }
});

Deno.test("addServer() corrects our server where it stands, and keeps what else it says", () => {
  for (
    const stale of [
      { env: { A: "b" }, type: "stdio", command: "/old/conclaude", args: ["mcp"] },
      { env: { A: "b" }, type: "stdio", command: ours.command, args: ["run", "x.ts", "mcp"] },
    ]
  ) {
    const before = { mcpServers: { a: {}, conclaude: stale, b: {} }, c: 1 };
    const right = { ...stale, command: ours.command, args: ours.args };
    const after = { mcpServers: { a: {}, conclaude: right, b: {} }, c: 1 };
    assert.equal(add(pretty(before)), pretty(after));
    assert.equal(remove(pretty(before)), pretty({ mcpServers: { a: {}, b: {} }, c: 1 }));
  }
  const short =
    '{"mcpServers":{"conclaude":{"command":"/usr/local/bin/conclaude","args":["mcp"]}}}';
  assert.equal(add(short), short, "stdio is what Claude Code takes when no type is given");
});

Deno.test("another server of our name is neither changed nor removed", () => {
  for (
    const foreign of [
      { type: "http", url: "http://127.0.0.1" },
      { command: "npx", args: ["conclaude-of-others"] },
      "mine",
    ]
  ) {
    const text = pretty({ mcpServers: { conclaude: foreign } });
    assert.throws(() => add(text), (thrown) => {
      assert.ok(thrown instanceof UserError);
      assert.match(thrown.why, /another MCP server has the name `conclaude`/);
      return true;
    });
    assert.equal(remove(text), text);
  }
});

Deno.test("a file that cannot be edited safely is refused, and a removal reads only a file that names us", () => {
  for (
    const [text, why] of [
      ['{"mcpServers": {}, // "conclaude"\n}', /JSONC comments, the first on line 1, column 20/],
      ['{"mcpServers": {"conclaude": }', /malformed JSON on line 1/],
      ['["conclaude"]', /the top level must be an object/],
      ['{"mcpServers": ["conclaude"]}', /`mcpServers` must be an object, and is an array/],
      ['{"mcpServers": {"conclaude": 1}, "mcpServers": {}}', /`mcpServers` occurs more than once/],
      ['{"mcpServers": {"conclaude": 1, "conclaude": 2}}', /`mcpServers.conclaude` occurs more/],
    ] as const
  ) {
    for (const act of [add, remove]) {
      assert.throws(() => act(text), (thrown) => {
        assert.ok(thrown instanceof UserError, text);
        assert.match(thrown.why, why);
        return true;
      });
    }
  }
  assert.equal(remove("// no JSON at all"), "// no JSON at all");
});

test.unix(
  "registerServer() keeps the mode and the link of a file, makes one that only its owner reads, " +
    "and leaves no trace",
  ({ path: folder }) => {
    const home = `${folder}/home`;
    Deno.mkdirSync(home);
    Deno.writeTextFileSync(`${folder}/real.json`, '{"secret": "s"}', { mode: 0o640 });
    Deno.symlinkSync("../real.json", `${home}/.claude.json`);
    const scope = { projectDir: folder, home };
    const user = { place: serversPlace({ ...scope, scope: "user" }), program, flags: [] };
    const dry = registerServer({ ...user, dryRun: true });
    assert.deepEqual([dry.done, dry.diff], [
      "added",
      [`+ mcpServers.conclaude: ${JSON.stringify(ours)}`],
    ]);
    assert.equal(Deno.readTextFileSync(`${folder}/real.json`), '{"secret": "s"}');
    assert.equal(registerServer(user).done, "added");
    assert.equal(registerServer(user).done, "present");
    assert.equal(modeOf(`${folder}/real.json`), "640");
    assert.ok(Deno.lstatSync(`${home}/.claude.json`).isSymlink);
    assert.deepEqual(JSON.parse(Deno.readTextFileSync(`${folder}/real.json`)), {
      secret: "s",
      mcpServers: { conclaude: ours },
    });
    const { done, deleted } = unregisterServer(user);
    assert.deepEqual([done, deleted], ["removed", false]);
    assert.equal(Deno.readTextFileSync(`${folder}/real.json`), '{"secret": "s"}');

    const project = { ...user, place: serversPlace({ ...scope, scope: "project" }) };
    registerServer(project);
    assert.equal(modeOf(`${folder}/.mcp.json`), "600");
    assert.deepEqual(unregisterServer(project).deleted, true);
    assert.equal(unregisterServer(project).done, "absent");
    assert.deepEqual(namesIn(folder), ["home", "real.json"]);
    assert.deepEqual(namesIn(home), [".claude.json"]);
  },
);

test("a refusal names the file, and the command to give again", ({ path: folder }) => {
  Deno.writeTextFileSync(`${folder}/.mcp.json`, '{"mcpServers": {"conclaude": {"url": "x"}}}');
  const place = serversPlace({ scope: "project", projectDir: folder, home: folder });
  assert.throws(() => registerServer({ place, program, flags: ["--mcp"] }), (thrown) => {
    assert.ok(thrown instanceof UserError);
    assert.equal(thrown.what, `Cannot add the MCP server to "${folder}/.mcp.json"`);
    assert.match(thrown.next, /`conclaude install-hooks --mcp` again; nothing was changed$/);
    return true;
  });
});

test("a change by Claude Code under its lock is not lost while a server is registered", async ({ path: folder }) => {
  const file = `${folder}/.claude.json`;
  const lock = `${file}.lock`;
  Deno.writeTextFileSync(file, '{"n": 1}');
  Deno.mkdirSync(lock);
  const modules = new URL("../../src/claude/settings/", import.meta.url).href;
  const script = `
      import { registerServer, serversPlace } from "${modules}mcp_servers.ts";
      const home = ${JSON.stringify(folder)};
      const place = serversPlace({ scope: "user", projectDir: home, home });
      console.log("begun");
      registerServer({ place, program: { kind: "name", name: "conclaude" }, flags: [] });`;
  Deno.writeTextFileSync(`${folder}/register.ts`, script);
  const config = new URL("../../deno.json", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-qA", "--no-lock", "--config", config, `${folder}/register.ts`],
    stdout: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  // It waits now, and has read the file.
  await pause(300);
  assert.equal(Deno.readTextFileSync(file), '{"n": 1}');
  Deno.writeTextFileSync(file, '{"n": 2}');
  Deno.removeSync(lock);
  await reader.cancel();
  assert.ok((await child.status).success);
  assert.deepEqual(JSON.parse(Deno.readTextFileSync(file)), {
    n: 2,
    mcpServers: { conclaude: { type: "stdio", command: "conclaude", args: ["mcp"] } },
  });
  assert.deepEqual(namesIn(folder), [".claude.json", "register.ts"]);
});

test("a lock that a dead process has left is passed over, and stays", ({ path: folder }) => {
  Deno.mkdirSync(`${folder}/.claude.json.lock`);
  const past = new Date(Date.now() - 60_000);
  Deno.utimeSync(`${folder}/.claude.json.lock`, past, past);
  const place = serversPlace({
    scope: "user",
    projectDir: folder,
    home: folder,
  });
  const begun = performance.now();
  assert.equal(registerServer({ place, program, flags: [] }).done, "added");
  assert.ok(performance.now() - begun < 2_000);
  assert.deepEqual(namesIn(folder), [".claude.json", ".claude.json.lock"]);
});
