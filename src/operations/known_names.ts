/** Lists the names that a shell proposes for an argument, the newest first. */
import type { DatabaseSync } from "node:sqlite";
import { listSessions, tellingId } from "../db/sessions.ts";
import { identifyDatabase } from "../db/database_identity.ts";
import { lastObservation, readObservations } from "../memory/store.ts";
import { loadSections } from "../config/sections.ts";
import { listAgents, listQuestions, listTasks, listWorkflows, readTask } from "../work/store.ts";
import type { CliContext } from "./context.ts";
import type { Proposed } from "./flags.ts";
import { openStore, placeOf } from "./open_store.ts";
import { requirementsHere } from "./requirements_here.ts";
import { shortTaskId } from "./task_view.ts";

/** The most proposals of one kind; a person does not look through more. */
const LIMIT = 50;

type Name = readonly [name: string, about: string | null];

const OF_DATABASE: Readonly<Record<string, (db: DatabaseSync) => readonly Name[]>> = {
  session: (db) =>
    listSessions(db, { project: null, status: null, limit: LIMIT })
      .map(({ sessionId, title }) => [tellingId(db, sessionId), title]),
  task: (db) => listTasks(db, { limit: LIMIT }).map(({ id, title }) => [shortTaskId(id), title]),
  observation(db) {
    const newest = lastObservation(db);
    const ids = Array.from({ length: Math.min(LIMIT, newest) }, (_, i) => newest - i);
    return readObservations(db, ids).map(({ id, title }) => [String(id), title]);
  },
  workflow: (db) =>
    listWorkflows(db, { limit: LIMIT }).map(({ id, name, taskId }) => {
      return [shortTaskId(id), `${name}: ${readTask(db, taskId)?.title ?? ""}`];
    }),
  agent: (db) =>
    listAgents(db, { limit: LIMIT }).map(({ id, kind, name, status }) => {
      return [shortTaskId(id), [kind, name, status].filter(Boolean).join(", ")];
    }),
  question: (db) =>
    listQuestions(db, { statuses: ["pending"], limit: LIMIT }).map(({ id, text }) => [id, text]),
};

/** Returns the names with that beginning, each with a tab and its description. It creates no file. */
export async function knownNames(context: CliContext, proposed: Proposed, partial: string) {
  const names = await namesOf(context, proposed);
  return names.filter(([name]) => name.startsWith(partial))
    .map(([name, about]) => about === null ? name : `${name}\t${about}`);
}

async function namesOf(context: CliContext, proposed: Proposed): Promise<readonly Name[]> {
  if (typeof proposed !== "string") return proposed.map((name) => [name, null]);
  if (proposed === "requirement") {
    const { requirements } = await requirementsHere(context);
    return requirements.map(({ name, description }) => [name, description]);
  }
  if (proposed === "key") {
    await loadSections();
    const { configSchema } = await import("../config/config_schema.ts");
    return configSchema().keys.map(({ key, description }) => [key, description]);
  }
  const { database } = await placeOf(context);
  if (identifyDatabase(database).kind !== "ours") return [];
  return OF_DATABASE[proposed]!((await openStore(context, "read")).db);
}
