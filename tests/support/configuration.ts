/** Parses configurations with the sections of all rooms. */
import type { Config } from "../../src/config_sections.ts";
import "../../src/config_sections.ts";
import type { ConfigFile } from "../../src/config/discover.ts";
import { parseConfig as parse, type ParsedConfig } from "../../src/config/parse.ts";
import type { GuardPolicy } from "../../src/guard/guard_policy.ts";

export function parseConfig(
  files: readonly ConfigFile[],
): ParsedConfig<Config> & { readonly policy: GuardPolicy } {
  return parse<Config>(files) as ReturnType<typeof parseConfig>;
}
