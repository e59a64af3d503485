/** Requirements without a database: nothing can be satisfied, so a strict policy denies. */
import type { HookConfig } from "../config/hook_config.ts";
import type { Environment } from "../environment.ts";
import type { Repository } from "../git/repository.ts";
import type { GuardPolicy } from "../guard/guard_policy.ts";
import { mayBeOpen } from "../requirement/open_requirements.ts";
import type { Requirement } from "../requirement/requirement_policy.ts";
import { gatherFacts } from "./asked_requirements.ts";
import { groundOf, UNKEPT } from "./ground.ts";

/** Whether the policy is strict: then it denies what falls under a requirement that nobody can judge. */
export function isStrict({ guards }: Pick<HookConfig, "guards">): boolean {
  return guards !== "" && (JSON.parse(guards) as GuardPolicy).isStrict;
}

/** The names of the requirements that a strict policy denies now; none where there is no branch. */
export async function deniedUnkept(
  requirements: readonly Requirement[],
  repository: Repository | undefined,
  at: { readonly sessionId: string; readonly atMs: number; readonly environment: Environment },
): Promise<string[]> {
  const ground = groundOf(repository);
  if (ground.kind === "none") return [];
  const { facts } = await gatherFacts(requirements, {
    ...at,
    ...ground,
    db: null,
    projectDir: null,
  });
  return mayBeOpen(requirements, facts).map(({ name }) => name);
}

/** A sentence about them, without its end. */
export function unkeptText(denied: readonly string[]): string {
  const named = denied.length === 1 ? `"${denied[0]}" is` : `${denied.join(", ")} are`;
  return denied.length === 0
    ? `none of them denies anything on this branch, though none can be satisfied, for ${UNKEPT.why}`
    : `what ${named} about is denied here, for ${UNKEPT.why}, and the policy is strict`;
}
