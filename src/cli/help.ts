/** Pages of help: what the library knows of a verb, and the flags that it does not know. */
import type { StricliIntegration } from "@stricli/core";
import { VERSION } from "../version.ts";
import type { CliContext } from "./context.ts";
import { GLOBAL_FLAGS, type GlobalFlag } from "./global_flags.ts";
import { show } from "./view.ts";

/** `--help` of every verb and group; with `--json` the page is the text in `{"help": …}`. */
export const HELP_FLAG: StricliIntegration<CliContext> = {
  flag: {
    ...documented("help"),
    global: true,
    defaultForRouteMap: true,
    run({ config, root }, { result, text }) {
      const page = result.target.formatHelp({
        prefix: result.prefix,
        // The global flags get a section of their own.
        additionalFlags: [],
        includeArgumentEscapeSequenceFlag: false,
        includeHidden: false,
        config: config.documentation,
        text,
        ansiColor: false,
      });
      const help = withGlobalFlags(page, { isRoot: result.target === root });
      show(this as CliContext, { json: { help }, text: help });
    },
  },
};

/** `--version`; with `--json` also what else a report of a fault needs. */
export const VERSION_FLAG: StricliIntegration<CliContext> = {
  flag: {
    ...documented("version"),
    global: false,
    async run() {
      const context = this as CliContext;
      const json = context.globals.json
        ? (await import("./version_facts.ts")).versionFacts()
        : undefined;
      show(context, { json, text: VERSION });
    },
  },
};

function documented(name: string) {
  const { brief, letter } = GLOBAL_FLAGS.find((flag) => flag.name === name)!;
  return { brief, aliases: letter === undefined ? [] : [letter] };
}

/** The page without empty sections, and with the flags of every verb behind its own. */
function withGlobalFlags(page: string, { isRoot }: { readonly isRoot: boolean }): string {
  const rows = GLOBAL_FLAGS.filter(({ rootOnly }) => isRoot || !rootOnly);
  const width = Math.max(...rows.map((flag) => spelling(flag).length));
  const section = [
    "GLOBAL FLAGS",
    ...rows.map((flag) => {
      return `  ${flag.letter === undefined ? "  " : `-${flag.letter}`} ${
        spelling(flag).padEnd(width)
      }  ${flag.brief}`;
    }),
  ].join("\n");
  return page.trimEnd().replace(
    /^FLAGS\n?((?: {2}.*\n?)*)/m,
    (_whole, own: string) => `${own === "" ? "" : `FLAGS\n${own.trimEnd()}\n\n`}${section}\n`,
  ).trimEnd();
}

function spelling({ name, value }: GlobalFlag): string {
  return `--${name}${value === undefined ? "" : ` ${value}`}`;
}
