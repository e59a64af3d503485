/** The sections about guards, compiled: what a hook takes from the cache. */
import type { FileRule, GuardPolicy, ToolRule } from "../guard/guard_policy.ts";
import { compileGlob, needleOf } from "./globs.ts";
import type { Config } from "./config_schema.ts";
import type { NameOfEntry } from "./yaml_tree.ts";

type PreToolUse = Config["preToolUse"];

/**
 * Compiles what is judged before a tool runs.
 *
 * @param from `root`: the folder of the project's configuration file, or null; `home`: what `~` means; `nameOf`: what an
 * entry of a list is called.
 */
export function compileGuards(
  { preToolUse, permissionRequest }: Config,
  { root, home, nameOf }: {
    readonly root: string | null;
    readonly home: string | undefined;
    readonly nameOf: NameOfEntry;
  },
): GuardPolicy {
  const files = (key: "uneditableFiles" | "preventAdditions"): FileRule[] =>
    preToolUse[key].map((entry, i) => file(entry, nameOf(["preToolUse", key], i)));
  const file = (entry: PreToolUse["uneditableFiles"][number], name: string): FileRule => {
    const { pattern, message, agent } = typeof entry === "string" ? { pattern: entry } : entry;
    return {
      name,
      glob: pattern,
      pattern: compileFileGlob(pattern, home),
      needle: needleOf(pattern),
      message: message ?? null,
      agent: compiledAgent(agent),
    };
  };
  return {
    root,
    isStrict: preToolUse.strict,
    lock: null,
    preventsRootAdditions: preToolUse.preventRootAdditions,
    rootAdditionsMessage: preToolUse.preventRootAdditionsMessage,
    uneditable: files("uneditableFiles"),
    noAdditions: files("preventAdditions"),
    protectsIgnored: preToolUse.preventUpdateGitIgnored,
    protectsGenerated: preToolUse.preventGeneratedFileEdits,
    generatedMessage: preToolUse.generatedFileMessage,
    tools: preToolUse.toolUsageValidation.map((rule, i) => ({
      name: nameOf(["preToolUse", "toolUsageValidation"], i),
      ...compileTool(rule, home),
    })),
    deniesDangerous: preToolUse.denyDangerousCommands,
    protectsItself: preToolUse.protectPolicy,
    permission: {
      deny: permissionRequest.deny.map(toolName),
      allow: permissionRequest.allow.map(toolName),
      fallback: permissionRequest.default,
    },
  };
}

function compileTool(
  rule: PreToolUse["toolUsageValidation"][number],
  home: string | undefined,
): Omit<ToolRule, "name"> {
  const { tool, action, commandPattern, matchMode, message, agent } = rule;
  const isCommand = commandPattern !== undefined;
  const glob = commandPattern ?? rule.pattern ?? "*";
  return {
    tool,
    toolPattern: tool === "*" || /^\w+$/.test(tool) ? null : compileGlob(tool),
    action,
    about: isCommand ? "command" : "file",
    glob,
    pattern: isCommand ? compileGlob(glob) : compileFileGlob(glob, home),
    needle: needleOf(glob),
    isPrefix: matchMode === "prefix",
    message: message ?? null,
    agent: compiledAgent(agent),
  };
}

/** A pattern that ends with `/` means the folder, and all below it. */
function compileFileGlob(glob: string, home: string | undefined): string {
  return compileGlob(glob, { home, coversFolder: glob.endsWith("/") });
}

/** Names of tools have no blanks at their ends. */
function toolName(written: string) {
  const glob = written.trim();
  return { glob, pattern: compileGlob(glob) };
}

/** Null for every agent, which is what most rules are for. */
function compiledAgent(glob: string | undefined): string | null {
  return glob === undefined || glob === "*" ? null : compileGlob(glob);
}
