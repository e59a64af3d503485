import { parseConfig } from "../../config/parse.ts";
import type { DaemonConfig } from "../../engine/settings.ts";
import { AGENT_COMMAND } from "../../engine/step_launch.ts";
import { listWorkflowFiles } from "../../engine/workflow_files.ts";
import { isAbsolutePath } from "../../paths.ts";
import { findOnPath, isBareName, whyNotRun } from "../../process/executable.ts";
import { countState } from "../../store/state_counts.ts";
import { type Finding, ok, warn } from "../check.ts";
import { askDatabase, type DoctorPlace } from "./place.ts";

/** Whether the program that does agents' steps can be started; asked only where somebody works with workflows. */
export function lookAtAgents(place: DoctorPlace): Finding[] {
  const { files, projectDir, searchPath } = place;
  const isUsed = listWorkflowFiles(projectDir).some(({ path }) => path !== null) ||
    Object.keys(askDatabase(place, countState)?.workflows ?? {}).length > 0;
  if (!isUsed) return [];
  const command = parseConfig<DaemonConfig>(files).config.orchestration.agentCommand ??
    AGENT_COMMAND;
  // Any other path begins at a working tree that there may not be yet.
  if (!isBareName(command) && !isAbsolutePath(command)) return [];
  const found = isBareName(command) ? findOnPath(command, searchPath)[0] : command;
  const why = found === undefined ? `${command} is not on the PATH` : whyNotRun(found);
  return [
    why === null ? ok(`agents' steps are done by ${found}`) : warn(
      `agents' steps cannot be done: ${why}`,
      "install it, or name another program in orchestration.agentCommand",
    ),
  ];
}
