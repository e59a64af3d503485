/** Whether the gates of a project have a say in a session that begins, as far as the settings files tell. */
import type { HookConfig } from "../config/hook_config.ts";
import type { Environment } from "../environment.ts";
import { holdsOwn, type ParsedSettings, unarmedText, whyUnarmed } from "../settings/armed.ts";
import { settingsPaths } from "../settings/file.ts";
import { machineHere } from "../settings/hook_program.ts";
import { ownershipHere } from "../settings/own_handler.ts";
import { needsOf } from "./gates.ts";

/** The event that asks; who is asked must be installed somewhere. */
const ASKING_EVENT = "SessionStart";

/**
 * One line for the person where gates exist and Claude Code will not ask them.
 *
 * @returns Null when it will, and when nobody can tell: hooks that stand in none of these files have come another way.
 */
export function unarmedNotice(
  config: HookConfig,
  place: {
    readonly projectDir: string;
    readonly home: string | null;
    readonly environment: Environment;
  },
): string | null {
  const needs = needsOf(config);
  if (needs.length === 0) return null;
  const { program, variable } = place.environment;
  const executable = program.script === null ? program.executable : null;
  const ownership = ownershipHere({ executable });
  const files = settingsFiles(place);
  if (!files.some(({ settings }) => holdsOwn(settings, ASKING_EVENT, ownership))) return null;
  const machine = machineHere(variable("PATH"));
  const unarmed = whyUnarmed(files, { needs, ownership, machine });
  return unarmed.length === 0
    ? null
    : `conclaude: the rules of this project are ${
      unarmed.map(unarmedText).join("; ")
    }. Run \`conclaude doctor\`.`;
}

function settingsFiles(
  { projectDir, home, environment }: Parameters<typeof unarmedNotice>[1],
): ParsedSettings[] {
  const configDir = environment.variable("CLAUDE_CONFIG_DIR");
  return settingsPaths({ projectDir, home: home ?? undefined, configDir })
    .map((path) => ({ path, settings: read(path) }));
}

function read(path: string): unknown {
  try {
    return JSON.parse(Deno.readTextFileSync(path).replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
}
