import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type Command,
  type RouteMap,
  run,
} from "@stricli/core";
import { type LazyVerb, perform, type Verb, type VerbGroup, type Verbs } from "./verb.ts";
import type { CliContext, Globals } from "./context.ts";
import { HELP_FLAG, VERSION_FLAG } from "./help.ts";
import { camel } from "./usage.ts";
import { usageText } from "./usage_text.ts";
import { VERBS } from "./verbs.ts";

/** Runs a command line with all that the library does for it: help, errors, flags in every spelling. */
export async function runWithLibrary(context: CliContext, words: readonly string[]): Promise<void> {
  await run(await application(context, words), words, context);
}

/**
 * The command line for the library.
 * @param args What is to be run: of other verbs than the one that it names only the names are there, so that no verb
 * pays for another.
 */
export async function application(
  { globals }: { readonly globals: Pick<Globals, "color"> },
  args: readonly string[] = [],
): Promise<Application<CliContext>> {
  const asked = camel(args[0] ?? "");
  const verbs = Object.hasOwn(VERBS, asked) ? { [asked]: VERBS[asked]! } : VERBS;
  const root = buildRouteMap<string, CliContext>({
    routes: await routesOf(verbs, args),
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
  return buildApplication<CliContext>(root, {
    name: "conclaude",
    scanner: { caseStyle: "allow-kebab-for-camel", allowArgumentEscapeSequence: true },
    documentation: { disableAnsiColor: !globals.color },
    localization: { text: usageText(root, args) },
  }, { help: HELP_FLAG, version: VERSION_FLAG });
}

/** @param args What is to be run of them. A page of help shows how each is used; else nobody looks at the others. */
async function routesOf(
  verbs: Verbs,
  args: readonly string[],
): Promise<Record<string, Command<CliContext> | RouteMap<CliContext>>> {
  const isHelp = args[0] === undefined || args[0].startsWith("-");
  const asked = camel(args[0] ?? "");
  const routes = Object.entries(verbs).map(async ([name, verb]) => {
    const rest = isHelp ? [] : name === asked ? args.slice(1) : null;
    return [name, await libraryTarget(verb, verb.brief ?? "", rest)] as const;
  });
  return Object.fromEntries(await Promise.all(routes));
}

/** A verb or a noun as the library has it. @param rest What follows it on the command line; null where only its name counts. */
async function libraryTarget(
  target: Verb | VerbGroup | LazyVerb,
  brief: string,
  rest: readonly string[] | null,
): Promise<Command<CliContext> | RouteMap<CliContext>> {
  if (target.kind === "lazy") {
    if (rest !== null) return await libraryTarget(await target.load(), brief, rest);
    const loader = () => Promise.reject(new Error("only named"));
    return buildCommand<object, [], CliContext>({ loader, parameters: {}, docs: { brief } });
  }
  if (target.kind === "group") {
    return buildRouteMap<string, CliContext>({
      routes: await routesOf(target.verbs, rest ?? []),
      docs: { brief, fullDescription: withExamples(brief, target.examples) },
    });
  }
  const { load, flags, args, about, examples } = target;
  return buildCommand<Readonly<Record<string, unknown>>, unknown[], CliContext>(
    {
      loader: async () => {
        const action = await load();
        return function (this: CliContext, flags: object, ...args: unknown[]): Promise<void> {
          return perform(this, action, { flags, args });
        };
      },
      parameters: {
        flags,
        positional: "kind" in args ? args : { kind: "tuple", parameters: args },
      },
      docs: { brief, fullDescription: withExamples(about, examples) },
    } as unknown as Parameters<
      typeof buildCommand<Readonly<Record<string, unknown>>, unknown[], CliContext>
    >[0],
  );
}

function withExamples(about: string, examples: readonly string[]): string {
  return [about, "", "Examples:", ...examples.map((line) => `  ${line}`)].join("\n");
}
