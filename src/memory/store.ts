/** Exports what other rooms read and write in the tables of this room. */
export {
  countOldObservations,
  deleteObservations,
  type Observation,
  observationUids,
  observedTexts,
  oldObservations,
  queueLostAgain,
  readObservations,
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
} from "./usage/token_use_table.ts";
export { dayStartMs, lastRuns, summarizerUse, usedUp } from "./drain/summarizer_runs_table.ts";
export { saidInSession } from "./observe/session_observations_table.ts";
export {
  type IndexedWords,
  indexedWords,
  pageOwners,
  type WordForm,
} from "./search/index_forms_table.ts";
export {
  findIds,
  isKnownBranch,
  isKnownFile,
  isKnownProject,
  knownBranches,
  knownProjects,
  MIN_ID_PART,
  moveProjects,
  newestOfPaths,
  observedPaths,
} from "./search/known_names_table.ts";
export { memoryHealth } from "./search/memory_health_table.ts";
export {
  checkIndex,
  countIndexed,
  ensureIndex,
  indexFaultsAt,
  indexTogether,
  isIndexDamageOf,
  rebuildIndex,
  rebuildText,
  withIndex,
} from "./search/memory_index_table.ts";
export {
  capturesOfObservation,
  countMemory,
  filesOfObservation,
  findObservations,
  projectMemory,
  timelineAround,
  timelineOfFile,
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
