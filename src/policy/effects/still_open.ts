/** Tells which violations are still open, as files, branches and commits are now. Writes nothing. */
import type { HookConfig } from "../../config/hook_config.ts";
import { sessionStartMs, transcriptNear } from "../../db/sessions.ts";
import { readHeads } from "../../system/git/heads.ts";
import { lookUpwards, readRef, repositoryAt } from "../../system/git/repository.ts";
import { parentOf } from "../../base/paths.ts";
import { policiesIn } from "../policies.ts";
import { touchedByCommits } from "../requirements/used_up.ts";
import { notBack } from "./judged.ts";
import { type Ground, ofCommit, type Violation } from "./types.ts";
import { isMet, isThere } from "./unreviewed.ts";
import { protectedBranches } from "./watched.ts";

/** The database that holds the violations, and the project's folder with its configuration. */
interface Place extends Pick<Ground, "db" | "environment" | "projectDir" | "atMs"> {
  readonly config: HookConfig;
}

/** Returns those of the violations that nobody has settled, undone or met the requirement of. */
export async function stillOpen(
  violations: readonly Violation[],
  place: Place,
): Promise<Violation[]> {
  const { projectDir } = place;
  const looks = lookUpwards(projectDir);
  const unsettled = violations.filter(({ settledAtMs, blocks, kind }) =>
    settledAtMs === null && (blocks || kind !== "ref")
  );
  // A file may lie in another working tree than the folder.
  const placed = unsettled.map((one) => {
    const folder = one.kind === "file" ? parentOf(one.subject) : null;
    return { one, repository: repositoryAt(folder, { projectDir, looks }) };
  });
  const left = new Set<Violation>();
  for (const group of Map.groupBy(placed, ({ repository }) => repository?.root).values()) {
    const all = group.map(({ one }) => one);
    for (const one of await openIn(group[0]!.repository, all, place)) left.add(one);
  }
  return unsettled.filter((one) => left.has(one));
}

async function openIn(
  repository: Ground["repository"],
  violations: readonly Violation[],
  { db, config, environment, projectDir, atMs }: Place,
): Promise<readonly Violation[]> {
  const { requirements: required } = policiesIn(config);
  const around = { db, config, environment, projectDir, atMs, repository };
  const changes = violations.filter((one) => !ofCommit(one));
  const refOf = (name: string) => repository && readRef(repository, name.replace("refs/", ""));
  const refs = changes.filter(({ kind }) => kind === "ref")
    .map(({ subject }) => [subject, refOf(subject) ?? ""]);
  const now = { held: config.held, refs: Object.fromEntries(refs) };
  const branches = protectedBranches(required);
  const begun = changes.map((one) => sessionStartMs(db, one.sessionId) ?? one.createdAtMs);
  const beganAtMs = Math.min(...begun);
  const left = await notBack(changes, { ...around, branches, now, beganAtMs });
  const commits = violations.filter(ofCommit);
  if (commits.length === 0 || repository === undefined) return [...left, ...commits];
  const requirements = touchedByCommits(required?.requirements ?? []);
  const heads = await readHeads(repository, null, { environment });
  const open: Violation[] = [];
  for (const one of commits) {
    const { sessionId, project } = one;
    const transcriptPath = transcriptNear(db, { repository: project, sessionId });
    const met = isMet(one, { ...around, requirements, sessionId, transcriptPath });
    if (!met && await isThere(one.subject, { ...around, heads })) open.push(one);
  }
  return [...left, ...open];
}
