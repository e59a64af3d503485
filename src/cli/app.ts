import * as stricli from "@stricli/core";
import { perform, show, type Verbs } from "../operations/verb.ts";
import { type CliContext, locateToLook, silentContext } from "../operations/context.ts";
import { fitToColumns } from "../base/columns.ts";
import { LETTERS, type Parameter } from "../operations/flags.ts";
import { plain } from "../base/plain.ts";
import { camel, kebab } from "../operations/usage.ts";
import { helpOf } from "../operations/help.ts";
import { usageText } from "./usage_text.ts";
import { HEADINGS, VERBS } from "../operations/all_verbs.ts";
import { VERSION } from "../base/version.ts";
import { GLOBAL_FLAGS, splitGlobals } from "./global_flags.ts";
import { type Environment, RUNTIME_VERSION, TARGET } from "../system/environment.ts";

/** Runs a command line through the library, which adds help, errors and every spelling of the flags. */
export async function runWithLibrary(context: CliContext, words: readonly string[]): Promise<void> {
  await stricli.run(await application(context, words), words, context);
}

/** Builds the library's application. If the first word names a verb or a group, it gets only that one. */
export async function application(
  { globals }: { readonly globals: Pick<CliContext["globals"], "color"> },
  args: readonly string[] = [],
): Promise<stricli.Application<CliContext>> {
  const firstWord = camel(args[0] ?? "");
  const verbs = Object.hasOwn(VERBS, firstWord) ? { [firstWord]: VERBS[firstWord]! } : VERBS;
  const root = stricli.buildRouteMap<string, CliContext>({
    routes: await routesOf([], verbs, args),
    docs: {
      brief: "The state engine for Claude Code: one executable, one SQLite database",
      fullDescription: [
        "The state engine for Claude Code: one executable, one SQLite database.",
        "",
        "Examples:",
        "  conclaude install-hooks",
        "  conclaude status --json",
        "  conclaude help session",
      ].join("\n"),
    },
  });
  return stricli.buildApplication<CliContext>(root, {
    name: "conclaude",
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { disableAnsiColor: !globals.color },
    localization: { text: usageText(root, args) },
  }, { help: HELP_FLAG, version: VERSION_FLAG });
}

/**
 * Builds the library's routes for the verbs of one group.
 * @param at The names of the group and of its parents.
 * @param args The words after these names. Only the verb that the first one names is loaded; the rest are listed.
 */
async function routesOf(
  at: readonly string[],
  verbs: Verbs,
  [first = "", ...rest]: readonly string[],
): Promise<Record<string, stricli.Command<CliContext> | stricli.RouteMap<CliContext>>> {
  const routes = Object.entries(verbs).map(async ([name, verb]) => {
    const words = name === camel(first) ? rest : null;
    return [name, await libraryTarget([...at, name], verb, words)] as const;
  });
  return Object.fromEntries(await Promise.all(routes));
}

/** Builds the library's form of a verb or a group. @param words The words after its name; null if it is only listed. */
async function libraryTarget(
  at: readonly string[],
  target: Verbs[string],
  words: readonly string[] | null,
): Promise<stricli.Command<CliContext> | stricli.RouteMap<CliContext>> {
  const { brief, about = brief, examples } = helpOf(at);
  const shown = [about, "", "Examples:", ...examples.map((line) => `  ${line}`)];
  const docs = { brief, fullDescription: shown.join("\n") };
  if (target.kind === "lazy") {
    if (words !== null) return await libraryTarget(at, await target.load(), words);
    // A command that is only listed is never run.
    const loader = () => Promise.reject(new Error("only named"));
    const listed = { loader, parameters: {}, docs: { brief } };
    return stricli.buildCommand<object, [], CliContext>(listed);
  }
  if (target.kind === "group") {
    const routes = await routesOf(at, target.verbs, words ?? []);
    return stricli.buildRouteMap<string, CliContext>({ routes, docs });
  }
  const { flags, args } = target;
  const own = Object.entries(flags)
    .map(([name, flag]) => [name, withProposals(namingFaults(name, flag))]);
  const letters = Object.entries(LETTERS).filter(([, name]) => Object.hasOwn(flags, name));
  const command = {
    func(this: CliContext, flags: Readonly<Record<string, unknown>>, ...args: unknown[]) {
      return perform(this, target, { flags, args });
    },
    parameters: {
      flags: Object.fromEntries(own),
      aliases: Object.fromEntries(letters),
      positional: "kind" in args
        ? { ...args, parameter: withProposals(args.parameter) }
        : { kind: "tuple", parameters: args.map(withProposals) },
    },
    docs,
  };
  const build = stricli.buildCommand<Readonly<Record<string, unknown>>, unknown[], CliContext>;
  return build(command as unknown as Parameters<typeof build>[0]);
}

type FlagName = ConstructorParameters<typeof stricli.ArgumentParseError>[0];

/** Adds the flag's name to errors of an asynchronous `parse`; the library adds it only for a synchronous one. */
function namingFaults(name: string, flag: Parameter): Parameter {
  const { parse } = flag;
  return parse === undefined ? flag : {
    ...flag,
    parse(text) {
      const value = parse(text);
      return !(value instanceof Promise) ? value : value.catch((thrown) => {
        throw new stricli.ArgumentParseError(kebab(name) as FlagName, text, thrown);
      });
    },
  };
}

function withProposals(parameter: Parameter): Parameter {
  const { proposes } = parameter;
  return proposes === undefined ? parameter : {
    ...parameter,
    async proposeCompletions(this: CliContext, partial: string) {
      return (await import("../operations/known_names.ts")).knownNames(this, proposes, partial);
    },
  } as Parameter;
}

/** `--help` of every verb and group. With `--json` it prints the page as `{"help": …}`. */
const HELP_FLAG: stricli.StricliIntegration<CliContext> = {
  flag: {
    ...documented("help"),
    global: true,
    defaultForRouteMap: true,
    run({ config, root }, { result: { target, prefix }, text }) {
      const page = target.formatHelp({
        prefix,
        // The global flags get a section of their own.
        additionalFlags: [],
        includeArgumentEscapeSequenceFlag: false,
        includeHidden: false,
        config: config.documentation,
        text,
        ansiColor: false,
      });
      const ofGroup = "getAllEntries" in target ? `  ${prefix.join(" ")} <command> [flags]` : null;
      const context = this as CliContext;
      const whole = helpPage(page, ofGroup, target === root);
      const help = fitToColumns(whole, context.globals.columns);
      show(context, { json: { help }, text: help, quoted: true });
    },
  },
};

/** Rewrites the library's page: shortens the usage, groups the verbs under headings, adds the global flags. */
function helpPage(page: string, usageOfGroup: string | null, isRoot: boolean): string {
  const usage = usageOfGroup ??
    / {2}.*/.exec(page)![0].replace(/(?: \[-[^\]]*\](?:\.{3})?)+/, " [flags]")
      .replace(/ \[-[^\]]*\](?:\.{3})?/g, "");
  const flags = section("GLOBAL FLAGS", globalFlags(isRoot));
  // The library puts defaults and choices into a column of their own, and prints even that a switch is off by default.
  const whole = page.trimEnd()
    .replace(/ *\[default = false\]/g, "")
    .replace(/(?<=\S) {2,}(?=\[(?:default|separator) = |\[[\w-]+\|)/g, " ")
    .replace(/^USAGE\n(?: {2}.*\n)+/m, () => `USAGE\n${usage}\n`)
    .replace(
      /^FLAGS\n?((?: {2}.*\n?)*)/m,
      (_section, own: string) =>
        `${own === "" ? "" : `${section("FLAGS", [own.trimEnd()])}\n`}${flags}`,
    );
  return (isRoot ? withHeadings(whole) : whole).trimEnd();
}

function section(heading: string, lines: readonly string[]): string {
  return `${heading}\n${lines.join("\n")}\n`;
}

function globalFlags(isRoot: boolean): string[] {
  const rows = GLOBAL_FLAGS.filter(({ rootOnly }) => isRoot || !rootOnly)
    .map(({ name, value, letters, brief }) => {
      const short = letters === undefined ? "  " : `-${letters[0]}`;
      return { flag: `${short} --${name}${value === undefined ? "" : ` ${value}`}`, brief };
    });
  const width = Math.max(...rows.map(({ flag }) => flag.length));
  return rows.map(({ flag, brief }) => `  ${flag.padEnd(width)}  ${brief}`);
}

function withHeadings(page: string): string {
  return page.replace(/^COMMANDS\n((?: {2}.*\n?)*)/m, (_section, list: string) => {
    const lines = list.trimEnd().split("\n");
    return HEADINGS.map(({ heading, names }) =>
      section(
        heading.toUpperCase(),
        names.flatMap((name) => lines.filter((line) => line.startsWith(`  ${kebab(name)} `))),
      )
    ).join("\n");
  });
}

/** `--version`. With `--json` it also prints the other versions that a bug report needs. */
const VERSION_FLAG: stricli.StricliIntegration<CliContext> = {
  flag: {
    ...documented("version"),
    global: false,
    async run() {
      const context = this as CliContext;
      if (!context.globals.json) return show(context, { json: undefined, text: VERSION });
      const { sqliteVersion } = await import("../upkeep/store.ts");
      const { SCHEMA_VERSION: schema } = await import("../db/transaction.ts");
      const runtime = { sqlite: sqliteVersion(), deno: RUNTIME_VERSION, target: TARGET };
      show(context, { json: { version: VERSION, schema, ...runtime }, text: VERSION });
    },
  },
};

function documented(name: string) {
  const { brief, letters = [] } = GLOBAL_FLAGS.find((flag) => flag.name === name)!;
  return { brief, aliases: letters };
}

/** A shell that can show descriptions passes this before the words. Each line is then a name, a tab, a description. */
const DESCRIBED = "--described";

/** Prints the completions of the last word. It creates no file and changes no database. */
export async function complete(
  given: readonly string[],
  environment: Environment,
  { stdout }: stricli.StricliProcess,
): Promise<void> {
  const isDescribed = given[0] === DESCRIBED;
  const words = isDescribed ? given.slice(1) : given;
  // After `--db` comes a path, which the shell completes itself.
  if (words.at(-2) === "--db") return;
  const [before, partial] = [words.slice(0, -1), words.at(-1) ?? ""];
  const { rest, globals: { db } } = splitGlobals(before);
  const app = await application({ globals: { color: false } }, [...rest, partial]);
  const context = silentContext(environment, { db, placed: () => locateToLook(environment, db) });
  const found = await stricli.proposeCompletions(app, [...rest, partial], context).catch(() => []);
  const isFlag = partial.startsWith("-");
  const flags = GLOBAL_FLAGS.filter(({ rootOnly }) => isFlag && !rootOnly)
    .map(({ name, brief }) => [`--${name}`, brief] as const)
    .filter(([flag]) => flag.startsWith(partial) && !before.includes(flag));
  const named = found.map(({ completion, brief }) => {
    const [name = "", about = brief] = completion.split("\t");
    return [name, about] as const;
  });
  // Names from the database come with a tab, newest first; shells keep that order.
  const isNewestFirst = found.some(({ completion }) => completion.includes("\t"));
  const all = [...named, ...flags].filter(([name]) => isFlag || !name.startsWith("-"));
  const proposals = new Map(isNewestFirst ? all : all.toSorted(([a], [b]) => a < b ? -1 : 1));
  const lines = [...proposals].map(([name, about]) =>
    isDescribed ? `${name}\t${plain(about)}` : name
  );
  if (lines.length > 0) stdout.write(`${lines.join("\n")}\n`);
}
