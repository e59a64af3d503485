/**
 * Holds the house to its plan: which room may import which, what no room may do, and how little a hook loads.
 * The graph is read from the import statements of the files themselves, those of types included.
 */
import assert from "node:assert/strict";
import { basename, dirname, join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Rooms from the lowest to the highest. Rooms in one row do not import each other; a file imports its own room and lower ones. */
const ROOMS: readonly (readonly string[])[] = [
  ["base"],
  ["system"],
  ["db"],
  ["secrets"],
  ["claude"],
  ["config"],
  ["policy", "work", "memory", "team"],
  ["upkeep"],
  ["operations"],
  ["hook", "cli", "daemon", "mcp", "web"],
];

/** Rooms without effects: no runtime, no clock, no chance, no SQL. */
const PURE_ROOMS = ["base", "secrets"];

/** The files in which a face meets the process that it runs in. */
const ENTRY_FILES = [
  "src/hook/run.ts",
  "src/cli/command_line.ts",
  "src/daemon/run.ts",
  "src/mcp/run.ts",
];

/** Names that say the same in every room: what runs a face, the types of a room, what others may do with its tables. */
const SHARED_NAMES = ["run.ts", "types.ts", "store.ts"];

/** How many modules `hook/run.ts`, `hook/work.ts` and one handler reach at most, beside themselves. */
const MAX_HOT_MODULES = 16;
const HANDLERS = ["post_tool_use", "session_end", "stop", "other_event"];

interface Source {
  /** From the root of the repository. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  readonly imports: readonly Import[];
}

interface Import {
  /** A path from the root of the repository, or the specifier of a package. */
  readonly target: string;
  readonly kind: "static" | "type" | "lazy";
}

const sources = ["main.ts", ...filesBelow("src")].map(readSource);
const program = sources.filter(({ path }) => roomOf(path) !== "build" && path !== "main.ts");

Deno.test("every file stands in a room of the plan", () => {
  const rooms = [...ROOMS.flat(), "build"];
  const strangers = sources.filter(({ path }) =>
    path !== "main.ts" && !rooms.includes(roomOf(path))
  );
  assert.deepEqual(strangers.map(({ path }) => path), []);
});

Deno.test("a room imports only itself and lower rooms, types included", () => {
  const wrong = importsBetweenRooms()
    .filter(({ from, to }) => rankOf(to) >= rankOf(from))
    .filter(({ from, target }) => !(from === "cli" && target === "src/daemon/client.ts"));
  assert.deepEqual(wrong.map(({ path, target }) => `${path} imports ${target}`), []);
});

Deno.test("no file leads back to itself", () => {
  assert.deepEqual(circles(), []);
});

Deno.test("only system/ and the entry files of the faces name the runtime", () => {
  const wrong = program.filter(({ path, code }) =>
    roomOf(path) !== "system" && !ENTRY_FILES.includes(path) && /\bDeno\./.test(code)
  );
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

Deno.test("pure rooms have no effects", () => {
  const effect = /\bDate\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|from "node:/;
  const wrong = program.filter(({ path, code }) =>
    PURE_ROOMS.includes(roomOf(path)) && effect.test(code)
  );
  assert.deepEqual(wrong.map(({ path, code }) => `${path}: ${effect.exec(code)}`), []);
});

Deno.test("SQL stands in db/ and in the tables' files of a room", () => {
  const statement =
    /\b(SELECT\s+\S+[\s\S]{0,200}\sFROM|INSERT INTO|UPDATE \w+\s+SET|DELETE FROM|CREATE TABLE)\b/;
  const wrong = program.filter(({ path, code }) =>
    roomOf(path) !== "db" && !path.endsWith("_table.ts") && statement.test(code)
  );
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

Deno.test("only its own room imports a table's file", () => {
  const wrong = importsBetweenRooms().filter(({ target }) => target.endsWith("_table.ts"));
  assert.deepEqual(wrong.map(({ path, target }) => `${path} imports ${target}`), []);
});

Deno.test("only store.ts of a room exports what other files hold", () => {
  const wrong = sources.filter(({ path, code }) =>
    basename(path) !== "store.ts" && /^export (\*|(type )?\{[^}]*\}) from/m.test(code)
  );
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

Deno.test("only db/ loads node:sqlite", () => {
  const loaders = program.filter(({ path, imports }) =>
    roomOf(path) !== "db" &&
    imports.some(({ target, kind }) => target === "node:sqlite" && kind !== "type")
  );
  assert.deepEqual(loaders.map(({ path }) => path), []);
});

Deno.test("rooms below the faces do not print and do not exit", () => {
  const wrong = program.filter(({ path, code }) =>
    rankOf(roomOf(path)) < rankOf("hook") && roomOf(path) !== "system" && /\bconsole\./.test(code)
  );
  assert.deepEqual(wrong.map(({ path }) => path), []);
});

Deno.test("a file's name is its own, or says the same everywhere", () => {
  const places = Map.groupBy(sources.map(({ path }) => path), (path) => basename(path));
  const twice = [...places].filter(([name, paths]) =>
    paths.length > 1 && !SHARED_NAMES.includes(name)
  );
  assert.deepEqual(twice, []);
});

Deno.test("classes of all scripts are worked out when they are wanted, not where a file is read", () => {
  const wrong = program.flatMap(({ path, code }) => {
    const found = /.*\\p\{.*/.exec(code.replace(/(?:String\.raw)?`[^`]*`/g, ""));
    return found === null ? [] : [`${path}: ${found[0].trim()}`];
  });
  assert.deepEqual(wrong, []);
});

function librariesIn(reached: readonly string[]): string[] {
  return reached.filter((path) =>
    /^(?:npm|node):|^[@a-z][^/]*$/.test(path) && !path.endsWith(".ts")
  );
}

Deno.test("a hook before a tool use loads what reads commands only for a command that it has to read", () => {
  const reached = reachedFrom(["src/hook/run.ts", "src/hook/work.ts", "src/hook/pre_tool_use.ts"]);
  assert.deepEqual(librariesIn(reached), ["node:sqlite"]);
  assert.equal(reached.includes("src/policy/shell/word.ts"), false);
});

Deno.test("a hook loads few modules, and of node: only node:sqlite", () => {
  for (const handler of HANDLERS) {
    const start = ["src/hook/run.ts", "src/hook/work.ts", `src/hook/${handler}.ts`];
    const reached = reachedFrom(start);
    assert.deepEqual(librariesIn(reached), ["node:sqlite"], handler);
    const modules = reached.filter((path) => path.startsWith("src/") && !start.includes(path));
    assert.ok(
      modules.length <= MAX_HOT_MODULES,
      `${handler} reaches ${modules.length}: ${modules.join(", ")}`,
    );
  }
});

Deno.test("the start of a session does not load what searches memory", () => {
  const reached = reachedFrom(["src/hook/session_start.ts"]);
  assert.equal(reached.includes("src/memory/search/search.ts"), false);
});

Deno.test("the protocol's library is loaded by the MCP server alone, and that when it is asked for", () => {
  const users = program.filter(({ imports }) =>
    imports.some(({ target }) => target.startsWith("@modelcontextprotocol/"))
  );
  assert.deepEqual(users.map(({ path }) => roomOf(path)).filter((room) => room !== "mcp"), []);
});

Deno.test("main.ts loads the version, and its faces when they are wanted", () => {
  const { imports } = sources.find(({ path }) => path === "main.ts")!;
  const statics = imports.filter(({ kind }) => kind === "static");
  assert.deepEqual(statics.map(({ target }) => target), ["src/base/version.ts"]);
});

function roomOf(path: string): string {
  return path.startsWith("src/") ? path.split("/")[1]! : "";
}

function rankOf(room: string): number {
  return ROOMS.findIndex((row) => row.includes(room));
}

function importsBetweenRooms() {
  return program.flatMap(({ path, imports }) =>
    imports
      .filter(({ target }) => target.startsWith("src/") && roomOf(target) !== roomOf(path))
      .map(({ target }) => ({ path, target, from: roomOf(path), to: roomOf(target) }))
  );
}

/** The modules that are loaded with others, these included. */
function reachedFrom(start: readonly string[]): string[] {
  const reached = new Set(start);
  for (const path of reached) {
    for (const { target, kind } of sources.find((source) => source.path === path)?.imports ?? []) {
      if (kind === "static") reached.add(target);
    }
  }
  return [...reached];
}

/** The files that reach themselves, by the shortest way. */
function circles(): string[] {
  const targetsOf = new Map(
    sources.map(({ path, imports }) => [path, [...new Set(imports.map(({ target }) => target))]]),
  );
  return sources.flatMap(({ path }) => {
    const cameFrom = new Map<string, string>();
    const waiting = [path];
    for (const at of waiting) {
      for (const target of targetsOf.get(at) ?? []) {
        if (target === path) {
          const way = [path];
          for (let back = at; back !== path; back = cameFrom.get(back)!) way.splice(1, 0, back);
          return [way.join(" → ")];
        }
        if (!targetsOf.has(target) || cameFrom.has(target)) continue;
        cameFrom.set(target, at);
        waiting.push(target);
      }
    }
    return [];
  });
}

function filesBelow(folder: string): string[] {
  return Array.from(Deno.readDirSync(join(ROOT, folder))).flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? filesBelow(path) : /\.tsx?$/.test(name) ? [path] : [];
  }).sort();
}

function readSource(path: string): Source {
  const code = Deno.readTextFileSync(join(ROOT, path))
    .replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const imports = [
    ...code.matchAll(/^(?:import|export) (type )?(?:([^;"]*?) from )?"([^"]+)"/gm),
  ].map(([, isType, names = "", specifier]): Import => ({
    target: targetOf(path, specifier!),
    kind: isType !== undefined || /^\{(?:\s*type [^,}]+,?)+\s*\}$/.test(names.trim())
      ? "type"
      : "static",
  }));
  const lazy = [...code.matchAll(/\bimport\(\s*"([^"]+)"/g)]
    .map(([, specifier]): Import => ({ target: targetOf(path, specifier!), kind: "lazy" }));
  return { path, code, imports: [...imports, ...lazy] };
}

function targetOf(path: string, specifier: string): string {
  return specifier.startsWith(".") ? normalize(join(dirname(path), specifier)) : specifier;
}
