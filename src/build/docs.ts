/**
 * `deno task docs`: writes the pages in `docs/reference` from the program's table of verbs, its schemas of the
 * configuration and its list of environment variables.
 */
import "../operations/config_sections.ts";
import { GLOBAL_FLAGS } from "../cli/global_flags.ts";
import { HEADINGS, setFaceVerbs, VERBS } from "../operations/all_verbs.ts";
import { configSchema } from "../config/config_schema.ts";
import type { ConfigKey } from "../config/schema_kit.ts";
import { helpOf } from "../operations/help.ts";
import { LETTERS, type Parameter } from "../operations/flags.ts";
import { ENVIRONMENT } from "../system/permissions.ts";
import { kebab } from "../operations/usage.ts";
import type { LazyVerb, Verb, VerbGroup } from "../operations/verb.ts";
import { REPOSITORY, runTask } from "./run_deno.ts";

/** Makes the pages. @returns Their texts, by their paths from the root of the clone. */
export async function references(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ["docs/reference/commands.md", await commandsPage()],
    ["docs/reference/configuration.md", configurationPage()],
    [
      "docs/reference/environment.md",
      page("Environment variables", [
        "conclaude reads these variables and no others. Commands and the notifier of your configuration get the whole environment, as Claude Code would give it to them.",
        Object.entries(ENVIRONMENT).map(([name, about]) => item([name], about)).join("\n"),
      ]),
    ],
  ]);
}

async function commandsPage(): Promise<string> {
  setFaceVerbs({
    mcp: async () => (await import("../mcp/run.ts")).mcp,
    daemon: async () => (await import("../daemon/daemon_verbs.ts")).daemon,
    ui: async () => (await import("../daemon/daemon_verbs.ts")).ui,
    explain: async () => (await import("../hook/explain_verb.ts")).explain,
    hook: async () => (await import("../hook/hook_verb.ts")).hook,
  });
  const parts = [
    'Exit status: 0 done, 1 could not, 2 the command line makes no sense; tasks have [more](../tasks-and-agents.md). An error says what, why, and what to do next; with `--json` it is `{"error": {what, why, next, code}}`. Every command takes these flags, too:',
    GLOBAL_FLAGS.map(({ name, value, letters, brief }) =>
      item(
        [
          `--${name}${value === undefined ? "" : ` ${value}`}`,
          ...(letters ?? []).map((it) => `-${it}`),
        ],
        brief,
      )
    ).join("\n"),
  ];
  for (const { heading, names } of HEADINGS) {
    parts.push(`## ${heading}`);
    for (const name of names) parts.push(...await commandParts([name], VERBS[name]!));
  }
  return page("Commands", parts);
}

/** Describes a verb, or a group and its verbs. @param words Its names as identifiers: `["config", "init"]`. */
async function commandParts(
  words: readonly string[],
  target: Verb | VerbGroup | LazyVerb,
): Promise<string[]> {
  if (target.kind === "lazy") return await commandParts(words, await target.load());
  const { brief, about = brief } = helpOf(words);
  const title = `${"#".repeat(words.length + 2)} ${words.map(kebab).join(" ")}`;
  if (target.kind === "verb") {
    return [title, safe(about), usageOf(words, target), ...parametersOf(target)];
  }
  const verbs = Object.entries(target.verbs)
    .map(([name, verb]) => commandParts([...words, name], verb));
  return [title, `${safe(brief)}.`, ...(await Promise.all(verbs)).flat()];
}

function usageOf(words: readonly string[], { args, flags }: Verb): string {
  const places = "kind" in args
    ? [`[${placeholder(args.parameter)}…]`]
    : args.map((arg) =>
      arg.optional || arg.default !== undefined ? `[${placeholder(arg)}]` : placeholder(arg)
    );
  if (Object.keys(flags).length > 0) places.push("[flags]");
  const usage = ["conclaude", ...words.map(kebab), ...places].join(" ");
  return ["```sh", `# ${usage}`, ...helpOf(words).examples, "```"].join("\n");
}

/** Lists the arguments and flags, one on each line. */
function parametersOf({ args, flags }: Verb): string[] {
  const places = "kind" in args ? [args.parameter] : args;
  const lines = [
    ...places.map((arg) => item([placeholder(arg)], arg.brief)),
    ...Object.entries(flags).map(([name, flag]) => {
      const value = flag.kind === "boolean" ? "" : ` ${placeholder(flag)}`;
      const letters = Object.keys(LETTERS).filter((letter) => LETTERS[letter] === name);
      const usual = flag.kind === "boolean" || flag.default === undefined
        ? ""
        : `. Default: \`${flag.default}\``;
      const spelt = [`--${kebab(name)}${value}`, ...letters.map((it) => `-${it}`)];
      const note = flag.optional || usual || !value ? "" : " (needed)";
      return item(spelt, flag.brief, note) + usual;
    }),
  ];
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function placeholder({ placeholder, values }: Parameter): string {
  return placeholder ?? values?.join("|") ?? "value";
}

function item(names: readonly string[], text: string, note = "") {
  return `- ${names.map((name) => `\`${name}\``).join(", ")}${note}: ${safe(text)}`;
}

function configurationPage(): string {
  const { keys, itemKeys, sections } = configSchema();
  const parts = [
    "What the files are, and which of them count: [Configuration](../configuration.md). In globs `*` and `?` also match `/`, `[a-z]` and `{a,b}` work, and upper and lower case differ. `[]` stands for an entry of a list, `<name>` for a name of your own.",
  ];
  const firstOf = ({ key }: ConfigKey) => key.split(".", 1)[0]!;
  for (const first of new Set(keys.map(firstOf))) {
    const about = sections.find(({ key }) => key === first)?.description;
    const rows = [...keys, ...itemKeys].filter((row) => firstOf(row) === first);
    parts.push(`## ${first}`, ...(about ? [safe(about)] : []), rows.map(keyLine).join("\n"));
  }
  return page("Keys of the configuration", parts);
}

function keyLine({ key, type, range, default: usual, description }: ConfigKey): string {
  const limits = range === undefined ? "" : `, ${range[0]}–${range[1]}`;
  const fallback = usual === null ? "" : `, default \`${JSON.stringify(usual)}\``;
  return item([key], description, ` (${type}${limits}${fallback})`);
}

function page(title: string, parts: readonly string[]): string {
  const note = "<!-- `deno task docs` writes this page from the program. -->";
  return `${[`# ${title}`, note, ...parts].join("\n\n")}\n`;
}

/** Escapes `<` outside of code, so that Markdown takes no `<name>` for a tag. */
function safe(text: string): string {
  return text.split("`").map((part, i) => i % 2 === 0 ? part.replaceAll("<", "&lt;") : part)
    .join("`");
}

async function main(): Promise<void> {
  for (const [path, text] of await references()) {
    await Deno.writeTextFile(new URL(path, REPOSITORY), text);
    console.log(path);
  }
}

if (import.meta.main) await runTask(main);
