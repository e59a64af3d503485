/** Lists the changes between two snapshots, and picks those that nothing allowed. Reads no file and asks nobody: facts are passed in. */
import { baseName } from "../../base/paths.ts";
import { isSameState } from "./file_state.ts";
import OWNERS from "./owners.json" with { type: "json" };
import type { Change, Snapshot, WatchedRule, WatchList } from "./types.ts";

/** Stands for the state of a new file in a watched folder: of those only the names are read. */
export const LISTED = "-";

/** The changes between two snapshots, each file or branch once. */
export function changesBetween(before: Snapshot, now: Snapshot, list: WatchList): Change[] {
  const rules = new Map(list.files);
  const states = (kind: "policy" | "file", was: Snapshot["files"], is: Snapshot["files"]) =>
    Object.entries(is).flatMap(([subject, after]): Change[] => {
      // A file that the snapshot before does not list is new, unless the rules have changed since.
      const old = was[subject] ?? (kind === "policy" || before.rules === now.rules ? "" : after);
      if (isSameState(old, after)) return [];
      const rule = kind === "file" ? rules.get(subject) ?? null : null;
      return [{ subject, kind, became: becomes(old, after), before: old, after, rule }];
    });
  const removed = Object.entries(before.policy).filter(([path]) => !(path in now.policy));
  const made = list.folders.flatMap(([folder, rule]): Change[] => {
    const key = `${rule} ${folder}`;
    const known = before.folders[key];
    if (known === undefined) return [];
    return (now.folders[key] ?? []).filter((path) => !known.includes(path) && !(path in now.files))
      .map((subject) => ({
        subject,
        kind: "file",
        became: "made",
        before: "",
        after: LISTED,
        rule,
      }));
  });
  const changes = [
    ...states("policy", before.policy, now.policy),
    ...removed.map(([subject, before]): Change => ({
      ...{ subject, kind: "policy", became: "removed", before, after: "", rule: null },
    })),
    ...now.held.filter((path) => !before.held.includes(path)).map((subject): Change => ({
      ...{ subject, kind: "policy", became: "changed", before: "", after: "", rule: null },
    })),
    ...states("file", before.files, now.files),
    ...made,
    ...Object.entries(now.refs).flatMap(([subject, after]): Change[] => {
      const old = before.refs[subject] ?? after;
      if (old === after || old === "") return [];
      return [{
        subject,
        kind: "ref",
        became: becomes(old, after),
        before: old,
        after,
        rule: null,
      }];
    }),
  ];
  return [...new Map(changes.map((change) => [change.subject, change])).values()];
}

function becomes(before: string, after: string): Change["became"] {
  return before === "" ? "made" : after === "" ? "removed" : "changed";
}

/** What git, the audit trail and the files say about changes. */
export interface EffectFacts {
  /** Policy files whose change matters, and none that a tool was allowed to edit. */
  readonly policy: ReadonlySet<string>;
  /** Files that git brought, or that a tool was allowed to edit. */
  readonly allowed: ReadonlySet<string>;
  /** Branches whose move is allowed. */
  readonly movedRightly: ReadonlySet<string>;
  /** The commands that ran meanwhile, taken apart. */
  readonly commands: readonly string[];
}

/** The changes that nothing allowed. */
export function violated(
  changes: readonly Change[],
  { policy, allowed, movedRightly, commands }: EffectFacts,
  rules: readonly WatchedRule[],
): Change[] {
  return changes.filter(({ subject, kind, rule }) => {
    if (kind === "policy") return policy.has(subject);
    if (kind === "ref") return !movedRightly.has(subject);
    const by = rule === null ? null : rules[rule]?.writtenBy ?? null;
    const isWritten = by !== null && commands.some((one) => new RegExp(by, "s").test(one));
    return !allowed.has(subject) && !isWritten && !isOwned(subject, commands);
  });
}

/** Whether a command's program is the one that a lock file belongs to. */
export function isOwned(path: string, commands: readonly string[]): boolean {
  const name = baseName(path);
  const owners = OWNERS.filter(({ files }) => files.split(" ").includes(name))
    .flatMap(({ by }) => by.split(" "));
  return owners.length > 0 &&
    commands.some((command) => owners.includes(baseName(command.split(" ", 1)[0]!)));
}

/** Whether a command names a file: by its name, a folder above it, or its ending. */
export function mentions(command: string, path: string): boolean {
  const parts = path.split("/").slice(-4).flatMap((
    part,
  ) => [part, part.replace(/^.+(\.\w+)$/, "$1")]);
  return parts.some((part) => part.length > 2 && command.includes(part));
}
