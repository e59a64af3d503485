/** Exports what other rooms read and write in the tables of this room. */
export {
  countOldObservations,
  deleteObservations,
  FACTS,
  type Observation,
  observationUids,
  observedTexts,
  oldObservations,
  queueLostAgain,
  readObservations,
  type Remade,
  type Remake,
  removeOldObservations,
  summaryUid,
  writeRemade,
} from "./drain/observations_table.ts";
export { resolveImported, writeImported } from "./drain/imported_observations_table.ts";
export {
  countOldTokenUse,
  type ModelTokens,
  removeOldTokenUse,
  sumTokens,
  USAGE_GROUPS,
  type UsageGroup,
} from "./usage/token_use_table.ts";
export { lastRuns, summarizerUse, usedUp } from "./drain/summarizer_runs_table.ts";
export {
  observationsToSummarize,
  saidInSession,
  stepsOfSession,
} from "./observe/session_observations_table.ts";
export { isKnownFile, newestOfPaths, observedPaths } from "./search/known_files_table.ts";
export { findIds, MIN_ID_PART } from "./search/find_ids_table.ts";
export { isIndexDamageOf } from "./search/memory_index_table.ts";
export {
  type IndexedWords,
  indexedWords,
  pageOwners,
  type WordForm,
} from "./search/index_forms_table.ts";
export {
  isKnownBranch,
  isKnownProject,
  knownBranches,
  knownProjects,
  moveProjects,
} from "./search/known_project_table.ts";
export { type MemoryHealth, memoryHealth } from "./search/memory_health_table.ts";
export {
  checkIndex,
  countIndexed,
  ensureIndex,
  indexFaults,
  indexFaultsAt,
  indexTogether,
  rebuildIndex,
  rebuildText,
  withIndex,
} from "./search/memory_index_table.ts";
export {
  capturesByObservation,
  capturesOfObservation,
  countMemory,
  filesOfObservation,
  findObservations,
  projectMemory,
  timelineAround,
  timelineOfFile,
  timelineOfNames,
} from "./search/memory_look_table.ts";
export { EVERYTHING, lastObservation, type MemoryFilter } from "./search/memory_search_table.ts";
export { formerFolders, keepIdentity, lacksIdentity } from "./tell/repositories_table.ts";
export { lastSeenAtMs, noteClaimTold } from "./tell/memory_context_table.ts";
export {
  chooseForgotten,
  type Chosen,
  defineTextFunctions,
  findObservation,
  type ForgetFilter,
  knownTranscripts,
  NO_FILTER,
  relatedTo,
  sessionsOf,
  textAlone,
} from "./forget_choice_table.ts";
export {
  listSharedObservations,
  readSharedObservation,
  SHARED_KINDS,
  type SharedObservation,
  takeSharedObservation,
} from "./shared_observations_table.ts";
