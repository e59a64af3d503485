/** Runs the program in this process: a hook through `handleHook()`, a verb through the command line. */
import type { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { programCommand } from "../../src/build/program.ts";
import { splitGlobals } from "../../src/cli/global_flags.ts";
import { performLine } from "../../src/cli/command_line.ts";
import { setFaceVerbs } from "../../src/operations/all_verbs.ts";
import type { Environment } from "../../src/system/environment.ts";
import { type Descent, readDescent } from "../../src/system/process/ancestors.ts";
import { handleHook } from "../../src/hook/handle.ts";
import { readFlags } from "../../src/hook/run.ts";
import { migratedDatabase } from "./migrated.ts";
import { acceptConfiguration, asPerson } from "./person.ts";
import {
  bytesOf,
  type Finished,
  sending,
  type StartOptions,
  startProgram,
  usualVariables,
} from "./process.ts";
import { removeFolder } from "./folders.ts";

setFaceVerbs({
  mcp: async () => (await import("../../src/mcp/run.ts")).mcp,
  daemon: async () => (await import("../../src/daemon/daemon_verbs.ts")).daemon,
  ui: async () => (await import("../../src/daemon/daemon_verbs.ts")).ui,
  explain: async () => (await import("../../src/hook/explain_verb.ts")).explain,
  hook: async () => (await import("../../src/hook/hook_verb.ts")).hook,
});

const OBSERVED = new URL("../testdata/observed/", import.meta.url);
/** A Stop that continues a stopped one makes no database. */
const CONTINUES_STOP = /"stop_hook_active":\s*true/;
const HEAD_BYTES = 4_096;

// Where a flag cannot be read, the library of the command line leaves promises behind that nobody awaits; a process is over
// before they are noticed. `flags.ts` and `point_in_time.ts` do nothing but read flags.
addEventListener("unhandledrejection", (event) => {
  if (
    /stricli|\/(?:operations\/flags|search\/point_in_time)\.ts/.test(String(event.reason?.stack))
  ) {
    event.preventDefault();
  }
});

/** Of the tests' process, which stays the same. */
let ownDescent: Descent | undefined;

/** How the program is run; `through` makes it a process of its own, as a daemon always is. */
export type RunOptions = StartOptions;

/** A folder that takes a user's home's place, and is removed at the end of the block. */
export interface TempHome extends Disposable {
  readonly path: string;
  /** Where the program puts its database when nothing says otherwise. */
  readonly database: string;
}

/** A new empty home: `using home = tempHome();`. */
export function tempHome(): TempHome {
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-home-" }));
  return {
    path,
    database: join(path, ".conclaude", "conclaude.db"),
    [Symbol.dispose]() {
      removeFolder(path);
      removeFolder(temporaryFolderOf(path));
    },
  };
}

/**
 * Runs the program: `await runProgram(["status", "--json"], { env: { HOME: home.path } })`. A verb that only a person may
 * run is run by one: where it refuses, it is shown a token that the database knows.
 */
export async function runProgram(
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  if (options.through !== undefined || verbOf(args) === "daemon") {
    return await startProgram(args, options);
  }
  return isHook(args) ? await runAsAgent(args, options) : await asPerson(runAsAgent, args, options);
}

/** {@linkcode runProgram} without a person: no terminal, and no token but one of `env`. */
async function runAsAgent(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const open: DatabaseSync[] = [];
  const environment = environmentFor(args, options, (db) => void open.push(db));
  try {
    if (!isHook(args)) {
      const printed = { stdout: "", stderr: "" };
      const code = await performLine(args, environment, {
        stdout: { write: (text: string) => void (printed.stdout += text) },
        stderr: { write: (text: string) => void (printed.stderr += text) },
      });
      return { code, signal: null, ...printed };
    }
    const words = args.toSpliced(args.indexOf("hook"), 1);
    const stdin = bytesOf(options.stdin ?? "");
    if (!CONTINUES_STOP.test(new TextDecoder().decode(stdin.subarray(0, HEAD_BYTES)))) {
      beginHome(options.env?.["HOME"], words);
    }
    const answer = await handleHook(stdin, readFlags(words), environment);
    const text = answer === null ? "" : `${JSON.stringify(answer)}\n`;
    return { code: 0, signal: null, stdout: text, stderr: "" };
  } finally {
    for (const db of open) if (db.isOpen) db.close();
  }
}

/** Sends one hook event, as Claude Code does. @param options `holds`: no person accepts what has become of the policy. */
export function hook(
  event: string,
  payload: object | string | Uint8Array,
  home: string | TempHome,
  { holds = false, ...options }: Omit<RunOptions, "stdin"> & { readonly holds?: boolean } = {},
): Promise<Finished> {
  if (!holds) acceptConfiguration(typeof home === "string" ? home : home.path);
  return runProgram(["hook", event], sending(payload, home, options));
}

/** The environment of a run that knows nothing of this process's own. @param hold Is told of open databases. */
function environmentFor(
  args: readonly string[],
  { env = {}, cwd, stdin = "" }: RunOptions,
  hold: Environment["hold"] = () => {},
): Environment {
  const variables = usualVariables(env);
  const home = variables["HOME"] || "/nonexistent";
  const [executable, ...words] = programCommand();
  let rest = bytesOf(stdin);
  return {
    variable: (name) => variables[name] || undefined,
    passedOn: variables,
    args,
    cwd: () => cwd ?? home,
    now: Date.now,
    // By the clock that times are recorded with: the other one may run slower or faster.
    beganMs: Date.now() - performance.timeOrigin,
    temporaryFolder: temporaryFolderOf(home),
    program: { executable, script: words.at(-1) ?? null, startedAs: executable },
    stdin: {
      readSync(buffer) {
        const part = rest.subarray(0, buffer.length);
        buffer.set(part);
        rest = rest.subarray(part.length);
        return part.length === 0 ? null : part.length;
      },
    },
    isTerminal: () => false,
    columns: () => null,
    get descent() {
      return ownDescent ??= readDescent();
    },
    hold,
  };
}

/** The variables of a home alone, for what asks where things are. */
export function homeAlone(home: string, variables: Record<string, string> = {}): Environment {
  return environmentFor([], { env: { HOME: home, ...variables } });
}

/** A home has a temporary folder of its own beside it. */
function temporaryFolderOf(home: string): string {
  return `${home}.tmp`;
}

/** A hook makes the database where there is none: here it finds a copy of one that was made before. */
function beginHome(home: string | undefined, words: readonly string[]): void {
  if (home === undefined || words.some((word) => /^--(?:db|no-db)/.test(word))) return;
  const folder = join(home, ".conclaude");
  const database = join(folder, "conclaude.db");
  try {
    if ([...Deno.readDirSync(folder)].some(({ name }) => name !== "config.yaml")) return;
  } catch {
    Deno.mkdirSync(folder, { mode: 0o700 });
  }
  Deno.writeFileSync(database, migratedDatabase(), { mode: 0o600 });
}

/** The verb of a command line, behind global flags. */
function verbOf(args: readonly string[]): string | undefined {
  return splitGlobals(args).rest[0];
}

/** Whether a command line is a hook's; where a person asks about one, the command line answers. */
function isHook(args: readonly string[]): boolean {
  return verbOf(args) === "hook" &&
    !["--help", "-h", "--dry-run"].some((flag) => args.includes(flag));
}

/** Parses the JSON that a program printed. @throws {Error} With all that it printed, when that is none. */
// deno-lint-ignore no-explicit-any -- a test looks into whatever was printed
export function jsonOf({ stdout, stderr }: Finished): any {
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`no JSON: ${stdout}${stderr}`);
  }
}

/**
 * A payload that Claude Code sent to a hook: `observed("PostToolUse.Edit")`.
 *
 * @param replace What stands for the placeholders in it, by name: `{ PROJECT: "/work/app", HOME: home.path }`.
 */
export function observed(
  name: string,
  replace: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const text = Deno.readTextFileSync(new URL(`${name}.json`, OBSERVED));
  return JSON.parse(text, (_key, value) => {
    if (typeof value !== "string") return value;
    return value.replace(/<([A-Z_]+)>/g, (whole, key: string) => replace[key] ?? whole);
  });
}

/** The names of all observed payloads, sorted; what stands before the first dot is the event. */
export function observedNames(): string[] {
  return [...Deno.readDirSync(OBSERVED)]
    .map(({ name }) => name.replace(/\.json$/, ""))
    .sort();
}
