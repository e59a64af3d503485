/** Makes an observation anew of some of the captures that it was made of. */
import type { DatabaseSync } from "node:sqlite";
import type { ObservedFile } from "../memory/observation.ts";
import { MAX_FILES, readObservations } from "../store/observations.ts";
import { readCaptures } from "../store/queue_work.ts";
import type { Remade, Remake } from "../store/remade.ts";
import type { LateRedaction } from "./late_redaction.ts";
import { readCapture } from "./read_capture.ts";
import { WorkTrees } from "./work_trees.ts";

/** What remakes observations of a database: as a drain would have made them of the captures that stay. */
export function remakeIn(
  db: DatabaseSync,
  { redact, home, atMs }: {
    readonly redact: LateRedaction | undefined;
    readonly home: string | null;
    readonly atMs: number;
  },
): Remake {
  const at = { redact, atMs, maxAttempts: Infinity, trees: new WorkTrees(home) };
  return (id, { stay, go }): Remade | null => {
    const [known] = readObservations(db, [id]);
    const readings = readCaptures(db, stay).map((capture) => readCapture(db, capture, at));
    const last = readings.at(-1);
    if (known === undefined || last?.observed == null || last.observed.kind !== known.kind) {
      return null;
    }
    const { observed: { outcome, title, text, facts }, terms } = last;
    return {
      id,
      uid: go.has(known.uid) ? stay[0]! : known.uid,
      project: known.project,
      branch: known.branch,
      outcome,
      title,
      text,
      terms,
      facts,
      files: filesOf(readings.flatMap(({ observed }) => observed?.files ?? [])),
      repeats: readings.length,
      createdAtMs: Math.min(...readings.map(({ capture }) => capture.createdAtMs)),
      updatedAtMs: Math.max(...readings.map(({ capture }) => capture.createdAtMs)),
    };
  };
}

/** The files of all, each with what it held last. */
function filesOf(files: readonly ObservedFile[]): ObservedFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()].slice(0, MAX_FILES);
}
