import type { StricliProcess } from "@stricli/core";
import { loadSectionsWith } from "../config/sections.ts";
import { type Environment, THIS_PROCESS } from "../system/environment.ts";
import { fitToColumns } from "../base/columns.ts";
import { isUserError } from "../base/errors.ts";
import { type CliContext, contextOf } from "../operations/context.ts";
import { splitGlobals, type SplitLine } from "./global_flags.ts";
import { LETTERS, type Parameter } from "../operations/flags.ts";
import { type Given, type GivenCall, readCall } from "../operations/read_call.ts";
import { camel, kebab, USAGE } from "../operations/usage.ts";
import { perform, showError } from "../operations/verb.ts";
import { type FaceVerbs, findVerb, setFaceVerbs, typedIn, VERBS } from "../operations/all_verbs.ts";

loadSectionsWith(() => import("../operations/config_sections.ts"));

/** The verb that completion scripts call; it must be quick and change nothing. */
const COMPLETE = "__complete";

/** Runs the command line and exits with its status: 0 for success, 1 for an error, 2 for wrong usage. */
export async function runCli(args: readonly string[], verbs: FaceVerbs): Promise<never> {
  setFaceVerbs(verbs);
  Deno.exit(await performLine(args, THIS_PROCESS));
}

/** Runs a command line. @param streams Receive its output. @returns Its exit status. */
export async function performLine(
  args: readonly string[],
  environment: Environment,
  streams: StricliProcess = PROCESS_STREAMS,
): Promise<number> {
  if (args[0] === COMPLETE) {
    const { complete } = await import("./app.ts");
    await complete(args.slice(1), environment, streams);
    return 0;
  }
  const line = splitGlobals(args);
  const color = !line.globals.noColor && environment.variable("NO_COLOR") === undefined &&
    environment.isTerminal("stdout");
  const globals = { ...line.globals, color, columns: columnsFor(environment, "stdout") };
  const columns = columnsFor(environment, "stderr");
  // Only people read stderr, so its lines fit the terminal.
  const stderr = { write: (text: string) => streams.stderr.write(fitToColumns(text, columns)) };
  const context = contextOf(globals, environment, { stdout: streams.stdout, stderr });
  await runVerb(context, line);
  const status = Number(context.process.exitCode ?? 0);
  // Stricli reports an unknown command or a wrong argument with a negative status.
  return status < 0 ? USAGE : status;
}

const USUAL_COLUMNS = 80;

/** Returns the width of a stream in columns: `COLUMNS`, or the terminal's if the stream goes there, or 80. */
function columnsFor(
  { variable, isTerminal, columns }: Environment,
  stream: "stdout" | "stderr",
): number {
  const configured = Number(variable("COLUMNS"));
  if (Number.isInteger(configured) && configured > 0) return configured;
  return (isTerminal(stream) ? columns() : null) || USUAL_COLUMNS;
}

/** Runs a verb, prints its result or its error, and sets the exit status in the context. */
export async function runVerb(
  context: CliContext,
  { rest, fault }: Pick<SplitLine, "rest" | "fault">,
): Promise<void> {
  try {
    if (fault !== null) throw fault;
    const words = await withUsualVerb(withHelpFlag(rest));
    const call = await plainCall(words);
    if (call !== null) return await perform(context, call.verb, call);
    const { runWithLibrary } = await import("./app.ts");
    await runWithLibrary(context, words);
  } catch (thrown) {
    if (isUserError(thrown)) return showError(context, thrown);
    try {
      // Stdout itself may be the fault (a full disk).
      showError({ ...context, globals: { ...context.globals, json: false } }, thrown);
    } finally {
      context.process.exitCode = 1;
    }
  }
}

/**
 * Reads a simple command line without the library, since loading that takes as long as running a verb. Returns the verb
 * with its arguments; null if only the library can read the line.
 */
export async function plainCall(words: readonly string[]) {
  try {
    const found = await findVerb(words);
    if (found === null) return null;
    const { verb, rest } = found;
    const given = readWords(rest, verb.flags);
    return given === null ? null : { ...await readCall(verb, given), verb };
  } catch {
    // The library meets the same error and reports it.
    return null;
  }
}

function readWords(
  words: readonly string[],
  known: Readonly<Record<string, Parameter>>,
): GivenCall | null {
  const flags: Record<string, Given> = {};
  const args: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    if (!word.startsWith("-")) {
      args.push(word);
      continue;
    }
    const long = /^-[a-z]$/.test(word) ? `--${LETTERS[word.slice(1)]}` : word;
    const [, name = "", attached] = /^--([a-z][a-z-]*)(?:=([\s\S]+))?$/.exec(long) ?? [];
    const flag = typedIn(known, name);
    const key = camel(name);
    if (flag === undefined || flag.variadic !== undefined || flags[key] !== undefined) return null;
    const isSwitch = flag.kind === "boolean";
    if (isSwitch && attached !== undefined) return null;
    const value = isSwitch || (attached ?? words[++i]);
    if (value === undefined || (attached === undefined && String(value).startsWith("-"))) {
      return null;
    }
    flags[key] = value;
  }
  return { flags, args };
}

/** Turns `help`, `help session` and `session help` into `--help`, which Stricli understands. */
function withHelpFlag(words: readonly string[]): readonly string[] {
  if (words[0] === "help") return [...words.slice(1), "--help"];
  return words.length === 2 && words[1] === "help" ? [words[0]!, "--help"] : words;
}

/** Turns `import FILE` into `import file FILE` (the group's usual verb), and `session ls` into `session list`. */
async function withUsualVerb(words: readonly string[]): Promise<readonly string[]> {
  const [noun = "", next, ...rest] = words;
  if (next === undefined || ["--help", "-h"].includes(next)) return words;
  if (!Object.hasOwn(VERBS, camel(noun))) return words;
  const target = await VERBS[camel(noun)]!.load();
  if (target.kind !== "group") return words;
  if (next === "ls" && Object.hasOwn(target.verbs, "list")) return [noun, "list", ...rest];
  const isKnown = target.usual === undefined || Object.hasOwn(target.verbs, camel(next));
  return isKnown ? words : [noun, kebab(target.usual!), next, ...rest];
}

const PROCESS_STREAMS = { stdout: writer(Deno.stdout), stderr: writer(Deno.stderr) };

function writer(stream: typeof Deno.stdout | typeof Deno.stderr): { write(text: string): void } {
  const encoder = new TextEncoder();
  return {
    write(text) {
      const bytes = encoder.encode(text);
      try {
        for (let written = 0; written < bytes.length;) {
          written += stream.writeSync(bytes.subarray(written));
        }
      } catch (thrown) {
        // The reader has closed the pipe, as in `conclaude … | head`.
        if (thrown instanceof Deno.errors.BrokenPipe) Deno.exit(0);
        throw thrown;
      }
    },
  };
}
