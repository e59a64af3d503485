/** Finds git aliases that a shell command may call. Runs before every shell command. */
import { commandOf, SHELL_TOOLS } from "../../claude/payload.ts";
import type { Environment } from "../../system/environment.ts";
import type { Repository } from "../../system/git/repository.ts";
import VERBS from "./git_verbs.json" with { type: "json" };

/** The commands of aliases, by the alias's name in small letters. */
export type GitAliases = ReadonlyMap<string, string>;

/** Git's own verbs, which no alias can replace, and verbs that are often added to git. */
const OWN_VERBS: ReadonlySet<string> = new Set(VERBS);

export function isOwnVerb(name: string): boolean {
  return OWN_VERBS.has(name);
}

/** Matches `git`, its own options, and the next word. */
const CALL =
  /(?<![\w.-])git(?:\.exe)?(?![\w./-])(?:\s+(?:-[cC]|--(?:git-dir|work-tree|namespace|exec-path|super-prefix|config-env))\s+\S+|\s+-\S+)*[ \t]*([^\s;&|()<>]*)/gi;

/** Matches signs that only the running shell knows the word after `git`. */
const ADDING = /[$`]|\bxargs\b/;

/** Returns the words after `git` that are none of its verbs, without quotes; null for a word known only at run time. */
export function foreignVerbs(command: string): (string | null)[] {
  const plain = command.replaceAll("\\\n", "").replace(/['"\\]/g, "");
  // Most commands do not name git, and to compile the pattern takes 0.4 ms.
  if (!/git/i.test(plain)) return [];
  const mayBeAdded = ADDING.test(plain);
  const isAdded = (verb: string) => verb === "" ? mayBeAdded : ADDING.test(verb);
  return Array.from(plain.matchAll(CALL), ([, verb]) => verb!)
    .filter((verb) => !isOwnVerb(verb) && (verb !== "" || isAdded(verb)))
    .map((verb) => isAdded(verb) ? null : verb.toLowerCase());
}

/** Returns the aliases that a tool use may call. If it calls only git's own verbs, returns none and reads no file. */
export async function gitAliasesFor(
  { tool, input, ...place }: {
    readonly tool: string;
    readonly input: unknown;
    readonly home: string | null;
    readonly environment: Environment;
  },
  repository: Repository | undefined,
): Promise<GitAliases> {
  const command = SHELL_TOOLS.has(tool) ? commandOf(input) : null;
  const verbs = command === null ? [] : foreignVerbs(command);
  if (verbs.length === 0) return new Map();
  const { findAliases } = await import("../../system/git/configured_aliases.ts");
  const aliases = findAliases(verbs, { ...place, commonDir: repository?.commonDir ?? null });
  return new Map([...aliases].filter(([name]) => !isOwnVerb(name)));
}
