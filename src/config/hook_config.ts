/**
 * Describes the configuration as hooks need it: plain values, compiled once and then read from the cache. So a hook
 * loads neither the YAML parser nor the schema.
 */
import type { DEFAULT_HOOK_CONFIG } from "./discover.ts";

/**
 * The part of the configuration that hooks look at. Plain JSON: `JSON.parse(JSON.stringify(c))` equals `c`.
 * Regular expressions are sources; `requiredUses.commands` is made for the flag `i`. Those of the `exclude…` lists are
 * anchored at both ends, expect `/` as the separator, and are made for `new RegExp(source, "s")`; those of
 * `redactPatterns` for `new RegExp(source, "g")`.
 */
export type HookConfig = Readonly<typeof DEFAULT_HOOK_CONFIG>;

/** The tool uses that requirements are about. */
export interface RequiredUses {
  /** Names of tools; `*` when the glob of some requirement may match any tool. */
  readonly tools: readonly string[];
  /** Whether edits are among them: then shell commands that write files count as well. */
  readonly edits: boolean;
  /** A regular expression that matches every script which a requirement could mean; empty for none. */
  readonly commands: string;
}
