import { quoteWord } from "../claude/settings/hooks.ts";
import type { UserError } from "../base/errors.ts";
import type { Globals } from "../operations/context.ts";
import { usageError } from "../operations/usage.ts";

/** A flag that every verb accepts, or one of `conclaude` itself. */
export interface GlobalFlag {
  readonly name: string;
  /** The placeholder for its value in help; a flag without a value is a switch. */
  readonly value?: string;
  /** Its short forms; help shows the first. */
  readonly letters?: readonly ("h" | "q" | "V" | "v")[];
  readonly brief: string;
  /** Whether it works only without a verb: `conclaude --version`. */
  readonly rootOnly?: true;
}

export const GLOBAL_FLAGS: readonly GlobalFlag[] = [
  { name: "db", value: "PATH", brief: "Work on this database, not on the one that counts here" },
  { name: "no-db", brief: "Leave every database alone: memory only, nothing is kept" },
  { name: "json", brief: "Print JSON, for programs: results, errors, help and version" },
  { name: "no-color", brief: "Print no colours; NO_COLOR does the same" },
  { name: "quiet", letters: ["q"], brief: "Print errors only; --json is printed all the same" },
  { name: "help", letters: ["h"], brief: "Print this page and exit" },
  { name: "version", letters: ["V", "v"], brief: "Print the version and exit", rootOnly: true },
];

/** The switches that `splitGlobals` removes from the command line, so that the library never sees them. */
const REMOVED_SWITCHES: readonly string[] = ["no-db", "json", "no-color", "quiet"];

const SWITCHES = GLOBAL_FLAGS.filter(({ value }) => value === undefined).map(({ name }) => name);

export interface SplitLine {
  readonly globals: Omit<Globals, "color" | "columns"> & { readonly noColor: boolean };
  readonly rest: readonly string[];
  /** The error of a global flag that cannot be read; it is reported before anything runs. */
  readonly fault: UserError | null;
}

const NO_PATH = usageError("Cannot read the flag --db", {
  why: "it needs the path of a database",
  next: "conclaude --db ~/.conclaude/conclaude.db status",
});

/** Separates the global flags from the other words. Words from `--` on stay as they are. */
export function splitGlobals(args: readonly string[]): SplitLine {
  const rest: string[] = [];
  const seen = new Set<string>();
  let db: string | undefined;
  let fault: UserError | null = null;
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  for (let i = 0; i < end; i++) {
    const arg = args[i]!;
    const { name, value } = readFlag(arg);
    if (name === "db") {
      const isNext = value === undefined && i + 1 < end && !args[i + 1]!.startsWith("-");
      db = isNext ? args[++i] : value;
      if (db === undefined || db.trim() === "") fault ??= NO_PATH;
    } else if (value !== undefined && SWITCHES.includes(name)) {
      seen.add(name);
      fault ??= usageError(`Cannot read the flag ${arg}`, {
        why: `--${name} is a switch and takes no value`,
        next: ["conclaude", ...args.with(i, `--${name}`).map(quoteWord)].join(" "),
      });
    } else if (REMOVED_SWITCHES.includes(name)) seen.add(name);
    else if (value === "") rest.push(`--${name}`, "");
    else rest.push(arg);
  }
  return {
    globals: {
      db,
      json: seen.has("json"),
      noDb: seen.has("no-db"),
      noColor: seen.has("no-color"),
      quiet: seen.has("quiet"),
    },
    rest: [...rest, ...args.slice(end)],
    fault,
  };
}

/** Splits `--json=true` into the name `json` and the value `true`. The name of a word that is not a flag is empty. */
function readFlag(arg: string): { readonly name: string; readonly value: string | undefined } {
  if (arg === "-q") return { name: "quiet", value: undefined };
  const [, name = "", value] = /^--([a-z][a-z-]*)(?:=([\s\S]*))?$/i.exec(arg) ?? [];
  return { name, value };
}
