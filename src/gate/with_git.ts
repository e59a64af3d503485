/** Judges with what git says of the files that would be written; loaded only where a rule, or the command, asks for it. */
import { askChanged, type TakingBack } from "../git/changed.ts";
import { askIgnored } from "../git/ignored.ts";
import type { HowToLook, Look } from "../guard/decide.ts";
import type { FileFacts } from "../guard/files.ts";
import type { Verdict } from "../guard/policy.ts";

/**
 * Judges twice: the first time to learn which files are meant, then with what git says of all of them at once.
 *
 * @param judge Looks up files that would be written, and no others.
 * @param beginLooking Called once for each time.
 * @param options `asksAbout`: whether a rule asks if git ignores this file. What git itself takes back in a folder is asked
 * about where it is forbidden.
 */
export async function judgeWithGit(
  judge: (look: Look) => Verdict,
  beginLooking: () => Look,
  { asksAbout, isForbidden }: {
    readonly asksAbout: (file: FileFacts) => boolean;
    readonly isForbidden: (file: FileFacts) => boolean;
  },
): Promise<Verdict> {
  const look = beginLooking();
  const meant = new Set<string>();
  const takenBack = new Map<string, Set<string>>();
  const first = judge((path, how) => {
    const looked = look(path, how);
    for (const file of [...looked.files, ...looked.perhaps ?? []]) {
      if (asksAbout(file)) meant.add(file.real);
      const taking = takingOf(file, path, how);
      if (taking === null || !isForbidden(file)) continue;
      const among = takenBack.get(taking) ?? new Set();
      takenBack.set(taking, among.add(file.real));
    }
    return looked;
  });
  if (meant.size + takenBack.size === 0) return first;
  const { ignored, unknown } = await askIgnored([...meant]);
  const changed = new Map<string, ReadonlySet<string>>();
  for (const [taking, paths] of takenBack) {
    changed.set(taking, await askChanged(JSON.parse(taking), [...paths]));
  }
  const lookAgain = beginLooking();
  const verdict = judge((path, how) => {
    const { files, perhaps = [], ...looked } = lookAgain(path, how);
    const staysAsItIs = (file: FileFacts) => {
      const taking = takingOf(file, path, how);
      if (taking === null) return false;
      const isAsked = takenBack.get(taking)?.has(file.real) ?? false;
      return ignored.has(file.real) || (isAsked && !changed.get(taking)!.has(file.real));
    };
    const told = (files: readonly FileFacts[]) =>
      files.filter((file) => !staysAsItIs(file))
        .map((file) => ({ ...file, ignored: ignored.get(file.real) ?? null }));
    return { ...looked, files: told(files), perhaps: told(perhaps) };
  });
  const doubts = unknown.map((path) => `whether git ignores ${path} could not be asked`);
  return { ...verdict, doubts: [...verdict.doubts, ...doubts] };
}

/** How git takes a file back that lies in a folder which it is told, as JSON; null for every other file. */
function takingOf(
  { spellings, exists }: FileFacts,
  path: string,
  { search }: HowToLook,
): string | null {
  if (!exists || spellings.includes(path) || search?.takenFrom === undefined) return null;
  const { takenFrom, takes } = search;
  const taking: TakingBack = { takenFrom, ...(takes === undefined ? {} : { takes }) };
  return JSON.stringify(taking);
}
