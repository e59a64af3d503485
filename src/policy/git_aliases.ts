/** Finds the git aliases that a tool use may call. */
import { SHELL_TOOLS } from "../claude/payload.ts";
import type { Environment } from "../system/environment.ts";
import type { Repository } from "../system/git/repository.ts";
import { foreignVerbs, type GitAliases, isOwnVerb } from "./guards/git_verbs.ts";

/** Empty, and no file is read, where the command calls only git's own verbs. */
export async function gitAliasesFor(
  { tool, input, ...place }: {
    readonly tool: string;
    readonly input: unknown;
    readonly home: string | null;
    readonly environment: Environment;
  },
  repository: Repository | undefined,
): Promise<GitAliases> {
  const command: unknown = SHELL_TOOLS.has(tool) ? Reflect.get(Object(input), "command") : null;
  const verbs = typeof command === "string" ? foreignVerbs(command) : [];
  if (verbs.length === 0) return NONE;
  const { findAliases } = await import("../system/git/configured_aliases.ts");
  const aliases = findAliases(verbs, { ...place, commonDir: repository?.commonDir ?? null });
  return new Map([...aliases].filter(([name]) => !isOwnVerb(name)));
}

const NONE: GitAliases = new Map();
