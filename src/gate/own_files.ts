/** Where the files are that the guards live by, links and all. */
import type { ConfigFile } from "../config/discover.ts";
import { headFiles, type Repository } from "../git/repository.ts";
import type { OwnFile, OwnKind } from "../guard/protected.ts";
import { baseName, joinPath, parentOf, readVariable, resolvePath } from "../paths.ts";
import { realPath } from "../project/files.ts";
import { settingsPaths } from "../settings/file.ts";

/** What decides where they are. */
export interface OwnPlaces {
  /** The configuration files in force. */
  readonly configFiles: readonly Pick<ConfigFile, "path">[];
  /** The database that counts: its path, or `:memory:`. */
  readonly database: string;
  readonly repository: Repository | undefined;
}

/** What SQLite keeps beside a database. */
const BESIDE_DATABASE = ["-wal", "-shm"];
const MAX_WAYS = 16;

/**
 * The files that count now: configuration, database, Claude Code's settings, the executable, and what tells the branch.
 * One that is reached over links is listed with each way to it.
 */
export function ownFiles(
  { configFiles, database, repository }: OwnPlaces,
  at: { readonly projectDir: string | null; readonly home: string | null },
): OwnFile[] {
  const files: Readonly<Record<OwnKind, readonly string[]>> = {
    guards: [
      ...configFiles.flatMap(({ path }) => waysTo(path)),
      ...(database === ":memory:" ? [] : waysTo(database)).flatMap((path) => [
        path,
        ...BESIDE_DATABASE.map((ending) => path + ending),
      ]),
    ],
    settings: settingsPaths({
      projectDir: at.projectDir ?? "/",
      home: at.home ?? undefined,
      configDir: readVariable("CLAUDE_CONFIG_DIR"),
    }).flatMap(waysTo),
    // Run from its source, the program is the whole checkout: nothing that could be kept from whoever works on it.
    program: Deno.build.standalone ? waysTo(Deno.execPath()) : [],
    git: repository === undefined ? [] : headFiles(repository).flatMap(waysTo),
  };
  return (Object.keys(files) as OwnKind[])
    .flatMap((kind) => files[kind].map((path) => ({ kind, path })));
}

/** A path as it was given, where it ends, and every link in between: who takes one of those away has taken the file. */
function waysTo(path: string): string[] {
  const ways = [path];
  const real = realPath(path);
  for (let at = path; at !== real && ways.length < MAX_WAYS;) {
    try {
      at = resolvePath(Deno.readLinkSync(at), { folder: realPath(parentOf(at)) });
      ways.push(at, joinPath(realPath(parentOf(at)), baseName(at)));
    } catch {
      // Only a folder above it is a link.
      break;
    }
  }
  return [...new Set([...ways, real])];
}
