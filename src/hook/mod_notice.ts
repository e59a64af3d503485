import { gatingMods, modPlaces, modText } from "../claude/mods.ts";
import { isManaged } from "../policy/armed_gates.ts";
import type { Environment } from "../system/environment.ts";

/** Names the mods that can bypass this project's gates; null without such mods, and when managed hooks come first. */
export function modNotice(place: {
  readonly projectDir: string;
  readonly home: string | null;
  readonly environment: Environment;
}): string | null {
  const mods = gatingMods(modPlaces(place));
  if (mods.length === 0 || isManaged(place)) return null;
  return `conclaude: the mod ${
    mods.map(modText).join("; ")
  }. It can answer tools so that no rule is asked: ` +
    "`sudo conclaude install-hooks --managed` installs hooks that are asked first.";
}
