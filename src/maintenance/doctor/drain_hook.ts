/** Whether what happened is worked into memory after each turn, and whether nobody waits for that. */
import { DRAIN_EVENT } from "../../settings/hooks.ts";
import { type Finding, warn } from "../check.ts";
import { installLine } from "./install_line.ts";
import type { SettingsLook } from "./settings_look.ts";

/** A Stop of an older installation has no drain beside it. Those of all files run, so one of them is enough. */
export function missingDrain(looks: readonly SettingsLook[]): Finding[] {
  const widest = looks.findLast(({ entries }) =>
    entries.some(({ event, role }) => event === DRAIN_EVENT && role === "event")
  );
  const drains = looks.flatMap(({ entries, wrapped }) => [...entries, ...wrapped])
    .filter(({ event, role }) => event === DRAIN_EVENT && role === "drain");
  if (widest === undefined || drains.length > 0) return [];
  return [warn(
    `${widest.path} has no drain beside the hook for ${DRAIN_EVENT}: ` +
      "memory is then only worked in at the end of a session",
    installLine(widest.flags, widest.entries),
  )];
}

/** Where somebody has taken its `async` away. */
export function waitedDrain(looks: readonly SettingsLook[]): Finding[] {
  return looks.flatMap(({ path, flags, entries }) =>
    entries.some(({ role, async }) => role === "drain" && !async)
      ? [warn(
        `the drain in ${path} is waited for at the end of each turn: it is not \`async\``,
        installLine(flags, entries),
      )]
      : []
  );
}
