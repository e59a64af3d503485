/** Judges with what git says of the files that would be written; loaded only where a rule, or the command, asks for it. */
import { askIgnored } from "../git/ignored.ts";
import type { HowToLook, Look } from "../guard/decide.ts";
import type { FileFacts } from "../guard/files.ts";
import type { Verdict } from "../guard/policy.ts";

/**
 * Judges twice: the first time to learn which files are meant, then with what git says of all of them at once.
 *
 * @param judge Looks up files that would be written, and no others.
 * @param options `asksAll`: a rule asks of every file whether git ignores it. Else it matters only for what git itself
 * would change in a folder, and what is forbidden: what git ignores it leaves alone.
 */
export async function judgeWithGit(
  judge: (look: Look) => Verdict,
  look: Look,
  { asksAll, isForbidden }: {
    readonly asksAll: boolean;
    readonly isForbidden: (file: FileFacts) => boolean;
  },
): Promise<Verdict> {
  const meant = new Set<string>();
  const first = judge((path, how) => {
    const looked = look(path, how);
    for (const file of [...looked.files, ...looked.perhaps ?? []]) {
      const isAsked = asksAll
        ? file.effect !== "tamper"
        : isLeftAlone(file, path, how) && isForbidden(file);
      if (isAsked) meant.add(file.real);
    }
    return looked;
  });
  if (meant.size === 0) return first;
  const { ignored, unknown } = await askIgnored([...meant]);
  const verdict = judge((path, how) => {
    const { files, perhaps = [], ...looked } = look(path, how);
    const told = (files: readonly FileFacts[]) =>
      files.filter((file) => !isLeftAlone(file, path, how) || !ignored.has(file.real))
        .map((file) => asksAll ? { ...file, ignored: ignored.get(file.real) ?? null } : file);
    return { ...looked, files: told(files), perhaps: told(perhaps) };
  });
  const doubts = asksAll
    ? unknown.map((path) => `whether git ignores ${path} could not be asked`)
    : [];
  return { ...verdict, doubts: [...verdict.doubts, ...doubts] };
}

/** Whether it is left alone if git ignores it: a file in a folder of which git changes what it tracks. */
function isLeftAlone({ spellings, exists }: FileFacts, path: string, how: HowToLook): boolean {
  return (how.search?.isTracked ?? false) && exists && !spellings.includes(path);
}
