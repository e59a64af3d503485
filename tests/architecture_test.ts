/**
 * Holds the drawing to the code: which folder may import which, what no floor may do, and how little a hook loads.
 * The module graph comes from `deno info --json`, so nothing has to be kept up by hand.
 */
import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

interface Module {
  /** Path from the root of the repository, or the specifier of a package. */
  readonly path: string;
  readonly imports: readonly string[];
  readonly lazyImports: readonly string[];
}

/** Folders by floor. A file imports its own floor and those below it. */
const FLOORS: readonly (readonly string[])[] = [
  [
    "environment.ts",
    "errors.ts",
    "paths.ts",
    "ids.ts",
    "time.ts",
    "letters.ts",
    "likeness.ts",
    "byte_lines.ts",
    "counts.ts",
    "version.ts",
  ],
  [
    "secrets",
    "capture",
    "guard",
    "requirement",
    "orchestration",
    "memory",
    "session",
    "settings",
    "config",
  ],
  ["store"],
  [
    "config",
    "settings",
    "git",
    "process",
    "project",
    "gate",
    "spool",
    "log",
    "maintenance",
    "recall",
    "engine",
  ],
  ["hook", "cli", "daemon", "mcp", "config_sections.ts"],
];

/** Floor 1 inside folders that also have files with effects on floor 3. */
const PURE_FILES = [
  /^src\/config\/(config_schema|schema_kit|sections|hook_config|parse|layer|globs|config_template|yaml_tree)\.ts$/,
  /^src\/process\/types\.ts$/,
  /^src\/settings\/(hooks|handler_schema|json_edit)\.ts$/,
  /^src\/(secrets|capture|guard|requirement|orchestration|memory|session)\//,
];

/** How many modules `hook/handle.ts`, `hook/work.ts` and one handler reach at most, beside themselves. */
const MAX_HOT_MODULES = 16;
const HANDLERS = ["post_tool_use", "session_end", "stop", "other_event"];

const graph = await readGraph();
const sources = graph.filter(({ path }) => path.startsWith("src/"));

Deno.test("every file imports only its own floor and those below", () => {
  const wrong = sources.flatMap(({ path, imports, lazyImports }) =>
    [...imports, ...lazyImports]
      .filter((target) => target.startsWith("src/") && floorOf(target) > floorOf(path))
      .map((target) =>
        `${path} (floor ${floorOf(path)}) imports ${target} (floor ${floorOf(target)})`
      )
  );
  assert.deepEqual(wrong, []);
});

Deno.test("the faces do not import each other", () => {
  const face = (path: string) => /^src\/(hook|cli|daemon|mcp)\//.exec(path)?.[1];
  const wrong = sources.flatMap(({ path, imports }) =>
    imports
      .filter((target) => face(path) && face(target) && face(path) !== face(target))
      .filter((target) => !(face(path) === "cli" && target === "src/daemon/client.ts"))
      .map((target) => `${path} imports ${target}`)
  );
  assert.deepEqual(wrong, []);
});

Deno.test("rules are pure: no runtime, no clock, no SQL", async () => {
  const forbidden =
    /\bDeno\.|\bDate\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|from "node:/;
  const wrong: string[] = [];
  for (const { path } of sources) {
    if (!PURE_FILES.some((pattern) => pattern.test(path))) continue;
    const code = withoutComments(await Deno.readTextFile(new URL(path, ROOT)));
    const found = forbidden.exec(code);
    if (found) wrong.push(`${path}: ${found[0]}`);
  }
  assert.deepEqual(wrong, []);
});

/** Rooms that have no circle of files, and those of them that reach the runtime through other rooms alone. */
const WITHOUT_CIRCLES =
  /^src\/(config|settings|git|project|process|gate|guard|requirement|spool|log)\/[^/]+$/;
const WITHOUT_RUNTIME = /^src\/(config|settings|gate|guard|requirement|spool)\//;

Deno.test("no file of the lower rooms leads back to itself", () => {
  const wrong = sources.filter(({ path }) => WITHOUT_CIRCLES.test(path)).flatMap(({ path }) => {
    const reached = new Set<string>();
    const waiting = [path];
    for (const at of waiting) {
      for (const target of graph.find((module) => module.path === at)?.imports ?? []) {
        if (target === path) return [path];
        if (!WITHOUT_CIRCLES.test(target) || reached.has(target)) continue;
        reached.add(target);
        waiting.push(target);
      }
    }
    return [];
  });
  assert.deepEqual(wrong, []);
});

Deno.test("policy, configuration, settings and spool use no runtime", async () => {
  const wrong: string[] = [];
  for (const { path } of sources) {
    if (!WITHOUT_RUNTIME.test(path)) continue;
    const code = withoutComments(await Deno.readTextFile(new URL(path, ROOT)));
    if (/\bDeno\./.test(code)) wrong.push(path);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("classes of all scripts are worked out when they are wanted, not where a file is read", async () => {
  const wrong: string[] = [];
  for (const { path } of sources) {
    if (path.startsWith("src/build/")) continue;
    const code = withoutComments(await Deno.readTextFile(new URL(path, ROOT)))
      .replace(/(?:String\.raw)?`[^`]*`/g, "");
    const found = /.*\\p\{.*/.exec(code);
    if (found) wrong.push(`${path}: ${found[0].trim()}`);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("SQL and node:sqlite live in store/ alone", async () => {
  const statement =
    /\b(SELECT\s+\S+[\s\S]{0,200}\sFROM|INSERT INTO|UPDATE \w+\s+SET|DELETE FROM|CREATE TABLE)\b/;
  const wrong: string[] = [];
  for (const { path } of sources) {
    if (path.startsWith("src/store/") || path.startsWith("src/build/")) continue;
    const code = withoutComments(await Deno.readTextFile(new URL(path, ROOT)));
    if (statement.test(code)) wrong.push(`${path}: SQL`);
    if (/import (?!type)[^;]*"node:sqlite"/.test(code)) wrong.push(`${path}: node:sqlite`);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("floors 0 to 3 do not print and do not exit", async () => {
  const forbidden = /\bconsole\.|Deno\.(stdout|stderr|exit)\b/;
  const wrong: string[] = [];
  for (const { path } of sources) {
    if (path.startsWith("src/build/") || floorOf(path) > 3) continue;
    const found = forbidden.exec(withoutComments(await Deno.readTextFile(new URL(path, ROOT))));
    if (found) wrong.push(`${path}: ${found[0]}`);
  }
  assert.deepEqual(wrong, []);
});

Deno.test("a hook loads few modules, and of node: only node:sqlite", () => {
  for (const handler of HANDLERS) {
    const start = ["src/hook/run.ts", "src/hook/work.ts", `src/hook/${handler}.ts`];
    const reached = staticReach(start);
    const node = reached.filter((path) => path.startsWith("node:") && path !== "node:sqlite");
    assert.deepEqual(node, [], `${handler} reaches ${node.join(", ")}`);
    const packages = reached.filter((path) => path.startsWith("npm:"));
    assert.deepEqual(packages, [], `${handler} reaches ${packages.join(", ")}`);
    const modules = reached.filter((path) => path.startsWith("src/") && !start.includes(path));
    assert.ok(
      modules.length <= MAX_HOT_MODULES,
      `${handler} reaches ${modules.length} modules: ${modules.join(", ")}`,
    );
  }
});

Deno.test("the protocol's library is loaded by the MCP server alone, and that when it is asked for", () => {
  const users = sources.filter(({ imports, lazyImports }) =>
    [...imports, ...lazyImports].some((target) => target.includes("@modelcontextprotocol/"))
  );
  assert.deepEqual(users.map(({ path }) => path).sort(), ["src/mcp/run.ts", "src/mcp/server.ts"]);
  const loaders = graph.filter(({ path, imports }) =>
    !path.startsWith("src/mcp/") && imports.some((target) => target.startsWith("src/mcp/"))
  );
  assert.deepEqual(loaders.map(({ path }) => path), []);
});

Deno.test("main.ts loads its faces lazily, and the version", () => {
  const main = graph.find(({ path }) => path === "main.ts")!;
  assert.deepEqual(main.imports, ["src/version.ts"]);
  assert.deepEqual(main.lazyImports.toSorted(), ["src/cli/command_line.ts", "src/hook/run.ts"]);
});

Deno.test("no module is a barrel", async () => {
  const wrong: string[] = [];
  for (const { path } of sources) {
    if (/^export (\*|\{[^}]*\}) from/m.test(await Deno.readTextFile(new URL(path, ROOT)))) {
      wrong.push(path);
    }
  }
  assert.deepEqual(wrong, []);
});

function floorOf(path: string): number {
  const name = path.split("/")[1]!;
  if (path.startsWith("migrations/")) return 2;
  if (path.startsWith("src/build/")) return 5;
  if (PURE_FILES.some((pattern) => pattern.test(path))) return 1;
  for (let floor = FLOORS.length - 1; floor >= 0; floor--) {
    if (FLOORS[floor]!.includes(name)) return floor;
  }
  throw new Error(`${path} stands on no floor: add its folder to the table`);
}

function staticReach(start: readonly string[]): string[] {
  const reached = new Set<string>();
  const waiting = [...start];
  while (waiting.length > 0) {
    const path = waiting.pop()!;
    if (reached.has(path)) continue;
    reached.add(path);
    waiting.push(...graph.find((module) => module.path === path)?.imports ?? []);
  }
  return [...reached];
}

async function readGraph(): Promise<Module[]> {
  const { stdout, success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "main.ts"],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  const info: {
    readonly modules: readonly {
      readonly specifier: string;
      readonly dependencies?: readonly {
        readonly specifier: string;
        readonly code?: { readonly specifier: string };
        readonly type?: unknown;
        readonly isDynamic?: boolean;
      }[];
    }[];
  } = JSON.parse(new TextDecoder().decode(stdout));
  const relative = (specifier: string) => specifier.replace(ROOT.href, "");
  return info.modules.map(({ specifier, dependencies = [] }) => {
    const targets = (dynamic: boolean) =>
      dependencies
        .filter(({ code, isDynamic }) => code !== undefined && (isDynamic ?? false) === dynamic)
        .map(({ code }) => relative(code!.specifier));
    return { path: relative(specifier), imports: targets(false), lazyImports: targets(true) };
  });
}

function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
