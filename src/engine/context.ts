import type { DatabaseSync } from "node:sqlite";
import { compileRedactPatterns, redactText } from "../secrets/redact.ts";
import type { WorkflowRow } from "../store/workflows.ts";
import type { Lasting } from "./begin.ts";
import type { DaemonConfig, Settings } from "./settings.ts";

/** What the engine is given. */
export interface EngineContext {
  readonly db: DatabaseSync;
  /** Absolute path. */
  readonly database: string;
  readonly settings: Settings;
  /** Where the daemon was started. */
  readonly folder: string;
  /** Is called after every write, so that streams tell it without delay. */
  readonly changed: () => void;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
  /** Raises a counter of the daemon. */
  readonly count: (name: "lease_expiries" | "retention_removals", by: number) => void;
  /** Tells the person. */
  readonly notify: (title: string, body: string) => void;
}

/** What the parts of the engine share. */
export interface EngineParts extends EngineContext {
  /** Aborted when the daemon leaves. */
  readonly signal: AbortSignal;
  readonly wake: () => void;
}

/** The configuration that counts for a workflow: its project's. */
export function configFor(
  { settings, folder }: Pick<EngineParts, "settings" | "folder">,
  workflow: WorkflowRow | undefined,
): DaemonConfig {
  return settings.at(workflow?.projectDir ?? folder, Date.now());
}

/** Takes secrets out of what a workflow's agents write. */
export function maskFor(
  parts: Pick<EngineParts, "settings" | "folder">,
  workflow: WorkflowRow | undefined,
): (text: string) => string {
  const rules = compileRedactPatterns(configFor(parts, workflow).capture.redact.patterns);
  return (text) => redactText(text, rules);
}

/** How long what a workflow is taken on with counts. */
export function lastingFor(
  parts: Pick<EngineParts, "settings" | "folder">,
  workflow: WorkflowRow | undefined,
  atMs: number,
): Lasting {
  return {
    leaseMs: parts.settings.leaseMs(atMs),
    timeoutMs: configFor(parts, workflow).orchestration.workflowTimeoutMinutes * 60_000,
    atMs,
  };
}

/** How long something that went wrong waits until it is tried again, in milliseconds. */
const AGAIN_MS = 1000;

/** Settled when it is time to try again. */
export function tryAgainLater(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}
