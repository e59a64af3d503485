/** Lists the changes between two snapshots, and tells which commands may have made a change. Reads no content. */
import { baseName } from "../../base/paths.ts";
import { branchIn } from "../shell/git_branches.ts";
import { isSameState, stateOf } from "./file_state.ts";
import OWNERS from "./owners.json" with { type: "json" };
import type { Change, Snapshot, WatchList } from "./types.ts";

export const REMOTE = "refs/remotes/";

/** Stands for the state of a new file in a watched folder: of such files only the names are read. */
export const LISTED = "-";

/** Lists the changes between two snapshots, each file or branch once. */
export function changesBetween(before: Snapshot, now: Snapshot, list: WatchList): Change[] {
  const rules = new Map(list.files);
  const policy = Object.keys({ ...before.policy, ...now.policy }).map((subject) => ({
    kind: "policy" as const,
    subject,
    rule: null,
    before: before.policy[subject] ?? "",
    after: now.policy[subject] ?? "",
  }));
  const files = Object.entries(now.files).map(([subject, after]) => ({
    kind: "file" as const,
    subject,
    after,
    rule: rules.get(subject) ?? null,
    // A file that the earlier snapshot does not list is new, unless the rules have changed since.
    before: before.files[subject] ?? (before.rules === now.rules ? "" : after),
  }));
  const made = list.folders.flatMap(([folder, rule]) => {
    const key = `${rule} ${folder}`;
    const [known, found] = [before, now].map(({ folders }) => folders[key]);
    // Where the earlier look did not read all names, only a file's age tells whether the file is new.
    const isWhole = !before.cut?.includes(key);
    return (known && found || []).filter((path) => !known!.includes(path) && !(path in now.files))
      .map((subject) => {
        const after = isWhole ? LISTED : stateOf(subject);
        return { kind: "file" as const, subject, rule, before: "", after };
      });
  });
  // A new local branch loses nothing, so it counts as unchanged. A push may have made a new remote-tracking branch.
  const isNewAtRemote = (subject: string) =>
    subject.startsWith(REMOTE) && `refs/heads/${branchIn(subject)}` in before.refs;
  const refs = Object.entries(now.refs).map(([subject, after]) => ({
    kind: "ref" as const,
    subject,
    rule: null,
    before: before.refs[subject] || (isNewAtRemote(subject) ? "" : after),
    after,
  }));
  const changes = [...policy, ...files, ...made, ...refs]
    .filter(({ before, after }) => !isSameState(before, after))
    .map((one): Change => ({
      ...one,
      became: one.before === "" ? "made" : one.after === "" ? "removed" : "changed",
    }));
  const held = now.held.filter((path) => !before.held.includes(path)).map((subject): Change => ({
    kind: "policy",
    subject,
    rule: null,
    before: "",
    after: "",
    became: "changed",
  }));
  return [...new Map([...changes, ...held].map((one) => [one.subject, one])).values()];
}

/** Whether one of the commands runs the package manager of a lock file, with a verb that may write the file. */
export function isOwned(path: string, commands: readonly string[]): boolean {
  const owners: readonly Owner[] = OWNERS.filter(({ files }) => has(files, baseName(path)));
  return commands.some((command) => {
    const [program = "", ...words] = command.split(" ");
    if (words.some((word) => has("--version --help -v -h", word))) return false;
    const verb = words.find((word) => !word.startsWith("-")) ?? "install";
    // An option that stands before the verb may have a value.
    const verbs = words[0]?.startsWith("-") ? [verb, ...words] : [verb];
    return owners.some(({ by, writes, reads = "" }) =>
      has(by, baseName(program)) &&
      (writes === undefined ? !has(reads, verb) : verbs.some((one) => has(writes, one)))
    );
  });
}

/**
 * A lock file's programs, and their verbs that write it, or those that only read it. Programs that run a project's
 * scripts have the former: a script may do anything.
 */
type Owner = { readonly by: string; readonly writes?: string; readonly reads?: string };

function has(words: string, word: string): boolean {
  return words.split(" ").includes(word);
}

/** Tells whether a command names a file: by its name, a folder above it, or its extension. */
export function mentions(command: string, path: string): boolean {
  const parts = path.split("/").slice(-4).flatMap((
    part,
  ) => [part, part.replace(/^.+(\.\w+)$/, "$1")]);
  return parts.some((part) => part.length > 2 && command.includes(part));
}
