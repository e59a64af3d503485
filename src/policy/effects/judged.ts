/** Judges the changes between two looks. Loaded only where something has changed or is open. */
import { newId } from "../../base/ids.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { keptText } from "../../config/store.ts";
import { isInCommit } from "../../system/git/brought_files.ts";
import { changesBetween, LISTED, mentions } from "./compare.ts";
import { addViolation, lookedAt, saveWatched } from "./effects_table.ts";
import type { Ground, Moment } from "./ground_of_effects.ts";
import { enteredAtMs } from "./file_state.ts";
import type { Change, Snapshot, Violation, WatchList } from "./types.ts";
import { nameOf } from "./watched.ts";
import { PROTECT_RULE } from "../guards/rule_names.ts";

export interface Found {
  readonly before: Snapshot;
  readonly now: Snapshot;
  readonly list: WatchList;
  readonly moment: Moment;
  readonly isLifted: boolean;
  readonly open: readonly Violation[];
}

/** Finds what was changed without being allowed, and keeps it. */
export async function judge(
  { before: last, now, list, moment, isLifted, open }: Found,
  ground: Ground,
): Promise<Violation[]> {
  const { db, kinds, branches, place, rules, project, work } = ground;
  const toolUseId = moment.is === "after" ? moment.toolUseId : null;
  const { isDuring, atMs } = lookedAt(db, work.sessionId, toolUseId);
  const before = { ...last, atMs: atMs ?? last.atMs };
  // A file that is older than the look before is not new; it is only watched since now.
  const changes = changesBetween(before, now, list).filter(({ became, kind, after }) =>
    became !== "made" || kind !== "file" || after === LISTED || enteredAtMs(after) >= before.atMs
  );
  if (changes.length === 0) return [];
  // The empty stamp makes the next look list the files again, the new ones included.
  if (changes.some(({ became }) => became === "made")) {
    saveWatched(db, place.root, { stamp: "", list });
  }
  const { violatedAmong } = await import("./facts.ts");
  const command = moment.is === "after" ? moment.command : null;
  const changed = { changes, before, now, kinds, branches, command, sessionId: work.sessionId };
  const news = (await violatedAmong(db, changed, { place, rules })).filter(({ subject, kind }) =>
    !(isLifted && kind === "file") && open.every((one) => one.subject !== subject)
  );
  const found: Violation[] = [];
  for (const change of news) {
    const { subject, kind } = change;
    const isOlder = kind === "file" && change.after !== "" && change.after !== LISTED &&
      enteredAtMs(change.after) < before.atMs;
    const isOwn = isDuring && !isOlder && command !== null &&
      (kind !== "file" || mentions(command, subject));
    const rule = kind === "file" ? rules[change.rule ?? 0] : undefined;
    const violation: Violation = {
      id: newId(work.atMs),
      ...{ sessionId: work.sessionId, project, subject, kind },
      name: kind === "ref" ? subject : nameOf(subject, place.projectDir),
      rule: rule?.name ?? (kind === "policy" ? PROTECT_RULE : "protected branch"),
      who: isOwn ? "command" : "unknown",
      blocks: kind !== "file" || (isOwn && rule?.blocks === true),
      before: change.before,
      undo: await undoOf(change, { before, now }, ground),
      logBytes: before.logBytes,
      createdAtMs: work.atMs,
      settledAtMs: null,
    };
    addViolation(db, violation);
    found.push(violation);
  }
  return found;
}

/** The command that undoes a change; null where neither git nor a kept copy has the version before. */
async function undoOf(
  { subject, kind, became, before }: Change,
  { before: was, now }: { readonly before: Snapshot; readonly now: Snapshot },
  { db, place: { repository, projectDir, environment }, kinds }: Ground,
): Promise<string | null> {
  if (kind === "ref") return `git update-ref ${quoteWord(subject)} ${before}`;
  const name = quoteWord(nameOf(subject, projectDir));
  if (kind === "policy") {
    const isKept = keptText(db, subject) !== undefined || now.held.includes(subject) ||
      (became === "made" && kinds.get(subject) !== "program");
    return isKept ? `conclaude config undo ${name}` : null;
  }
  if (became === "made") return `rm -- ${name}`;
  const commit = was.commit === now.commit || was.commit === "" ? "HEAD" : was.commit;
  const asked = { commit, path: subject };
  if (repository === undefined || !await isInCommit(repository, asked, environment)) return null;
  return `git restore --source=${commit} --staged --worktree -- ${name}`;
}
