/**
 * The migrations in order, as text inside the program. The n-th one leaves `PRAGMA user_version` = n. A file that
 * was released is never edited; a change is a new file at the end.
 */
import sessions from "./0001_sessions.sql" with { type: "text" };
import hookExecutions from "./0002_hook_executions.sql" with { type: "text" };
import pendingQueue from "./0003_pending_queue.sql" with { type: "text" };
import counters from "./0004_counters.sql" with { type: "text" };
import configCache from "./0005_config_cache.sql" with { type: "text" };
import meta from "./0006_meta.sql" with { type: "text" };
import pauses from "./0007_pauses.sql" with { type: "text" };
import requirements from "./0008_requirements.sql" with { type: "text" };
import rootSnapshots from "./0009_root_snapshots.sql" with { type: "text" };
import tasks from "./0010_tasks.sql" with { type: "text" };
import agents from "./0011_agents.sql" with { type: "text" };
import workflows from "./0012_workflows.sql" with { type: "text" };
import questions from "./0013_questions.sql" with { type: "text" };
import events from "./0014_events.sql" with { type: "text" };
import fewerPages from "./0015_fewer_pages.sql" with { type: "text" };
import memory from "./0016_memory.sql" with { type: "text" };
import forgotten from "./0017_forgotten.sql" with { type: "text" };
import summarizer from "./0018_summarizer.sql" with { type: "text" };
import editsPutBack from "./0019_edits_put_back.sql" with { type: "text" };
import indexedTogether from "./0020_indexed_together.sql" with { type: "text" };
import trustedFolders from "./0021_trusted_folders.sql" with { type: "text" };
import personProof from "./0022_person_proof.sql" with { type: "text" };
import fewerIndexes from "./0023_fewer_indexes.sql" with { type: "text" };
import effects from "./0024_effects.sql" with { type: "text" };
import captureSource from "./0025_capture_source.sql" with { type: "text" };
import tokenUse from "./0026_token_use.sql" with { type: "text" };
import repositories from "./0027_repositories.sql" with { type: "text" };
import hookLatency from "./0028_hook_latency.sql" with { type: "text" };
import team from "./0029_team.sql" with { type: "text" };
import openByProject from "./0030_open_by_project.sql" with { type: "text" };

/** One step from a schema version to the next. */
export interface Migration {
  /** The `user_version` that this step leaves, 1 and up without gaps. */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
  /** Whether it drops anything: the database is copied before. */
  readonly drops: boolean;
}

const FILES: readonly (readonly [name: string, sql: string])[] = [
  ["sessions", sessions],
  ["hook_executions", hookExecutions],
  ["pending_queue", pendingQueue],
  ["counters", counters],
  ["config_cache", configCache],
  ["meta", meta],
  ["pauses", pauses],
  ["requirements", requirements],
  ["root_snapshots", rootSnapshots],
  ["tasks", tasks],
  ["agents", agents],
  ["workflows", workflows],
  ["questions", questions],
  ["events", events],
  ["fewer_pages", fewerPages],
  ["memory", memory],
  ["forgotten", forgotten],
  ["summarizer", summarizer],
  ["edits_put_back", editsPutBack],
  ["indexed_together", indexedTogether],
  ["trusted_folders", trustedFolders],
  ["person_proof", personProof],
  ["fewer_indexes", fewerIndexes],
  ["effects", effects],
  ["capture_source", captureSource],
  ["token_use", tokenUse],
  ["repositories", repositories],
  ["hook_latency", hookLatency],
  ["team", team],
  ["open_by_project", openByProject],
];

/** Every migration, oldest first. */
export const MIGRATIONS: readonly Migration[] = FILES.map(([name, sql], index) => ({
  version: index + 1,
  name,
  sql,
  drops: /^(?:DROP|ALTER TABLE \w+ DROP)\b/m.test(sql),
}));
