/** Finds the protected files that have other names. Loaded only where a tool use changes a file with several. */
import { joinPath } from "../../base/paths.ts";
import { namesIn, sharedFile } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import { filesOfRules, watchedRules, type WatchPlace } from "../effects/watched.ts";
import type { GuardPolicy } from "../guards/guard_policy.ts";
import type { OwnFile } from "../guards/types.ts";

/** By the file: the names by which the policy, or a rule about files, protects it. */
export async function protectedLinks(
  policy: GuardPolicy,
  own: readonly OwnFile[],
  place: Pick<WatchPlace, "root" | "repository" | "environment">,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ofGit = place.repository?.commonDir;
  const hooks = ofGit === undefined ? "" : joinPath(ofGit, "hooks");
  const names = [
    ...own.map(({ path }) => path),
    ...!policy.protectsItself || ofGit === undefined
      ? []
      : ["config", ...(namesIn(hooks) ?? []).map((name) => `hooks/${name}`)]
        .map((name) => joinPath(ofGit, name)),
    ...(await filesOfRules(watchedRules(policy), place)).files.map(([path]) => path),
  ];
  const links = names.map((name) => realPath(name))
    .flatMap((path) => {
      const shared = sharedFile(path);
      return shared === null ? [] : [{ shared, path }];
    });
  return new Map(
    [...Map.groupBy(links, ({ shared }) => shared)]
      .map(([shared, all]) => [shared, [...new Set(all.map(({ path }) => path))]]),
  );
}
