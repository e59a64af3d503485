/** Gives other rooms the tables of this room. */
export { type Agent, AGENT_FIELDS, listAgents, readAgent } from "./agents_table.ts";
export {
  countQueued,
  countState,
  EVENT_FIELDS,
  type EventFilter,
  eventIdAt,
  type EventRow,
  lastEventId,
  listEvents,
  listStoredEvents,
  recordEvent,
  type StateCounts,
  type StoredEvent,
  toldSinceMs,
} from "./events_table.ts";
export { OLD_WORK, removeSessionAgents } from "./orchestration_retention_table.ts";
export { listQuestions, needQuestion, type Question, QUESTION_FIELDS } from "./questions_table.ts";
export {
  abandonSessions,
  type ApplySessionChanges,
  applySessionChanges,
} from "./session_agents_table.ts";
export {
  type Author,
  changeDependencies,
  changeTags,
  changeTask,
  type HistoryRow,
  listHistory,
  listWaiting,
  needTask,
  type TagChange,
  type TaskChanges,
  withoutBody,
  writeHistory,
} from "./task_changes_table.ts";
export {
  claimNext,
  claimTask,
  type Grant,
  obeyServer,
  openDependencies,
  releaseTask,
  renewTask,
  takeBackElsewhere,
  takeBackLapsed,
  takeBackToLook,
} from "./task_claims_table.ts";
export {
  badTransition,
  blockTask,
  completeTask,
  createTask,
  deleteTask,
  listAncestors,
  listChildren,
  listSubtree,
  queueTask,
  reparentTask,
  restoreTask,
  unblockTask,
} from "./task_life_table.ts";
export {
  detachOrphanTasks,
  isReady,
  listReady,
  listTags,
  listTasks,
  readOrigins,
  readTask,
} from "./tasks_table.ts";
export {
  type Decision,
  listSteps,
  listWorkflows,
  readWorkflow,
  readWorkflowOfTask,
  STEP_FIELDS,
  WORKFLOW_FIELDS,
  type WorkflowRow,
} from "./workflows_table.ts";
export {
  listClaimable,
  listClaimsHere,
  listSharedTasks,
  readSharedTask,
  removeSharedTasks,
  removeTaskEvents,
  type SharedTask,
  type TakenTask,
  takeSharedTask,
  type WantedTask,
  wantedTask,
} from "./shared_tasks_table.ts";
