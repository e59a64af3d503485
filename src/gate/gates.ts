/** What may forbid something here, and which events it needs for that. */
import type { HookConfig } from "../config/hook_config.ts";
import type { GuardPolicy } from "../guard/policy.ts";

/** Something that may forbid what Claude Code is about to do. */
interface Gate {
  readonly isHere: (config: HookConfig) => boolean;
  /** The events without which it has no say. */
  readonly events: (config: HookConfig) => readonly string[];
}

/** One row for each kind. */
const GATES: readonly Gate[] = [
  {
    isHere: ({ guards }) => guards !== "",
    events: ({ guards }) =>
      answersRequests(JSON.parse(guards)) ? ["PreToolUse", "PermissionRequest"] : ["PreToolUse"],
  },
];

/** The events for which the gates of a configuration need a hook; none where there are no gates. */
export function gateEvents(config: HookConfig): string[] {
  const here = GATES.filter(({ isHere }) => isHere(config));
  return [...new Set(here.flatMap(({ events }) => events(config)))];
}

function answersRequests({ permission }: GuardPolicy): boolean {
  const { deny, allow, fallback } = permission;
  return deny.length > 0 || allow.length > 0 || fallback !== null;
}
