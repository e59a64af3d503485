import { quoteWord } from "../settings/hooks.ts";
import { type Finding, ok, warn } from "./check.ts";

/** Permission bits of everybody but the owner. */
const OTHERS = 0o077;

/**
 * Judges whether files are their owner's alone. Missing ones are left out, and on Windows permissions are not looked at.
 *
 * @param mode What they should have: 0600 for files, 0700 for folders; `repair` sets it.
 * @returns One finding for all that is well, and one for each file that is not.
 */
export function permissionFindings(paths: readonly string[], mode: 0o600 | 0o700): Finding[] {
  if (Deno.build.os === "windows") return [];
  const present = paths.flatMap((path) => {
    const info = statQuietly(path);
    return info === null ? [] : [{ path, mode: (info.mode ?? mode) & 0o777, uid: info.uid }];
  });
  if (present.length === 0) return [];
  const faults = present.flatMap((file) => [
    ...openToOthers(file, mode),
    ...closedToOwner(file, mode),
    ...ofAnother(file),
  ]);
  const digits = mode.toString(8).padStart(4, "0");
  return faults.length > 0 ? faults : [ok(`${digits}: nobody else can read them`)];
}

interface PresentFile {
  readonly path: string;
  readonly mode: number;
  readonly uid: number | null;
}

function openToOthers(file: PresentFile, wanted: number): Finding[] {
  if ((file.mode & OTHERS) === 0) return [];
  return [wrongMode(file, { state: "is open to other users", wanted })];
}

/** SQLite gives the log and its index the mode of the database: what was once read-only leaves them so. */
function closedToOwner(file: PresentFile, wanted: number): Finding[] {
  if ((file.mode & wanted) === wanted || file.uid !== Deno.uid()) return [];
  return [wrongMode(file, { state: "cannot be written", wanted })];
}

function wrongMode(
  { path, mode }: PresentFile,
  { state, wanted }: { readonly state: string; readonly wanted: number },
): Finding {
  const octal = wanted.toString(8);
  return warn(
    `${path} ${state}: mode ${mode.toString(8).padStart(4, "0")}`,
    `chmod ${octal} ${quoteWord(path)}`,
    () => {
      Deno.chmodSync(path, wanted);
      return `set the mode of ${path} to ${octal.padStart(4, "0")}`;
    },
  );
}

/** Left behind by a run with `sudo`: the user's own hooks cannot write it. */
function ofAnother(file: PresentFile): Finding[] {
  const uid = Deno.uid();
  if (file.uid === null || uid === null || file.uid === uid) return [];
  return [warn(
    `${file.path} belongs to another user (number ${file.uid})`,
    `sudo chown ${uid} ${quoteWord(file.path)}`,
  )];
}

function statQuietly(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch {
    return null;
  }
}
