/** Tells which violations are still open, as files, branches and commits are now. Writes nothing. */
import type { HookConfig } from "../../config/hook_config.ts";
import { sessionStartMs, transcriptNear } from "../../db/sessions.ts";
import { readHeads } from "../../system/git/heads.ts";
import { lookUpwards, readRef, repositoryAt } from "../../system/git/repository.ts";
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
  const { db, config, environment, projectDir, atMs } = place;
  const repository = repositoryAt(null, { projectDir, looks: lookUpwards(projectDir) });
  const unsettled = violations.filter(({ settledAtMs, blocks, kind }) =>
    settledAtMs === null && (blocks || kind !== "ref")
  );
  const { requirements: required } = policiesIn(config);
  const around = { db, config, environment, projectDir, atMs, repository };
  const changes = unsettled.filter((one) => !ofCommit(one));
  const refOf = (name: string) => repository && readRef(repository, name.replace("refs/", ""));
  const refs = changes.filter(({ kind }) => kind === "ref")
    .map(({ subject }) => [subject, refOf(subject) ?? ""]);
  const now = { held: config.held, refs: Object.fromEntries(refs) };
  const branches = protectedBranches(required);
  const begun = changes.map((one) => sessionStartMs(db, one.sessionId) ?? one.createdAtMs);
  const beganAtMs = Math.min(...begun);
  const left = new Set(await notBack(changes, { ...around, branches, now, beganAtMs }));
  const commits = unsettled.filter(ofCommit);
  const requirements = touchedByCommits(required?.requirements ?? []);
  const heads = repository === undefined || commits.length === 0
    ? undefined
    : await readHeads(repository, null, { environment });
  for (const one of commits) {
    const { sessionId, project } = one;
    const transcriptPath = transcriptNear(db, { repository: project, sessionId });
    const isSettled = repository !== undefined &&
      (isMet(one, { ...around, requirements, sessionId, transcriptPath }) ||
        !await isThere(one.subject, { ...around, heads }));
    if (!isSettled) left.add(one);
  }
  return unsettled.filter((one) => left.has(one));
}
