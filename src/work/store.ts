/** Gives other rooms the tables of this room. */
export * from "./agents_table.ts";
export * from "./events_table.ts";
export { OLD_WORK, removeSessionAgents } from "./orchestration_retention_table.ts";
export * from "./questions_table.ts";
export {
  abandonSessions,
  type ApplySessionChanges,
  applySessionChanges,
} from "./session_agents_table.ts";
export * from "./shared_tasks_table.ts";
export * from "./task_changes_table.ts";
export * from "./task_claims_table.ts";
export * from "./task_life_table.ts";
export * from "./tasks_table.ts";
export * from "./workflows_table.ts";
