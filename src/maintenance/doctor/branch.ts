import { groundOf, UNTOLD_BRANCH } from "../../gate/ground.ts";
import { isStrict } from "../../gate/asked_requirements.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { type Finding, warn } from "../check.ts";
import type { DoctorPlace } from "./place.ts";

/** Whether the branch is known for which requirements are kept, where there are any. */
export function lookAtBranch({ config, projectDir }: DoctorPlace): Finding[] {
  const repository = findRepository(lookUpwards(projectDir));
  if (config.requirements === "" || !repository?.isUntold) return [];
  const meaning = isStrict(config)
    ? "what requirements are about is denied"
    : "the requirements of the last branch of a session count, or none";
  const ground = groundOf(repository);
  return [warn(`${UNTOLD_BRANCH}, so ${meaning}`, ground.kind === "none" ? ground.next : "")];
}
