/** Reads the aliases in git's configuration, without starting git. */
import type { Environment } from "../environment.ts";
import { joinPath } from "../../base/paths.ts";
import { readText } from "../on_disk.ts";

/** Commands by alias, in small letters. */
type GitAliases = ReadonlyMap<string, string>;

/** The aliases of a repository and of the user; empty when none of `verbs` is an alias. Includes are not followed. */
export function findAliases(
  verbs: readonly (string | null)[],
  { commonDir, home, environment }: {
    readonly commonDir: string | null;
    readonly home: string | null;
    readonly environment: Environment;
  },
): GitAliases {
  const ofUser = environment.variable("XDG_CONFIG_HOME") ??
    (home === null ? null : `${home}/.config`);
  // Later files outrank earlier ones.
  const files = [
    ...(ofUser === null ? [] : [joinPath(ofUser, "git/config")]),
    ...(home === null ? [] : [joinPath(home, ".gitconfig")]),
    ...(commonDir === null ? [] : [joinPath(commonDir, "config")]),
  ];
  const aliases = new Map(files.flatMap((path) => [...aliasesIn(readText(path) ?? "")]));
  return verbs.some((verb) => verb === null || aliases.has(verb)) ? aliases : new Map();
}

export function aliasesIn(text: string): GitAliases {
  const aliases = new Map<string, string>();
  let isAbout = false;
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const [, section, behind] = /^\s*\[([^\]]*)\](.*)$/.exec(line) ?? [];
    if (section !== undefined) isAbout = section.trim().toLowerCase() === "alias";
    const [, name, value] = /^\s*([a-z][a-z\d-]*)\s*=(.*)$/i.exec(behind ?? line) ?? [];
    if (isAbout && name !== undefined) aliases.set(name.toLowerCase(), valueOf(value!));
  }
  return aliases;
}

/** A quoted part, an escaped letter, a comment, or plain text. */
const PART = /"((?:\\.|[^"\\])*)"?|\\.|[#;].*|[^"\\#;]+/g;
const ESCAPED: Readonly<Record<string, string>> = { n: "\n", t: "\t", b: "\b" };

function valueOf(written: string): string {
  const parts = Array.from(
    written.trim().matchAll(PART),
    ([part, quoted]) => quoted ?? (/^[#;]/.test(part) ? "" : part),
  );
  return parts.join("").replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter).trim();
}
