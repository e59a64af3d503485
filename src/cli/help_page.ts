/** Rewrites the library's page of help: shortens the usage, groups the verbs under headings, adds the global flags. */
import { kebab } from "../operations/usage.ts";
import { GLOBAL_FLAGS } from "./global_flags.ts";
import { HEADINGS } from "../operations/all_verbs.ts";

/** @param page The library's page. */
export function helpPage(
  page: string,
  { prefix, isGroup, isRoot }: {
    readonly prefix: readonly string[];
    readonly isGroup: boolean;
    readonly isRoot: boolean;
  },
): string {
  const usage = isGroup
    ? `  ${prefix.join(" ")} <command> [flags]`
    : / {2}.*/.exec(page)![0].replace(/(?: \[-[^\]]*\](?:\.{3})?)+/, " [flags]")
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

/** Groups the list of all verbs under headings. */
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
