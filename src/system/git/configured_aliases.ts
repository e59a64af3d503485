/** Reads git's configuration, without starting git. */
import type { Environment } from "../environment.ts";
import { joinPath } from "../../base/paths.ts";
import { readText } from "../on_disk.ts";

/** Commands by alias, in small letters. */
type GitAliases = ReadonlyMap<string, string>;

interface Place {
  readonly commonDir: string | null;
  readonly home: string | null;
  readonly environment: Pick<Environment, "variable">;
}

/** The settings of a repository and of the user as lines, later ones outrank earlier ones. Includes are not followed. */
export function configuredSettings({ commonDir, home, environment }: Place): string[] {
  const ofUser = environment.variable("XDG_CONFIG_HOME") ??
    (home === null ? null : `${home}/.config`);
  const files = [
    ...(ofUser === null ? [] : [joinPath(ofUser, "git/config")]),
    ...(home === null ? [] : [joinPath(home, ".gitconfig")]),
    ...(commonDir === null ? [] : [joinPath(commonDir, "config")]),
  ];
  return files.flatMap((path) => settingsIn(readText(path) ?? ""));
}

/** The aliases of a repository and of the user; empty when none of `verbs` is an alias. */
export function findAliases(verbs: readonly (string | null)[], place: Place): GitAliases {
  const aliases = aliasesIn(configuredSettings(place));
  return verbs.some((verb) => verb === null || aliases.has(verb)) ? aliases : new Map();
}

export function aliasesIn(settings: readonly string[]): GitAliases {
  return new Map(settings.flatMap((line) => {
    const [, name, value] = /^alias\.([a-z][a-z\d-]*)=(.*)$/is.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value!]];
  }));
}

/** The lines of a configuration file as `section.name.key=value`; a key without a value is true. */
export function settingsIn(text: string): string[] {
  const settings: string[] = [];
  let section = "";
  for (const line of text.replace(/\\\r?\n/g, "").split(/\r?\n/)) {
    const [, name, part, behind] =
      /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line) ?? [];
    if (name !== undefined) section = part === undefined ? name : `${name}.${part}`;
    const [, key, value = "true"] = /^\s*([\w-]+)\s*(?:=(.*))?$/.exec(behind ?? line) ?? [];
    if (key !== undefined) settings.push(`${section}.${key}=${valueOf(value)}`);
  }
  return settings;
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
