/** Files of other tools, as they are found: read, or with the reason why they cannot be. */
import { messageOf } from "../base/errors.ts";
import { joinPath, parentOf } from "../base/paths.ts";
import type { Repository } from "./git/repository.ts";

/** A file that is there: with its text, or with the reason why it cannot be read. */
export type FoundFile =
  & { readonly path: string }
  & ({ readonly text: string } | { readonly text: null; readonly problem: string });

const MAX_MIB = 256;

/** A file; undefined where there is none. */
export function readFound(path: string): FoundFile | undefined {
  const unread = (problem: string): FoundFile => ({ path, text: null, problem });
  try {
    // Asked first: reading a pipe would wait for ever.
    const { isFile, size } = Deno.statSync(path);
    if (!isFile) return unread("it is not a regular file");
    if (size > MAX_MIB << 20) return unread(`it has ${size} bytes; the limit is ${MAX_MIB} MiB`);
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(path));
    return { path, text };
  } catch (thrown) {
    if (thrown instanceof TypeError) return unread("it is not UTF-8");
    return isMissing(thrown) ? undefined : unread(messageOf(thrown));
  }
}

/** Lists the files of a folder by name; a folder that cannot be read counts as a file that cannot be read. */
export function readFolder(folder: string, names: RegExp): FoundFile[] {
  let found: string[];
  try {
    found = Array.from(Deno.readDirSync(folder), ({ name }) => name);
  } catch (thrown) {
    return isMissing(thrown) ? [] : [{ path: folder, text: null, problem: messageOf(thrown) }];
  }
  return found.filter((name) => names.test(name) && !name.startsWith(".")).sort()
    .flatMap((name) => readFound(joinPath(folder, name)) ?? []);
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory;
}

/** What is there of the framework. */
export interface FrameworkFiles {
  /** The layers of the configuration; undefined without a configuration file. */
  readonly global: FoundFile | undefined;
  readonly project: FoundFile | undefined;
  readonly local: FoundFile | undefined;
  readonly registry: FoundFile | undefined;
  /** One a branch, by name. */
  readonly states: readonly FoundFile[];
  /** Every path that was looked at, whatever was there. */
  readonly searched: readonly string[];
}

const CONFIG = ".claude/requirements.yaml";
const LOCAL_CONFIG = ".claude/requirements.local.yaml";
const REGISTRY = ".claude/sessions.json";
const MAX_FOLDERS = 40;

/**
 * Finds the framework's files of a project and of its user, and reads them. The project's configuration is the nearest
 * one upwards, not above the repository; outside of a repository only the folder itself is looked at. Nothing is changed.
 */
export function readFrameworkFiles(
  cwd: string,
  from: { readonly home: string | null; readonly repository: Repository | undefined },
): FrameworkFiles {
  const searched: string[] = [];
  const read = (path: string) => {
    searched.push(path);
    return readFound(path);
  };
  const { home, repository } = from;
  const global = home === null ? undefined : read(joinPath(home, CONFIG));
  const folder = projectFolder(cwd, { top: repository?.root ?? cwd, home });
  // Outside of a repository the home has a user's file, and none of a project.
  const isProject = repository !== undefined || folder !== home;
  const project = isProject ? read(joinPath(folder, CONFIG)) : undefined;
  const local = isProject ? read(joinPath(folder, LOCAL_CONFIG)) : undefined;
  const registry = home === null ? undefined : read(joinPath(home, REGISTRY));
  const states: FoundFile[] = [];
  if (repository !== undefined) {
    const place = joinPath(repository.commonDir, "requirements");
    searched.push(joinPath(place, "*.json"));
    states.push(...readFolder(place, /\.json$/));
  }
  return { global, project, local, registry, states, searched: [...new Set(searched)] };
}

/** The nearest folder with a configuration of the framework, else the top one. On the way, the home's is no project's. */
function projectFolder(
  start: string,
  { top, home }: { readonly top: string; readonly home: string | null },
): string {
  let folder = start;
  for (let i = 0; i < MAX_FOLDERS; i++) {
    if (folder !== home && readFound(joinPath(folder, CONFIG)) !== undefined) return folder;
    if (folder === top || parentOf(folder) === folder) break;
    folder = parentOf(folder);
  }
  return top;
}
