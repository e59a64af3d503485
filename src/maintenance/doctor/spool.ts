import { count } from "../../counts.ts";
import { joinPath, parentOf } from "../../paths.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { drainSpool, spooledFiles } from "../../spool/drain.ts";
import { isPrivateFolder } from "../../project/write_file.ts";
import { fail, type Finding, ok, warn } from "../check.ts";
import { isThere } from "../whole_file.ts";
import { type DoctorPlace, repairDatabase } from "./place.ts";

/** Files that a command names at most. */
const MAX_NAMED = 5;

/** How the names of records end, of those that were set aside too. */
const RECORD_NAME = /\.json(?:\.damaged)?$/;

/** Records that wait because a database could not take them. */
export function lookAtSpool(place: DoctorPlace): Finding[] {
  const { locations, database } = place;
  const folders = locations.spoolFolders.filter(isThere);
  const distrusted = folders.filter((folder) => !isTrusted(folder));
  const trusted = folders.filter(isTrusted);
  const findings = [
    ...distrusted.map((folder) =>
      fail(
        `${folder} is not this user's own folder, so no record is put there or taken from there`,
        `ls -ld ${quoteWord(parentOf(folder))} ${quoteWord(folder)}`,
      )
    ),
    ...waitingHere(place),
    ...waitingElsewhere(trusted, spooledFiles({ database, folders })),
    ...damagedRecords(trusted),
    ...noRecords(trusted),
  ];
  return findings.length > 0 ? findings : [ok("no record is waiting")];
}

function waitingHere({ locations, database, config }: DoctorPlace): Finding[] {
  if (database === ":memory:") return [];
  const folders = locations.spoolFolders;
  const waiting = spooledFiles({ database, folders }).length;
  if (waiting === 0) return [];
  return [warn(
    `${records(waiting)} waiting for the database; the next hook that can write takes them in`,
    "conclaude doctor --fix",
    () =>
      repairDatabase({ database, config }, (db) => {
        const { saved, known, damaged } = drainSpool(db, { database, folders });
        const rest = [
          ...(known > 0 ? [`${known} were there already`] : []),
          ...(damaged.length > 0 ? [`${damaged.length} could not be read`] : []),
        ];
        return [`wrote ${count(saved, "waiting record")} into the database`, ...rest].join("; ");
      }),
  )];
}

/** @param own The records that wait for the database itself. */
function waitingElsewhere(folders: readonly string[], own: readonly string[]): Finding[] {
  const files = folders.flatMap(filesIn).filter((path) =>
    path.endsWith(".json") && !own.includes(path)
  );
  const byDatabase = Map.groupBy(files, databaseOf);
  return [...byDatabase].map(([other, those]) =>
    warn(
      `${records(those.length)} waiting for another database: ${other ?? "unknown"}`,
      other === null
        ? `ls -l ${quoteWord(those[0]!)}`
        : `conclaude --db ${quoteWord(other)} doctor --fix`,
    )
  );
}

function damagedRecords(folders: readonly string[]): Finding[] {
  const files = folders.flatMap(filesIn).filter((path) => path.endsWith(".damaged"));
  if (files.length === 0) return [];
  return [warn(
    `${records(files.length)} set aside because no database could take them`,
    `ls -l ${files.slice(0, MAX_NAMED).map(quoteWord).join(" ")}`,
  )];
}

/** What has a record's name and is no file: nobody reads it, since a pipe would be waited for, and a link may lead anywhere. */
function noRecords(folders: readonly string[]): Finding[] {
  return folders.flatMap(entriesIn)
    .filter(({ path, isFile }) => !isFile && RECORD_NAME.test(path))
    .map(({ path, ...entry }) =>
      warn(
        `${path} has the name of a record and is ${kindOf(path, entry)}, so it is left alone`,
        `ls -ld ${quoteWord(path)}`,
      )
    );
}

function kindOf(
  path: string,
  { isSymlink, isDirectory }: Pick<Deno.DirEntry, "isSymlink" | "isDirectory">,
): string {
  return isSymlink
    ? `a link to ${linkedTo(path)}`
    : isDirectory
    ? "a folder"
    : "a pipe or a device";
}

function linkedTo(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return "nothing";
  }
}

/** The database that a record is meant for; null when it does not say. */
function databaseOf(path: string): string | null {
  try {
    const { database } = JSON.parse(Deno.readTextFileSync(path)) as { readonly database?: unknown };
    return typeof database === "string" ? database : null;
  } catch {
    return null;
  }
}

function isTrusted(folder: string): boolean {
  try {
    return isPrivateFolder(parentOf(folder)) && isPrivateFolder(folder);
  } catch {
    return false;
  }
}

function filesIn(folder: string): string[] {
  return entriesIn(folder).flatMap(({ path, isFile }) => isFile ? [path] : []);
}

function entriesIn(folder: string): (Omit<Deno.DirEntry, "name"> & { readonly path: string })[] {
  return Array.from(
    Deno.readDirSync(folder),
    ({ name, ...entry }) => ({ ...entry, path: joinPath(folder, name) }),
  );
}

function records(n: number): string {
  return count(n, "record is", "records are");
}
