/** Exports the functions through which other rooms read and write this room's tables. */
export {
  findPause,
  isPaused,
  listPauses,
  policyMark,
  removePause,
  savePause,
} from "./pauses_table.ts";
export {
  activeWithoutProcess,
  agentNamed,
  type AgentProcess,
  agentProcesses,
  configuredDatabases,
  dropTokens,
  knowsSessions,
  knowsToken,
  makeToken,
  revokeToken,
  sessionProjects,
} from "./person_proof_table.ts";
export { openViolations, settleViolations, violationsOfSession } from "./effects/effects_table.ts";
export { COMMITTED } from "./effects/types.ts";
export {
  applyChanges,
  clearRequirement,
  listBranches,
  readStandings,
  type RequirementChange,
  type RequirementSaying,
  satisfy,
  SILENT,
} from "./requirements/requirements_table.ts";
export type { BranchKey } from "./requirements/standing.ts";
export { keepFirstPrompt, removeGateState, REQUIREMENTS_HELD } from "./stops/stop_memory_table.ts";
