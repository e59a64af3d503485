/** Judges with git's answers about the files that would be written. Loaded only where they are needed. */
import type { Environment } from "../../system/environment.ts";
import { askChanged, askIgnored, type TakingBack } from "../../system/git/file_status.ts";
import type { Verdict } from "../guards/guard_policy.ts";
import type { FileFacts, HowToLook, Judge } from "../guards/types.ts";

/**
 * Judges twice: first to learn which files are meant, then with git's answers about all of them at once. Where a command
 * lets git restore a folder or a pattern, only the files that git reports as changed there are looked up.
 *
 * @param judge Looks up files that would be written, and no others.
 * @param asksAbout Whether a rule asks if git ignores this file.
 */
export async function judgeWithGit(
  { judge, beginLooking }: Judge,
  asksAbout: (file: FileFacts) => boolean,
  environment: Environment,
): Promise<Verdict> {
  const look = beginLooking();
  const meant = new Set<string>();
  const takenBack = new Map<string, Set<string>>();
  const first = judge((path, how) => {
    const taking = takingOf(how);
    const looked = look(path, taking === null ? how : amongOnly([], how));
    for (const file of [...looked.files, ...looked.perhaps ?? []]) {
      if (asksAbout(file)) meant.add(file.real);
    }
    if (taking !== null && (how.isGlob || looked.files.length === 0)) {
      takenBack.set(taking, (takenBack.get(taking) ?? new Set()).add(path));
    }
    return looked;
  });
  if (meant.size + takenBack.size === 0) return first;
  const { ignored, unknown } = await askIgnored([...meant], environment);
  const changed = new Map<string, readonly string[] | null>();
  for (const [taking, folders] of takenBack) {
    changed.set(taking, await askChanged(JSON.parse(taking), [...folders], environment));
  }
  const lookAgain = beginLooking();
  const verdict = judge((path, how) => {
    const taking = takingOf(how);
    const among = taking === null ? null : changed.get(taking) ?? null;
    const { files, perhaps = [], ...looked } = lookAgain(
      path,
      among === null ? how : amongOnly(among, how),
    );
    const told = (files: readonly FileFacts[]) =>
      files.map((file) => ({ ...file, ignored: ignored.get(file.real) ?? null }));
    return { ...looked, files: told(files), perhaps: told(perhaps) };
  });
  const doubts = unknown.map((path) => `whether git ignores ${path} could not be asked`);
  return { ...verdict, doubts: [...verdict.doubts, ...doubts] };
}

function amongOnly(among: readonly string[], how: HowToLook): HowToLook {
  return how.search === undefined ? how : { ...how, search: { ...how.search, among } };
}

/** How git restores the files that a search finds, as JSON; null for a search that is not git's. */
function takingOf({ search, isGlob }: HowToLook): string | null {
  if (search?.takenFrom === undefined) return null;
  const { takenFrom, takes, fromTop } = search;
  const isEverywhere = fromTop || isGlob;
  const taking: TakingBack = {
    takenFrom,
    ...(takes === undefined ? {} : { takes }),
    ...(isEverywhere ? { isEverywhere: true } : {}),
  };
  return JSON.stringify(taking);
}
