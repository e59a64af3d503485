/** Notices after a tool use that no gate judged it, or that it ran although a gate had denied it. */
import { gateOf } from "../db/executions.ts";
import { isAlwaysAsked } from "../claude/settings/lanes.ts";
import { hasWrittenRules } from "../config/discover.ts";
import { quietly } from "../base/errors.ts";
import type { Draft, HookWork } from "./handler.ts";

/** How far back the start of a tool use is searched, in milliseconds. */
const LOOKED_BACK_MS = 86_400_000;

/** Makes the audit note of a tool use that went past its gate; empty for any other use. */
export async function gateNote(work: HookWork): Promise<Pick<Draft, "metadata" | "counters">> {
  const { db, config, event, sessionId, atMs, projectDir } = work;
  const { toolUseId } = event;
  if (db === null || !hasWrittenRules(config) || toolUseId === null || projectDir === null) {
    return {};
  }
  const use = { sessionId, toolUseId, sinceMs: atMs - LOOKED_BACK_MS };
  const gate = quietly(() => gateOf(db, use)) ?? "unknown";
  if (gate === "unknown" || gate === "passed") return {};
  const tool = event.toolName ?? "a tool";
  if (gate === "none" && !mayBeAsked(tool, config)) return {};
  const { hadNoAnswer, wasArmed } = await import("./unheard_uses.ts");
  if (gate === "none") {
    const beganMs = atMs - (Number(event.own["duration_ms"]) || 0);
    if (!wasArmed(work, tool, beganMs)) return {};
    if (hadNoAnswer(work.transcriptPath, toolUseId)) {
      return { metadata: { gate: "no answer" } };
    }
  }
  const what = gate === "denied" ? "ran although a rule denied it" : "ran without asking a gate";
  work.tell(
    `conclaude: ${tool} ${what}. A mod of a plugin may have answered in its place: \`conclaude doctor\` names ` +
      "mods, and `sudo conclaude install-hooks --managed` lets none of them go round.",
  );
  const { PAST_GATE } = await import("../db/past_gates.ts");
  return {
    metadata: { gate: gate === "denied" ? "denied but ran" : "not asked" },
    counters: [PAST_GATE],
  };
}

/** Tells quickly whether a gate may have been asked. Most uses without a gate only look at something. */
function mayBeAsked(tool: string, { guards, requiredUses }: HookWork["config"]): boolean {
  return isAlwaysAsked(tool) || requiredUses.tools.some((name) => name === tool || name === "*") ||
    guards.includes(`"tool":${JSON.stringify(tool)}`) ||
    /"tool":"\*"|"toolPattern":"/.test(guards);
}
