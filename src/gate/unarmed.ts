/** Whether the gates of a project have a say in a session that begins, as far as the settings files tell. */
import type { HookConfig } from "../config/hook_config.ts";
import { readVariable } from "../paths.ts";
import { holdsOwn, type ParsedSettings, type Unarmed, whyUnarmed } from "../settings/armed.ts";
import { settingsPaths } from "../settings/file.ts";
import { ownershipHere } from "../settings/ownership.ts";
import { gateEvents } from "./gates.ts";

/** The event that asks; who is asked must be installed somewhere. */
const ASKING_EVENT = "SessionStart";

/**
 * One line for the person where gates exist and Claude Code will not ask them.
 *
 * @returns Null when it will, and when nobody can tell: hooks that stand in none of these files have come another way.
 */
export function unarmedNotice(
  config: HookConfig,
  place: { readonly projectDir: string; readonly home: string | null },
): string | null {
  const events = gateEvents(config);
  if (events.length === 0) return null;
  const executable = Deno.build.standalone ? Deno.execPath() : null;
  const ownership = ownershipHere({ executable });
  const files = settingsFiles(place);
  if (!files.some(({ settings }) => holdsOwn(settings, ASKING_EVENT, ownership))) return null;
  const unarmed = whyUnarmed(files, { events, ownership });
  return unarmed === null
    ? null
    : `conclaude: the rules of this project are NOT ARMED: ${
      reasonOf(unarmed)
    }. Run \`conclaude doctor\`.`;
}

function reasonOf(unarmed: Unarmed): string {
  switch (unarmed.kind) {
    case "disabled":
      return `\`disableAllHooks\` is true in ${unarmed.path}`;
    case "discarded":
      return `Claude Code discards ${unarmed.path}, because \`${unarmed.at}\` ${unarmed.problem}`;
    case "missing":
      return `no hook is installed for ${unarmed.events.join(" and ")}`;
  }
}

function settingsFiles(
  { projectDir, home }: { readonly projectDir: string; readonly home: string | null },
): ParsedSettings[] {
  const configDir = readVariable("CLAUDE_CONFIG_DIR");
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
