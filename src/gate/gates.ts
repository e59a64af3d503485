/** What may forbid something here, and which events it needs for that. */
import type { HookConfig } from "../config/hook_config.ts";
import type { GuardPolicy } from "../guard/policy.ts";
import type { RequirementPolicy } from "../requirement/policy.ts";

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
  {
    isHere: ({ requirements }) => requirements !== "",
    events: ({ requirements }) => requirementEvents(JSON.parse(requirements)),
  },
];

/** The events for which the gates of a configuration need a hook; none where there are no gates. */
export function gateEvents(config: HookConfig): string[] {
  const here = GATES.filter(({ isHere }) => isHere(config));
  return [...new Set(here.flatMap(({ events }) => events(config)))];
}

/** Skills and actions that succeeded are told by PostToolUse; what is asked at stops needs those. */
function requirementEvents({ requirements, verifyScopes }: RequirementPolicy): string[] {
  const usesUp = requirements.some(({ scope, skills }) =>
    scope === "single_use" || skills.length > 0
  );
  return [
    "PreToolUse",
    ...(usesUp ? ["PostToolUse"] : []),
    ...(verifyScopes.length > 0 ? ["Stop"] : []),
  ];
}

function answersRequests({ permission }: GuardPolicy): boolean {
  const { deny, allow, fallback } = permission;
  return deny.length > 0 || allow.length > 0 || fallback !== null;
}
