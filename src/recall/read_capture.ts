/** Reads what a capture tells. */
import { count } from "../counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf } from "../errors.ts";
import type { Observed } from "../memory/observation.ts";
import { observe } from "../memory/observe/observe.ts";
import { indexedTerms } from "../memory/terms.ts";
import { readPayload } from "../store/payloads.ts";
import type { ClaimedCapture } from "../store/queue_work.ts";
import { endedCommand } from "./background_ends.ts";
import { withContent } from "./failed_files.ts";
import type { LateRedaction } from "./late_redaction.ts";
import type { WorkTrees } from "./work_trees.ts";

/** A capture with what it tells, or why it cannot be read. */
export interface Reading {
  readonly capture: ClaimedCapture;
  readonly observed: Observed | null;
  readonly terms: string;
  readonly fault: string | null;
}

/** What captures are read with. */
export interface ReadAt {
  /** Epoch milliseconds. */
  readonly atMs: number;
  readonly redact: LateRedaction | undefined;
  readonly maxAttempts: number;
  readonly trees: WorkTrees;
}

const DEATH = "it takes more time, or memory, than there is";

/** What a capture tells, on the branch that it was made on. */
export function readCapture(
  db: DatabaseSync,
  capture: ClaimedCapture,
  { redact, trees, maxAttempts, atMs }: ReadAt,
): Reading {
  const { toolName, outcome, attempts, project } = capture;
  if (attempts > maxAttempts) {
    const fault = `${
      count(attempts - 1, "drain ended while it", "drains ended while they")
    } worked at it: ${DEATH}`;
    return { capture, observed: null, terms: "", fault };
  }
  try {
    const { text, value } = readPayload(capture);
    const whole: Record<string, unknown> = Object(value);
    // Before anything is shortened: half of a secret is none to a pattern.
    const payload = redact?.(whole, text) ?? whole;
    const use = endedCommand(db, capture, { payload, redact }) ?? { toolName, outcome, payload };
    const place = trees.placeOf(capture, use.payload);
    const seen = observe({ ...use, root: place.root, isForeign: place.isForeign });
    const observed = seen === null ? null : withContent(seen, place, atMs - capture.createdAtMs);
    const terms = observed === null ? "" : termsOf(observed, project);
    const { branch } = place;
    return { capture: { ...capture, branch }, observed, terms, fault: null };
  } catch (thrown) {
    const fault = isUserError(thrown) ? thrown.why : messageOf(thrown);
    return { capture, observed: null, terms: "", fault };
  }
}

/** The words of code of what was observed in a project, as the index has them. */
export function termsOf({ title, text, files, facts }: Observed, project: string | null): string {
  const words = [title, text, ...files.map(({ path }) => path), ...facts.symbols ?? []];
  return indexedTerms(words.join("\n"), project);
}
