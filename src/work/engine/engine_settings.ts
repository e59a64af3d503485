/** Reads the daemon's configuration, again when its files change, so that the daemon need not be restarted. */
import { type ConfigFile, readConfigFiles } from "../../config/discover.ts";
import { parseConfig, type ParsedConfig } from "../../config/parse.ts";
import type { Config as OwnConfig } from "../../config/config_schema.ts";
import type { OrchestrationSettings } from "../orchestration_section.ts";
import type { Locations } from "../../system/environment.ts";
import { lookUpwards } from "../../system/git/repository.ts";
import type { DatabaseSync } from "node:sqlite";
import { compileRedactPatterns, redactText } from "../../secrets/redact.ts";
import type { WorkflowRow } from "../workflows_table.ts";
import type { Lasting } from "./advance.ts";
import { namesIn } from "../../system/on_disk.ts";

export type EngineConfig = OwnConfig & {
  readonly orchestration: OrchestrationSettings;
};

/** How long a configuration counts before its files are checked again, in milliseconds. */
const FRESH_MS = 1000;

interface Cached<Config> {
  readonly config: Config;
  readonly text: string;
  readonly atMs: number;
  readonly unreadable: string;
}

interface SettingsPlace {
  readonly locations: Locations;
  /** The folder where the daemon was started; its configuration is the daemon's own. */
  readonly folder: string;
  /** Receives each fault, once for each change of the files. */
  readonly warn: (message: string) => void;
}

export class Settings<Config extends EngineConfig = EngineConfig> {
  readonly #place: SettingsPlace;
  readonly #known = new Map<string | null, Cached<Config>>();

  constructor(place: SettingsPlace) {
    this.#place = place;
  }

  get home(): string | null {
    return this.#place.locations.home;
  }

  /** Returns the daemon's own settings: how many agents run at once, how long records are kept. */
  own(nowMs: number): Config {
    return this.at(this.#place.folder, nowMs);
  }

  /** Returns the settings of a workflow's project; without a workflow, the daemon's own. */
  of(workflow: Pick<WorkflowRow, "projectDir"> | undefined): Config {
    return this.at(workflow?.projectDir ?? this.#place.folder, Date.now());
  }

  /** Returns the function that masks secrets by the settings of {@linkcode of}. */
  maskOf(workflow: WorkflowRow | undefined): (text: string) => string {
    const rules = compileRedactPatterns(this.of(workflow).capture.redact.patterns);
    return (text) => redactText(text, rules);
  }

  /** Returns the daemon's lease, and the time limit of a workflow; without a workflow, the daemon's limit. */
  lastingOf(workflow: Pick<WorkflowRow, "projectDir"> | undefined, atMs: number): Lasting {
    const { workflowTimeoutMinutes } = this.of(workflow).orchestration;
    return { leaseMs: this.leaseMs(atMs), timeoutMs: workflowTimeoutMinutes * 60_000, atMs };
  }

  leaseMs(nowMs: number): number {
    return this.own(nowMs).store.claimTimeoutMinutes * 60_000;
  }

  /** Returns the settings of a project. @param folder Null for the user's own file alone. */
  at(folder: string | null, nowMs: number): Config {
    const known = this.#known.get(folder);
    if (known !== undefined && nowMs - known.atMs < FRESH_MS && nowMs >= known.atMs) {
      return known.config;
    }
    const files = readConfigFiles(folder === null ? [] : lookUpwards(folder), {
      ...this.#place.locations,
      // This is read each time, since the user's own file may come and go while the daemon runs.
      dataNames: namesIn(this.#place.locations.dataFolder) ?? [],
    });
    const text = JSON.stringify(files);
    if (known?.text === text) {
      this.#known.set(folder, { ...known, atMs: nowMs });
      return known.config;
    }
    // Every project reports the faults of the user's own file too, so a look at that file alone reports none.
    const { config, hook: { unreadable } } = folder === null
      ? parseConfig<Config>(files)
      : this.#parse(files);
    // While a file cannot be read, its last readable content counts.
    const counts = unreadable !== "" && known !== undefined ? known.config : config;
    this.#known.set(folder, { config: counts, text, atMs: nowMs, unreadable });
    return counts;
  }

  /** Explains why the daemon's own settings are uncertain; until it returns null, nothing may be removed for good. */
  unsure(nowMs: number): string | null {
    this.own(nowMs);
    return this.#known.get(this.#place.folder)?.unreadable || null;
  }

  #parse(files: readonly ConfigFile[]): ParsedConfig<Config> {
    const parsed = parseConfig<Config>(files);
    for (const problem of parsed.problems) {
      const { key, path, line, message } = problem;
      const instead = key === ""
        ? "what counted before still does"
        : problem === parsed.summarizerFault
        ? "the summarizer is off"
        : "the default counts";
      this.#place.warn(`${path}:${line}: ${key === "" ? "" : `${key}: `}${message}; ${instead}`);
    }
    return parsed;
  }
}

export interface EngineContext {
  readonly db: DatabaseSync;
  readonly database: string;
  readonly settings: Settings;
  /** Called after every write, so that streams report it without delay. */
  readonly changed: () => void;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  readonly count: (name: "lease_expiries", by: number) => void;
  /** Removes old records, a few at a time. @param signal Ends the removal early. */
  readonly removeOld: (signal: AbortSignal) => Promise<void>;
  readonly notify: (title: string, body: string) => void;
}

export interface EngineParts extends EngineContext {
  readonly signal: AbortSignal;
  readonly wake: () => void;
}

/** How long a failed attempt waits before the next one, in milliseconds. */
export const AGAIN_MS = 1000;
