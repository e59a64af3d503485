/** Makes observations of captures. */
import { count } from "../../base/counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { isUserError, messageOf } from "../../base/errors.ts";
import type { Observed, ToolUse } from "../observe/observation.ts";
import { observe } from "../observe/observe.ts";
import { indexedTerms } from "../search/terms.ts";
import { readPayload } from "../../db/payloads.ts";
import { captureOfToolUse, type ClaimedCapture, readCaptures } from "../../db/queue_work.ts";
import type { LateRedaction } from "./late_redaction.ts";
import { type WorkPlace, WorkTrees } from "./work_trees.ts";
import { readNotification } from "../observe/observe_words.ts";
import { textIn } from "../text.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { joinPath } from "../../base/paths.ts";
import { digestOfFile } from "../tell/stale_files.ts";
import { MAX_FILES, readObservations, type Remade, type Remake } from "./observations_table.ts";

/** A capture with its observation, or the reason why it cannot be read. */
export interface Reading {
  readonly capture: ClaimedCapture;
  readonly observed: Observed | null;
  readonly terms: string;
  readonly fault: string | null;
}

export interface ReadAt {
  readonly atMs: number;
  readonly redact: LateRedaction | undefined;
  readonly maxAttempts: number;
  readonly trees: WorkTrees;
}

const DEATH = "it takes more time, or memory, than there is";

/** Observes a capture on the branch of its working tree. */
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
    // The payload is masked before anything is shortened: a pattern does not match half a secret.
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

/** Returns the words of code in an observation, for the index. */
export function termsOf({ title, text, files, facts }: Observed, project: string | null): string {
  const words = [title, text, ...files.map(({ path }) => path), ...facts.symbols ?? []];
  return indexedTerms(words.join("\n"), project);
}

/** Returns a background command as a tool use, for a prompt that reports its end; null for any other capture. */
function endedCommand(
  db: DatabaseSync,
  { toolName, sessionId }: Pick<ClaimedCapture, "toolName" | "sessionId">,
  { payload, redact }: {
    readonly payload: Readonly<Record<string, unknown>>;
    readonly redact: LateRedaction | undefined;
  },
): Omit<ToolUse, "root"> | null {
  if (toolName !== "UserPromptSubmit") return null;
  const end = readNotification(textIn(payload, "prompt").trim());
  if (end === null || end.toolUseId === null || end.outcome === null) return null;
  const begun = captureOfToolUse(db, sessionId, end.toolUseId);
  if (begun === null) return null;
  const { text, value } = readPayload(begun);
  const whole: Record<string, unknown> = Object(value);
  const { tool_input: input, cwd, project_dir } = redact?.(whole, text) ?? whole;
  const command = textIn(input, "command");
  if (command === "") return null;
  const { outcome, exitCode, summary } = end;
  const result = outcome === "success"
    ? { tool_response: { stdout: summary, stderr: "", isSummary: true } }
    : { error: exitCode === null ? summary : `Exit code ${exitCode}\n${summary}` };
  return {
    toolName: "Bash",
    outcome,
    payload: { tool_input: { command }, cwd, project_dir, ...result },
  };
}

/** The age of a failure, in milliseconds, above which its files may have changed since. */
const FRESH_MS = 600_000;

/** Adds digests of the files to a failure, if it is recent and its branch is still checked out. */
export function withContent(
  observed: Observed,
  { root, branch }: Pick<WorkPlace, "root" | "branch">,
  ageMs: number,
): Observed {
  const { kind, outcome, files } = observed;
  const isRun = (kind === "failure" || kind === "test") && outcome === "failure";
  if (!isRun || files.length === 0 || root === null || ageMs > FRESH_MS) return observed;
  if ((findRepository(lookUpwards(root))?.branch ?? null) !== branch) return observed;
  return {
    ...observed,
    files: files.map(({ path, digest }) => ({
      path,
      digest: digest ?? digestOfFile(joinPath(root, path)),
    })),
  };
}

/** Returns a function that makes an observation again from its remaining captures, as a drain would. */
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
    const { project, branch } = known;
    const uid = go.has(known.uid) ? stay[0]! : known.uid;
    const times = readings.map(({ capture }) => capture.createdAtMs);
    // Each file once, with its last digest.
    const files = readings.flatMap(({ observed }) => observed?.files ?? []);
    const byPath = new Map(files.map((file) => [file.path, file]));
    return {
      id,
      uid,
      project,
      branch,
      outcome,
      title,
      text,
      terms,
      facts,
      files: [...byPath.values()].slice(0, MAX_FILES),
      repeats: readings.length,
      createdAtMs: Math.min(...times),
      updatedAtMs: Math.max(...times),
    };
  };
}
