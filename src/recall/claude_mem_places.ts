/** Where the projects of claude-mem lie, of which it knows the name alone. */
import { baseName } from "../paths.ts";
import type { SeenProject } from "../store/foreign_memory.ts";

/** Where what is taken over belongs. */
export interface MemoryPlace {
  /** The common git directory, or the folder where there is none. */
  readonly project: string;
  /** The folder that its paths are told from. */
  readonly root: string;
}

/**
 * The projects that sessions were seen in, by the name that claude-mem has for them: that of the folder. Only names that
 * are those of one project alone.
 */
export function placesByName(seen: readonly SeenProject[]): ReadonlyMap<string, MemoryPlace> {
  const found = new Map<string, MemoryPlace | null>();
  for (const { project, projectDir } of seen) {
    const top = project.endsWith("/.git") ? project.slice(0, -"/.git".length) : null;
    const place = { project, root: top ?? projectDir };
    for (const name of new Set([baseName(projectDir), ...(top === null ? [] : [baseName(top)])])) {
      const other = found.get(name);
      found.set(name, other === undefined || other?.project === project ? place : null);
    }
  }
  return new Map([...found].filter((entry): entry is [string, MemoryPlace] => entry[1] !== null));
}

/** The name of the project that a worktree belongs to: claude-mem has `website/fix-login` for one of `website`. */
export function mainName(name: string): string {
  return name.split("/", 1)[0]!;
}
