import { findRepository } from "../git/repository.ts";
import { resolvePath } from "../paths.ts";
import { lookUpwards } from "../project/look.ts";
import type { CliContext } from "./context.ts";
import { projectHere } from "./session_lookup.ts";

/**
 * The project that `--project DIR` or `--here` mean: the common git directory, or the folder where there is none; null
 * without either.
 */
export function projectFilterOf(
  { cwd, locations }: CliContext,
  flags: { readonly project?: string; readonly here: boolean },
): string | null {
  if (flags.project === undefined) return flags.here ? projectHere(cwd) : null;
  const folder = resolvePath(flags.project, { folder: cwd, home: locations.home ?? undefined });
  return findRepository(lookUpwards(folder))?.commonDir ?? folder;
}
