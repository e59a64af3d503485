/** Judges with what git says of the files that would be written; loaded only where a rule asks for it. */
import { askIgnored } from "../git/ignored.ts";
import type { Look } from "../guard/decide.ts";
import type { Verdict } from "../guard/policy.ts";

/**
 * Judges twice: the first time to learn which files are meant, then with what git says of all of them at once.
 *
 * @param judge Looks up files that would be written, and no others.
 */
export async function judgeWithGit(
  judge: (look: Look) => Verdict,
  look: Look,
): Promise<Verdict> {
  const meant = new Set<string>();
  judge((path, how) => {
    const looked = look(path, how);
    for (const { real, effect } of looked.files) if (effect !== "tamper") meant.add(real);
    return looked;
  });
  if (meant.size === 0) return judge(look);
  const { ignored, unknown } = await askIgnored([...meant]);
  const verdict = judge((path, how) => {
    const { files, ...looked } = look(path, how);
    const told = files.map((file) => ({ ...file, ignored: ignored.get(file.real) ?? null }));
    return { ...looked, files: told };
  });
  const doubts = unknown.map((path) => `whether git ignores ${path} could not be asked`);
  return { ...verdict, doubts: [...verdict.doubts, ...doubts] };
}
