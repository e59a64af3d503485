import { compileRedactPatterns, redactText } from "../capture/redact.ts";
import { readConfigFiles } from "../config/discover.ts";
import type { Config } from "../config/schema.ts";
import type { Locations } from "../paths.ts";
import type { SummarizerSettings } from "./summarizer.ts";

/** The summarizer as it is configured, and what takes secrets out of what goes through it. */
export interface ConfiguredSummarizer {
  readonly settings: SummarizerSettings;
  readonly mask: (text: string) => string;
}

/** The summarizer of a configuration; null where there is none, or where nothing is to be remembered. */
export function summarizerIn({ memory, capture }: Config): ConfiguredSummarizer | null {
  const { command } = memory.summarizer;
  if (!memory.enabled || command === null || command.trim() === "") return null;
  const rules = compileRedactPatterns(capture.redact.patterns);
  return {
    settings: { ...memory.summarizer, command },
    mask: (text) => redactText(text, rules),
  };
}

/** What a file says in which a summarizer may be configured: the key, or an escape that may spell it. */
const MAY_CONFIGURE = /summarizer|\\/;

/**
 * The summarizer of the user's own file: no other one counts, wherever the program is started. A file that does not
 * speak of one is not parsed: loading the parser takes more memory than a drain.
 *
 * @returns Null when there is none.
 */
export async function readSummarizer(
  locations: Pick<Locations, "home" | "dataFolder" | "dataNames">,
): Promise<ConfiguredSummarizer | null> {
  const files = readConfigFiles([], locations);
  if (!files.some(({ text }) => text !== null && MAY_CONFIGURE.test(text))) return null;
  const { parseConfig } = await import("../config/parse.ts");
  return summarizerIn(parseConfig(files).config);
}
