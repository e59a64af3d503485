/** Notices after a tool use that no gate was asked about it, or that it ran although a gate had denied it. */
import { gateOf } from "../db/executions.ts";
import { quietly } from "../base/errors.ts";
import type { HookWork } from "./handler.ts";

/** A tool use that was begun longer ago is not looked for, in milliseconds. */
const LOOKED_BACK_MS = 86_400_000;

/** What is noted of a tool use that has gone past its gate; empty for any other. */
export async function gateNote(work: HookWork): Promise<Readonly<Record<string, unknown>>> {
  const { db, config, event, sessionId, atMs, projectDir } = work;
  const { toolUseId } = event;
  const isGuarded = config.guards !== "" || config.requirements !== "";
  if (db === null || !isGuarded || toolUseId === null || projectDir === null) return {};
  const asked = { sessionId, toolUseId, sinceMs: atMs - LOOKED_BACK_MS };
  const gate = quietly(() => gateOf(db, asked)) ?? "unknown";
  if (gate === "unknown" || gate === "passed") return {};
  if (gate === "none" && !await wasArmed(work, projectDir)) return {};
  const tool = event.toolName ?? "a tool";
  const what = gate === "denied" ? "ran although a rule denied it" : "ran without asking a gate";
  work.tell(
    `conclaude: ${tool} ${what}. A mod of a plugin may have answered in its place: \`conclaude doctor\` names ` +
      "mods, and `sudo conclaude install-hooks --managed` lets none of them go round.",
  );
  return { gate: gate === "denied" ? "denied but ran" : "not asked" };
}

/** Whether the gate would have been asked: its hook is installed, and no record of it waits elsewhere. */
async function wasArmed(work: HookWork, projectDir: string): Promise<boolean> {
  const [{ isArmedFor }, { spooledFiles }] = await Promise.all([
    import("../policy/armed_gates.ts"),
    import("../db/spool.ts"),
  ]);
  const { config, home, environment, database, locations } = work;
  const waiting = quietly(() => spooledFiles({ database, folders: locations.spoolFolders })) ?? [];
  return waiting.length === 0 && isArmedFor(config, { projectDir, home, environment });
}
