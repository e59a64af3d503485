/** Judges a tool use with git's answers about the files that it would write. Loaded only where they are needed. */
import type { Environment } from "../../system/environment.ts";
import { askChanged, askIgnored } from "../../system/git/file_status.ts";
import type { Verdict } from "../guards/guard_policy.ts";
import type { FileFacts, HowToLook, Judge } from "../guards/types.ts";

/**
 * Judges twice: first to learn which files the use means, then with git's answers about all of them at once. Where a
 * command lets git restore a folder or a pattern, looks up only the files that git reports as changed there.
 *
 * @param judge Looks up only files that the use writes or may write.
 * @param asksAbout Tells whether a rule needs to know if git ignores this file.
 */
export async function judgeWithGit(
  { judge, beginLooking }: Judge,
  asksAbout: (file: FileFacts) => boolean,
  environment: Environment,
): Promise<Verdict> {
  const look = beginLooking();
  const asked = new Set<string>();
  const restoredBelow = new Map<string, Set<string>>();
  const first = judge((path, how) => {
    const restoring = restoringOf(how);
    const found = look(path, restoring === null ? how : amongOnly([], how));
    for (const file of [...found.files, ...found.perhaps ?? []]) {
      if (asksAbout(file)) asked.add(file.real);
    }
    if (restoring !== null && (how.isGlob || found.files.length === 0)) {
      restoredBelow.set(restoring, (restoredBelow.get(restoring) ?? new Set()).add(path));
    }
    return found;
  });
  if (asked.size + restoredBelow.size === 0) return first;
  const { ignored, unknown } = await askIgnored([...asked], environment);
  const changed = new Map<string, readonly string[] | null>();
  for (const [restoring, folders] of restoredBelow) {
    changed.set(restoring, await askChanged(JSON.parse(restoring), [...folders], environment));
  }
  const lookAgain = beginLooking();
  const verdict = judge((path, how) => {
    const restoring = restoringOf(how);
    const among = restoring === null ? null : changed.get(restoring) ?? null;
    const found = lookAgain(path, among === null ? how : amongOnly(among, how));
    const withIgnored = (files: readonly FileFacts[] = []) =>
      files.map((file) => ({ ...file, ignored: ignored.get(file.real) ?? null }));
    return { ...found, files: withIgnored(found.files), perhaps: withIgnored(found.perhaps) };
  });
  const doubts = unknown.map((path) => `whether git ignores ${path} could not be asked`);
  return { ...verdict, doubts: [...verdict.doubts, ...doubts] };
}

function amongOnly(among: readonly string[], how: HowToLook): HowToLook {
  return how.search === undefined ? how : { ...how, search: { ...how.search, among } };
}

/** Describes as JSON how git restores the files that a search finds; null for a search that is not git's. */
function restoringOf({ search, isGlob }: HowToLook): string | null {
  if (search?.restoredFrom === undefined) return null;
  const { restoredFrom, alsoRemoves, fromTop } = search;
  return JSON.stringify({
    restoredFrom,
    alsoRemoves,
    isEverywhere: fromTop || isGlob || undefined,
  });
}
