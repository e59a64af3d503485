/** Reads the configured command that rewrites summaries. */
import { readConfigFiles, type UserPlace } from "../../config/discover.ts";
import type { ConfigProblem } from "../../config/layer.ts";
import type { Config as OwnConfig } from "../../config/config_schema.ts";
import { loadSections } from "../../config/sections.ts";
import type { MemorySettings } from "../memory_section.ts";

export type SummarizedConfig = OwnConfig & { readonly memory: MemorySettings };

/** The values of `memory.summarizer` in the user's own file. */
export interface SummarizerSettings {
  readonly command: string;
  readonly maxRunsPerDay: number;
  readonly maxTokensPerDay: number;
  readonly timeoutSeconds: number;
}

/** Returns the key of a limit that is 0 and so forbids all runs; null when runs are allowed. */
export function forbiddingLimit(
  { maxRunsPerDay, maxTokensPerDay }: SummarizerSettings,
): string | null {
  if (maxRunsPerDay === 0) return "memory.summarizer.maxRunsPerDay";
  return maxTokensPerDay === 0 ? "memory.summarizer.maxTokensPerDay" : null;
}

export interface ConfiguredSummarizer {
  readonly settings: SummarizerSettings;
  /** The user's own patterns of secrets. They are masked beside the built-in ones. */
  readonly redactPatterns: readonly string[];
}

/** Returns the summarizer of a configuration; null when it has none, or memory is switched off. */
export function summarizerIn({ memory, capture }: SummarizedConfig): ConfiguredSummarizer | null {
  const { command } = memory.summarizer;
  if (!memory.enabled || command === null || command.trim() === "") return null;
  return {
    settings: { ...memory.summarizer, command },
    redactPatterns: capture.redact.patterns,
  };
}

/** Matches a file that may configure a summarizer. A backslash may spell the key. */
const MAY_CONFIGURE = /summarizer|\\/;

export type FoundSummarizer =
  | { readonly kind: "ready"; readonly summarizer: ConfiguredSummarizer }
  /** A mistake in the section switches the summarizer off. `problem` tells the mistake and its place in one line. */
  | { readonly kind: "faulty"; readonly problem: string }
  | { readonly kind: "none" };

/**
 * Reads the summarizer from the user's own file, the only one that counts. A file without a summarizer is not parsed,
 * since loading the parser takes more memory than a drain.
 */
export async function readSummarizer(locations: UserPlace): Promise<FoundSummarizer> {
  const files = readConfigFiles([], locations);
  if (!files.some(({ text }) => text !== null && MAY_CONFIGURE.test(text))) return { kind: "none" };
  await loadSections();
  const { parseConfig } = await import("../../config/parse.ts");
  return foundSummarizer(parseConfig<SummarizedConfig>(files));
}

export function foundSummarizer(
  { config, summarizerFault }: {
    readonly config: SummarizedConfig;
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
