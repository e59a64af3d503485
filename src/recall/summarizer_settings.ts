import { compileRedactPatterns, redactText } from "../capture/redact.ts";
import { readConfigFiles } from "../config/discover.ts";
import { parseConfig } from "../config/parse.ts";
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

/**
 * The summarizer of the user's own file: no other one counts, wherever the program is started.
 *
 * @returns Null when there is none.
 */
export function readSummarizer(
  locations: Pick<Locations, "home" | "dataFolder" | "dataNames">,
): ConfiguredSummarizer | null {
  return summarizerIn(parseConfig(readConfigFiles([], locations)).config);
}
