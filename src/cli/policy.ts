import type { GuardPolicy } from "../guard/policy.ts";
import type { CliContext } from "./context.ts";
import { placeOf } from "./store.ts";

/** The rules that count in this folder; null when there are none. */
export async function policyOf(
  context: CliContext,
): Promise<{ readonly policy: GuardPolicy | null; readonly projectDir: string }> {
  const { config } = await placeOf(context);
  const policy: GuardPolicy | null = config.guards === "" ? null : JSON.parse(config.guards);
  return { policy, projectDir: policy?.root ?? context.cwd };
}
