import { joinPath } from "../paths.ts";
import { makePrivateFolder } from "./write_file.ts";

/** Where a file may go when neither the home nor `/tmp` takes one. */
const LAST_PLACES = [`/run/user/${Deno.uid() ?? 0}`, "/var/tmp", "/dev/shm"];

/**
 * Claims the right to say something once: the first caller for a session and a subject gets true, later ones false.
 *
 * The claim is an empty file in the first folder that takes one. Where none does, nothing can be remembered, and
 * every caller gets true: being told twice is better than never.
 *
 * @param subject A short name in letters, such as `newer-schema`.
 */
export function claimNotice(
  subject: string,
  about: { readonly sessionId: string; readonly folders: readonly string[] },
): boolean {
  const name = `said-${subject}-${about.sessionId.replace(/[^\w-]/g, "_")}`;
  const lastPlaces = LAST_PLACES.filter(isThere)
    .map((place) => joinPath(place, `conclaude-${Deno.uid() ?? 0}`));
  for (const folder of [...about.folders, ...lastPlaces]) {
    try {
      makePrivateFolder(folder);
      Deno.openSync(joinPath(folder, name), { write: true, createNew: true, mode: 0o600 }).close();
      return true;
    } catch (thrown) {
      if (thrown instanceof Deno.errors.AlreadyExists) return false;
    }
  }
  return true;
}

function isThere(folder: string): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false;
  }
}
