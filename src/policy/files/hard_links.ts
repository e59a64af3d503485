/** Finds protected files that have other names. Loaded only where a tool use changes a file with several names. */
import { sharedFile } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import type { Ground } from "../effects/types.ts";
import { filesOfRules, watchedRules } from "../effects/watched.ts";
import type { GuardPolicy } from "../guards/guard_policy.ts";
import type { OwnFile } from "../guards/types.ts";
import { gitSettings } from "./own_files.ts";

/** Maps each file with several names to the names that the policy or a rule about files protects. */
export async function protectedLinks(
  policy: GuardPolicy,
  own: readonly OwnFile[],
  place: Pick<Ground, "root" | "repository" | "environment">,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rules = watchedRules(policy);
  const names = [
    ...own.map(({ path }) => path),
    ...policy.protectsItself && place.repository !== undefined ? gitSettings(place.repository) : [],
    ...rules.length === 0
      ? []
      : (await filesOfRules({ ...place, rules })).files.map(([path]) => path),
  ];
  const links = Map.groupBy(new Set(names.map(realPath)), sharedFile);
  return new Map([...links].flatMap(([file, paths]) => file === null ? [] : [[file, paths]]));
}
