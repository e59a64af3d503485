import {
  type Application,
  buildApplication,
  buildCommand,
  buildRouteMap,
  type Command,
  type RouteMap,
  run,
} from "@stricli/core";
import { perform, type Verb, type VerbGroup } from "./command.ts";
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
 * The command line: a table of verbs. Their actions are loaded when they are run.
 *
 * @param args What is to be run: where it begins with a verb, there is only this one, since no verb is to pay for
 * another; an error also names the verb that it is about.
 */
export async function application(
  { globals }: { readonly globals: Pick<Globals, "color"> },
  args: readonly string[] = [],
): Promise<Application<CliContext>> {
  const verb = camel(args[0] ?? "");
  const names = Object.hasOwn(VERBS, verb) ? [verb] : Object.keys(VERBS);
  const targets = await Promise.all(names.map((name) => VERBS[name]!()));
  const root = buildRouteMap<string, CliContext>({
    routes: Object.fromEntries(names.map((name, i) => [name, libraryTarget(targets[i]!)])),
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

/** A part of the table as the library has it. */
function libraryTarget(target: Verb | VerbGroup): Command<CliContext> | RouteMap<CliContext> {
  if (target.kind === "group") {
    const { verbs, brief, examples } = target;
    const routes = Object.entries(verbs).map(([name, verb]) => [name, libraryTarget(verb)]);
    return buildRouteMap<string, CliContext>({
      routes: Object.fromEntries(routes),
      docs: { brief, fullDescription: withExamples(brief, examples) },
    });
  }
  const { load, parameters, brief, about, examples } = target.spec;
  return buildCommand<Readonly<Record<string, unknown>>, unknown[], CliContext>(
    {
      loader: async () => {
        const action = await load();
        return function (this: CliContext, flags: object, ...args: unknown[]): Promise<void> {
          return perform(this, action, { flags, args });
        };
      },
      parameters,
      docs: { brief, fullDescription: withExamples(about, examples) },
    } as Parameters<
      typeof buildCommand<Readonly<Record<string, unknown>>, unknown[], CliContext>
    >[0],
  );
}

function withExamples(about: string, examples: readonly string[]): string {
  return [about, "", "Examples:", ...examples.map((line) => `  ${line}`)].join("\n");
}
