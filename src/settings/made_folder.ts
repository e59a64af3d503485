import { parentOf } from "../paths.ts";

/** Only their owner looks into folders that an installation makes: Claude Code keeps what people have typed beside its settings. */
export const NEW_FOLDER_MODE = 0o700;

/** Removes the folder of a settings file that is gone, where an installation has made it, as far as its mode tells, and nothing is in it. */
export function removeMadeFolder(settings: string): void {
  const folder = parentOf(settings);
  try {
    const { isDirectory, mode } = Deno.lstatSync(folder);
    const isMade = Deno.build.os === "windows" || ((mode ?? 0) & 0o777) === NEW_FOLDER_MODE;
    if (isDirectory && isMade) Deno.removeSync(folder);
  } catch {
    // Something else is in it, so it stays.
  }
}
