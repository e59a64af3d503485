import { compileRedactPatterns, redactText } from "../capture/redact.ts";
import { readConfigFiles } from "../config/discover.ts";
import type { ConfigProblem } from "../config/layer.ts";
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

/** What the user's own file says of a summarizer. */
export type FoundSummarizer =
  | { readonly kind: "ready"; readonly summarizer: ConfiguredSummarizer }
  /** A mistake in its section switches it off; `problem` is the mistake, in one line, with its place. */
  | { readonly kind: "faulty"; readonly problem: string }
  | { readonly kind: "none" };

/**
 * The summarizer of the user's own file: no other one counts, wherever the program is started. A file that does not
 * speak of one is not parsed: loading the parser takes more memory than a drain.
 */
export async function readSummarizer(
  locations: Pick<Locations, "home" | "dataFolder" | "dataNames">,
): Promise<FoundSummarizer> {
  const files = readConfigFiles([], locations);
  if (!files.some(({ text }) => text !== null && MAY_CONFIGURE.test(text))) return { kind: "none" };
  const { parseConfig } = await import("../config/parse.ts");
  return foundSummarizer(parseConfig(files));
}

/** What a parsed configuration says of a summarizer. */
export function foundSummarizer(
  { config, summarizerFault }: {
    readonly config: Config;
    readonly summarizerFault: ConfigProblem | null;
  },
): FoundSummarizer {
  if (!config.memory.enabled) return { kind: "none" };
  if (summarizerFault !== null) {
    const { path, line, column, key, message } = summarizerFault;
    return { kind: "faulty", problem: `${path}:${line}:${column} ${key}: ${message}` };
  }
  const summarizer = summarizerIn(config);
  return summarizer === null ? { kind: "none" } : { kind: "ready", summarizer };
}
