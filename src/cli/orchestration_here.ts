import "../config_sections.ts";
import type { OrchestrationSettings } from "../orchestration/orchestration_section.ts";
import type { Lasting } from "../engine/begin.ts";
import { Settings } from "../engine/settings.ts";
import type { CliContext } from "./context.ts";
import type { Place } from "./store.ts";
import { leaseMs } from "./task_lookup.ts";

/** The configuration of a project about workflows, as the daemon reads it. @param projectDir Null: that of this folder. */
export function orchestrationOf(
  { locations, cwd, process }: Pick<CliContext, "locations" | "cwd" | "process">,
  projectDir: string | null,
): OrchestrationSettings {
  const settings = new Settings({
    locations,
    folder: cwd,
    warn: (message) => process.stderr.write(`${message}\n`),
  });
  return settings.at(projectDir ?? cwd, Date.now()).orchestration;
}

/** How long a workflow counts that is taken on here. */
export function lastingOf(
  context: Pick<CliContext, "locations" | "cwd" | "process">,
  { config }: Pick<Place, "config">,
  projectDir: string | null,
): Lasting {
  const { workflowTimeoutMinutes } = orchestrationOf(context, projectDir);
  return {
    leaseMs: leaseMs(config),
    timeoutMs: workflowTimeoutMinutes * 60_000,
    atMs: Date.now(),
  };
}
