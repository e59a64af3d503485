/** Runs verbs of the real program in a throw-away home and folder. */
import { join } from "node:path";
import type { Finished } from "../support/process.ts";
import { jsonOf, type RunOptions, runProgram } from "../support/program.ts";

/** A folder for a home and a project, removed at the end of the block. */
export interface Stage extends Disposable {
  readonly home: string;
  readonly project: string;
  readonly database: string;
  /** The user's settings of Claude Code. */
  readonly settings: string;
  /** Writes the configuration of the project, or another file of it. @returns Its path. */
  readonly configure: (text: string, name?: string) => string;
  /** Runs a verb in the project. */
  readonly run: (args: readonly string[], options?: RunOptions) => Promise<Finished>;
  /** Runs a verb with `--json`; `body` is what it printed. */
  readonly json: (
    args: readonly string[],
    options?: RunOptions,
  ) => Promise<{ readonly code: number; readonly body: Body }>;
}

/** One row of `doctor` and `db check`. */
export interface CheckRow {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly next: string | null;
  readonly faults?: readonly string[];
}

/** What the verbs of these tests print with `--json`, all fields together; each verb prints some of them. */
export interface Body {
  readonly error: {
    readonly what: string;
    readonly why: string;
    readonly next: string;
    readonly code: number;
  };
  readonly version: string;
  readonly rules: readonly { readonly name: string; readonly pattern: string | null }[];
  readonly schema: number;
  readonly help: string;
  readonly ok: boolean;
  readonly checks: readonly CheckRow[];
  readonly fixed: readonly [string, ...string[]];
  readonly path: string;
  readonly file: string;
  readonly aside: string;
  readonly from: string | number;
  readonly to: number;
  readonly applied: readonly string[];
  readonly schemaVersion: number;
  readonly pages: number;
  readonly pageBytes: number;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly busy: boolean;
  readonly overwritten: boolean;
  readonly files: readonly { readonly layer: string; readonly path: string }[];
  readonly searched: readonly string[];
  readonly config: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly sources: Readonly<Record<string, string>>;
  readonly settings: string;
  readonly command: string;
  readonly backup: string | null;
  readonly warnings: readonly string[];
  readonly fromSource: boolean;
  readonly restored: boolean;
  readonly changed: boolean;
  readonly value: unknown;
  readonly source: string;
  readonly open: readonly string[];
  readonly moved: Readonly<Record<string, number>>;
}

/** A new empty home, and a project beside it, empty but for its configuration where there is one. */
export function stage(config?: string): Stage {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "conclaude-cli-" }));
  const home = join(folder, "home");
  const project = join(folder, "project");
  Deno.mkdirSync(home);
  Deno.mkdirSync(project);
  const configure: Stage["configure"] = (text, name = ".conclaude.yaml") => {
    const path = join(project, name);
    Deno.writeTextFileSync(path, text);
    return path;
  };
  if (config !== undefined) configure(config);
  const run: Stage["run"] = (args, options = {}) =>
    runProgram(args, { cwd: project, ...options, env: { HOME: home, ...options.env } });
  return {
    home,
    project,
    database: join(home, ".conclaude", "conclaude.db"),
    settings: join(home, ".claude", "settings.json"),
    configure,
    run,
    async json(args, options) {
      const finished = await run([...args, "--json"], options);
      return { code: finished.code, body: jsonOf(finished) };
    },
    [Symbol.dispose]() {
      Deno.removeSync(folder, { recursive: true });
    },
  };
}

/** The rows of `doctor` about one thing. */
export async function checksOf(
  place: Stage,
  name: string,
  flags: readonly string[] = [],
  options: RunOptions = {},
): Promise<CheckRow[]> {
  const { body } = await place.json(["doctor", ...flags], options);
  return body.checks.filter((row) => row.name === name);
}

/** The first of {@linkcode checksOf}. */
export async function checkOf(...asked: Parameters<typeof checksOf>): Promise<CheckRow> {
  return (await checksOf(...asked))[0]!;
}

/** Changes what a settings file of Claude Code holds */
export function alterSettings(
  { settings }: Pick<Stage, "settings">,
  // deno-lint-ignore no-explicit-any -- a settings file can hold anything
  change: (settings: any) => void,
): void {
  const changed = JSON.parse(Deno.readTextFileSync(settings));
  change(changed);
  Deno.writeTextFileSync(settings, JSON.stringify(changed));
}

/** Every file below a folder with its bytes, to be compared. */
export function snapshot(folder: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of Deno.readDirSync(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory) Object.assign(files, { [`${path}/`]: "" }, snapshot(path));
    else if (entry.isFile) files[path] = Deno.readFileSync(path).toHex();
  }
  return files;
}
