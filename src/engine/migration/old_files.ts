/** Finds the files of the older daemon, and reads them. Nothing here writes. */
import { messageOf } from "../../errors.ts";
import type { OldFile, OldFiles } from "../../orchestration/coven/old_state.ts";
import { baseName, joinPath, parentOf } from "../../paths.ts";

/** The folder of the older daemon. */
const FOLDER = ".coven";

/** A larger file is not read, in bytes. */
const MAX_FILE_BYTES = 256 << 20;

/** How many folders upwards are looked into. */
const MAX_FOLDERS = 40;

/** Where the older daemon keeps what. */
const PARTS = { workflows: "workflows", agents: "familiars", questions: "questions" } as const;

/** A folder of the older daemon. */
export interface OldPlace {
  /** `.coven` itself, links resolved. */
  readonly folder: string;
  /** The folder that it lies in: the project. */
  readonly root: string;
  /** How the origins of all that comes from there begin. */
  readonly origin: string;
}

/** What tells a person what is read, beside the state. */
export interface OtherOldFiles {
  readonly config: OldFile | null;
  readonly mapping: OldFile | null;
  readonly matchers: OldFile | null;
  readonly grimoires: readonly OldFile[];
  readonly spells: readonly OldFile[];
  /** Files that are known, and that have no place here. */
  readonly without: readonly string[];
}

/** The folder of the older daemon in a folder, or the nearest above it; null when there is none. */
export function findOldPlace(start: string): OldPlace | null {
  let folder = start;
  for (let visited = 0; visited < MAX_FOLDERS; visited++) {
    const place = oldPlaceAt(joinPath(folder, FOLDER));
    if (place !== null) return place;
    const above = parentOf(folder);
    if (above === folder || above === ".") return null;
    folder = above;
  }
  return null;
}

/** The folder that was named: `.coven` itself, or the project that has one; null when it is neither. */
export function oldPlaceIn(named: string): OldPlace | null {
  return oldPlaceAt(joinPath(named, FOLDER)) ??
    (baseName(named) === FOLDER || hasState(named) ? oldPlaceAt(named) : null);
}

function oldPlaceAt(path: string): OldPlace | null {
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
export function hasState(folder: string): boolean {
  return isFile(joinPath(folder, "state.json")) ||
    Object.values(PARTS).some((part) => namesIn(joinPath(folder, part), /\.json$/).length > 0);
}

/** Reads the files of the state. */
export function readOldFiles({ folder }: OldPlace): OldFiles {
  const filesOf = (part: string) => readAll(joinPath(folder, part), /\.json$/);
  return {
    state: readIfThere(joinPath(folder, "state.json")),
    workflows: filesOf(PARTS.workflows),
    agents: filesOf(PARTS.agents),
    questions: filesOf(PARTS.questions),
  };
}

/** Reads what people have written: configuration, workflows, prompts. */
export function readOtherOldFiles({ folder }: OldPlace): OtherOldFiles {
  const at = (name: string) => joinPath(folder, name);
  return {
    config: readIfThere(at("config.json")),
    mapping: readIfThere(at("grimoire-mapping.json")),
    matchers: readIfThere(at("grimoire-matchers.yaml")) ??
      readIfThere(at("grimoire-matchers.yml")),
    grimoires: readAll(at("grimoires"), /\.ya?ml$/),
    spells: readAll(at("spells"), /\.md$/),
    without: ["secrets.yaml", "system-prompt.md"].map(at).filter(isFile),
  };
}

/** The process of the older daemon; null when it says nothing of one. */
export function oldDaemonPid({ folder }: OldPlace): number | null {
  const pid = Number(readIfThere(joinPath(folder, "covend.pid"))?.text?.trim() ?? NaN);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : null;
}

function readAll(folder: string, pattern: RegExp): OldFile[] {
  return namesIn(folder, pattern).flatMap((name) => readIfThere(joinPath(folder, name)) ?? []);
}

function namesIn(folder: string, pattern: RegExp): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name)
      .filter((name) => pattern.test(name) && !name.startsWith(".")).sort();
  } catch {
    return [];
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** A file; null when there is none. One that cannot be read says why. */
function readIfThere(path: string): OldFile | null {
  const name = baseName(path).replace(/\.[^.]+$/, "");
  try {
    const { size, isFile } = Deno.statSync(path);
    if (!isFile) return { path, name, text: null, problem: "it is no file" };
    if (size > MAX_FILE_BYTES) {
      return { path, name, text: null, problem: "it is larger than 256 MiB" };
    }
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(path));
    return { path, name, text, problem: "" };
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return null;
    const problem = thrown instanceof TypeError ? "it is not UTF-8" : messageOf(thrown);
    return { path, name, text: null, problem };
  }
}
