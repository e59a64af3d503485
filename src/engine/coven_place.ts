/** The folder of coven, the older daemon: where it lies, whether anybody has decided about it, and its files. */
import { askDatabase } from "../maintenance/doctor/place.ts";
import type { CovenFiles } from "./coven_tasks.ts";
import { baseName, joinPath, parentOf, resolvePath } from "../paths.ts";
import { readFolder, readFound } from "../project/found_file.ts";
import { readImportMark } from "../store/import_marks.ts";

const FOLDER = ".coven";
/** How many folders upwards are looked into. */
const MAX_FOLDERS = 40;

/** A folder of coven. */
export interface CovenPlace {
  /** `.coven` itself, links resolved. */
  readonly folder: string;
  /** The folder that it lies in: the project. */
  readonly root: string;
  /** How the origins of all that comes from there begin. */
  readonly origin: string;
}

/** The folder of coven in a folder, or the nearest above it; null when there is none. */
export function findCoven(start: string): CovenPlace | null {
  let folder = start;
  for (let visited = 0; visited < MAX_FOLDERS; visited++) {
    const place = placeAt(joinPath(folder, FOLDER));
    if (place !== null) return place;
    const above = parentOf(folder);
    if (above === folder || above === ".") return null;
    folder = above;
  }
  return null;
}

/** The folder that was named: `.coven` itself, or the project that has one; null when it is neither. */
export function covenNamed(named: string): CovenPlace | null {
  return placeAt(joinPath(named, FOLDER)) ??
    (baseName(named) === FOLDER || hasState(named) ? placeAt(named) : null);
}

function placeAt(path: string): CovenPlace | null {
  try {
    if (!Deno.statSync(path).isDirectory) return null;
    const folder = Deno.realPathSync(path);
    const root = parentOf(folder);
    return { folder, root, origin: `coven:${root}` };
  } catch {
    return null;
  }
}

/** Whether there is state in such a folder, and not only files that people have written. */
function hasState(folder: string): boolean {
  return Object.values(stateFiles(folder)).some((files) => files.length > 0);
}

/** The files of the state, by what they hold. */
export function stateFiles(folder: string): CovenFiles {
  const state = readFound(joinPath(folder, "state.json"));
  const of = (part: string) => readFolder(joinPath(folder, part), /\.json$/);
  return {
    state: state === undefined ? [] : [state],
    workflows: of("workflows"),
    familiars: of("familiars"),
    questions: of("questions"),
  };
}

/** Where unfinished work of a task lies; null when nothing is left. */
export function workOf(
  { folder, root }: CovenPlace,
  taskId: string,
  worktree: string | null,
): string | null {
  const usual = joinPath(joinPath(folder, "worktrees"), taskId.replace(/[^\w.-]/g, "-"));
  const path = resolvePath(worktree ?? usual, { folder: root });
  try {
    return Deno.statSync(path).isDirectory ? path : null;
  } catch {
    return null;
  }
}

/** The process of the older daemon; null when it says nothing of one. */
export function covenPid({ folder }: CovenPlace): number | null {
  const pid = Number(readFound(joinPath(folder, "covend.pid"))?.text?.trim() ?? NaN);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

/** The folder of coven here or above that has state nobody has decided about; null when there is none. */
export function undecidedCoven(folder: string, database: string): CovenPlace | null {
  const place = findCoven(folder);
  if (place === null || !hasState(place.folder)) return null;
  const mark = askDatabase({ database }, (db) => readImportMark(db, place.origin)) ?? null;
  return mark === null ? place : null;
}

/** What a person is told about it. */
export function covenNotice({ folder }: CovenPlace): string {
  return `old state in ${folder}: run \`conclaude migrate\` to bring it over, ` +
    "or `conclaude migrate --fresh` to begin without it";
}
