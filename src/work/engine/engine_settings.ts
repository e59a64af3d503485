/** The daemon's configuration. It is read anew when its files change, so the daemon need not be restarted. */
import { type ConfigFile, readConfigFiles, type UserPlace } from "../../config/discover.ts";
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

/** The sections of the configuration that the engine reads. */
export type EngineConfig = OwnConfig & {
  readonly orchestration: OrchestrationSettings;
};

/** How long a read configuration counts before its files are looked at again, in milliseconds. */
const FRESH_MS = 1000;

interface Read<Config> {
  readonly config: Config;
  readonly text: string;
  readonly atMs: number;
  readonly unreadable: string;
}

export class Settings<Config extends EngineConfig = EngineConfig> {
  readonly #user: UserPlace;
  readonly #folder: string;
  readonly #warn: (message: string) => void;
  readonly #known = new Map<string | null, Read<Config>>();

  /**
   * @param options.folder Where the daemon was started: its own settings are those that count there.
   * @param options.warn Is told of each fault, once for each change of the files.
   */
  constructor(
    { locations, folder, warn }: {
      readonly locations: Locations;
      readonly folder: string;
      readonly warn: (message: string) => void;
    },
  ) {
    this.#user = locations;
    this.#folder = folder;
    this.#warn = warn;
  }

  /** The user's home; null when there is none. */
  get home(): string | null {
    return this.#user.home;
  }

  /** The settings of the daemon itself: how many agents run at once, how long things are kept. */
  own(nowMs: number): Config {
    return this.at(this.#folder, nowMs);
  }

  /** The settings that count for a workflow: its project's. */
  of(workflow: Pick<WorkflowRow, "projectDir"> | undefined): Config {
    return this.at(workflow?.projectDir ?? this.#folder, Date.now());
  }

  /** Masks the secrets in what the agents of a workflow write; without one, in what the daemon is told. */
  maskOf(workflow: WorkflowRow | undefined): (text: string) => string {
    const rules = compileRedactPatterns(this.of(workflow).capture.redact.patterns);
    return (text) => redactText(text, rules);
  }

  /** The lease and the time limit of a workflow; without one, those of the daemon's own folder. */
  lastingOf(workflow: Pick<WorkflowRow, "projectDir"> | undefined, atMs: number): Lasting {
    const { workflowTimeoutMinutes } = this.of(workflow).orchestration;
    return { leaseMs: this.leaseMs(atMs), timeoutMs: workflowTimeoutMinutes * 60_000, atMs };
  }

  /** How long a claim counts without being renewed, in milliseconds. */
  leaseMs(nowMs: number): number {
    return this.own(nowMs).store.claimTimeoutMinutes * 60_000;
  }

  /** The settings of a project. @param folder Null for those of the user's own file, which no project changes. */
  at(folder: string | null, nowMs: number): Config {
    const known = this.#known.get(folder);
    if (known !== undefined && nowMs - known.atMs < FRESH_MS && nowMs >= known.atMs) {
      return known.config;
    }
    const files = readConfigFiles(folder === null ? [] : lookUpwards(folder), {
      ...this.#user,
      // Read each time: the user's own file may come and go while the daemon runs.
      dataNames: namesIn(this.#user.dataFolder) ?? [],
    });
    const text = JSON.stringify(files);
    if (known?.text === text) {
      this.#known.set(folder, { ...known, atMs: nowMs });
      return known.config;
    }
    // Faults of the user's own file are told with each project, since the file counts for all of them.
    const { config, hook: { unreadable } } = folder === null
      ? parseConfig<Config>(files)
      : this.#parse(files);
    // While a file cannot be read, its last readable content counts.
    const counts = unreadable !== "" && known !== undefined ? known.config : config;
    this.#known.set(folder, { config: counts, text, atMs: nowMs, unreadable });
    return counts;
  }

  /**
   * Why the daemon's own settings are uncertain; null when they are certain. While uncertain, nothing may be removed
   * for good.
   */
  unsure(nowMs: number): string | null {
    this.own(nowMs);
    return this.#known.get(this.#folder)?.unreadable || null;
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
      this.#warn(`${path}:${line}: ${key === "" ? "" : `${key}: `}${message}; ${instead}`);
    }
    return parsed;
  }
}

export interface EngineContext {
  readonly db: DatabaseSync;
  /** Absolute path. */
  readonly database: string;
  readonly settings: Settings;
  /** Called after every write, so that streams tell it without delay. */
  readonly changed: () => void;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  readonly count: (name: "lease_expiries", by: number) => void;
  /** Removes what was kept long enough, a little at a time. @param signal Ends it early. */
  readonly removeOld: (signal: AbortSignal) => Promise<void>;
  readonly notify: (title: string, body: string) => void;
}

/** What the parts of the engine share. */
export interface EngineParts extends EngineContext {
  /** Aborted when the daemon leaves. */
  readonly signal: AbortSignal;
  readonly wake: () => void;
}

/** How long a failed attempt waits before the next one, in milliseconds. */
export const AGAIN_MS = 1000;
