/** Registers all sections of the configuration. Who parses one imports this file or calls `loadSections()`. */
import type { Config as OwnConfig, SectionValues } from "../config/config_schema.ts";
import { useSections } from "../config/sections.ts";
import { compileGuards, GUARD_SECTIONS } from "../policy/guards/guard_section.ts";
import { compileStopSections, STOP_SECTIONS } from "../policy/stops/stop_section.ts";
import { MEMORY } from "../memory/memory_section.ts";
import { USAGE } from "../memory/usage/usage_section.ts";
import { TEAM } from "../team/team_section.ts";
import { ORCHESTRATION } from "../work/orchestration_section.ts";
import {
  compileRequirements,
  followedTools,
  REQUIREMENT_SECTIONS,
} from "../policy/requirements/requirement_section.ts";
import { usesOf } from "../policy/requirements/trigger_match.ts";

const SHAPE = {
  ...GUARD_SECTIONS,
  ...STOP_SECTIONS,
  ...REQUIREMENT_SECTIONS,
  memory: MEMORY,
  usage: USAGE,
  orchestration: ORCHESTRATION,
  team: TEAM,
};

/** A complete configuration: every key has a value. */
export type Config = OwnConfig & SectionValues<typeof SHAPE>;

useSections({
  shape: SHAPE,
  compile: (config: Config, from) => {
    const policy = compileGuards(config, from);
    const requirements = from.root === null ? null : compileRequirements(config);
    return {
      policy,
      hook: {
        ...compileStopSections(config, from),
        guards: JSON.stringify(policy),
        requirements: requirements === null ? "" : JSON.stringify(requirements),
        requiredUses: usesOf(requirements?.requirements ?? []),
        followedTools: followedTools(requirements),
        memoryEnabled: config.memory.enabled,
        contextTokens: config.memory.context.tokens,
        tellsPerson: config.memory.context.notice,
        recallsPrompts: config.memory.recall.prompts,
        recallsEdits: config.memory.recall.edits,
        memoryRetentionDays: config.memory.retentionDays,
      },
    };
  },
});
