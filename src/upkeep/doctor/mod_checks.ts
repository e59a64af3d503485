/** Names the mods that can bypass the gates, and counts the tool uses that did. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../../base/counts.ts";
import { joinPath } from "../../base/paths.ts";
import { daysMs } from "../../base/time.ts";
import { findMods, modText } from "../../claude/mods.ts";
import { lookAtSettings } from "../../claude/settings/installed_hooks.ts";
import { isManagedFile } from "../../claude/settings/settings_place.ts";
import { commandLine } from "../../claude/settings/hooks.ts";
import { countPastGates } from "../../db/executions.ts";
import { type Finding, ok, warn } from "../care/check.ts";
import type { DoctorPlace } from "./place.ts";

const MANAGE = `sudo ${commandLine("install-hooks", ["--managed"])}`;

export function lookAtMods(place: DoctorPlace): Finding[] {
  const { claudeFolder, projectDir, locations: { home } } = place;
  const clientFolder = claudeFolder ?? (home && joinPath(home, ".claude"));
  const mods = findMods({ clientFolder: clientFolder ?? null, projectDir });
  if (mods.length === 0) return [ok("no mods: no plugin's code runs inside Claude Code here")];
  const isManaged = lookAtSettings(place).some((look) =>
    isManagedFile(look.path) && look.entries.some(({ event }) => event === "PreToolUse")
  );
  return mods.map((mod) => {
    if (mod.listens.length === 0) return ok(`${mod.name} (${mod.folder}) listens to no tool`);
    return isManaged
      ? ok(`${modText(mod)}; the machine's hooks are asked first`)
      : warn(`${modText(mod)}: it can answer a tool so that no rule is asked`, MANAGE);
  });
}

export function askAboutGates(db: DatabaseSync, { nowMs }: DoctorPlace): Finding[] {
  const past = countPastGates(db, nowMs - daysMs(1));
  return past === 0 ? [] : [warn(
    `${
      count(past, "tool use")
    } of the last 24 hours ran without asking a gate, or although one denied it`,
    `${commandLine("audit", ["list", "--hook", "PostToolUse"])}; ${MANAGE}`,
  )];
}
