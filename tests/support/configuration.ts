/** Parses configurations with the sections of all rooms. */
import type { Config } from "../../src/operations/config_sections.ts";
import "../../src/operations/config_sections.ts";
import type { ConfigFile } from "../../src/config/discover.ts";
import { parseConfig as parse, type ParsedConfig } from "../../src/config/parse.ts";
import type { GuardPolicy } from "../../src/policy/guards/guard_policy.ts";

export function parseConfig(
  files: readonly ConfigFile[],
): ParsedConfig<Config> & { readonly policy: GuardPolicy } {
  return parse<Config>(files) as ReturnType<typeof parseConfig>;
}
