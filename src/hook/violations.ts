/** Finds what was changed without being allowed, at the events of a tool use and at a stop. */
import { messageOf } from "../base/errors.ts";
import { commandOf, SHELL_TOOLS } from "../claude/payload.ts";
import { type Effects, lookForEffects } from "../policy/effects/effects.ts";
import type { Moment, Violation } from "../policy/effects/types.ts";
import type { Block } from "../policy/guards/guard_policy.ts";
import type { AskedUse } from "../policy/guards/judge_use.ts";
import { mayWriteFiles } from "../policy/guards/mcp_files.ts";
import { isPaused, type RequirementSaying } from "../policy/store.ts";
import type { Answer, HookWork } from "./handler.ts";
import { isLifted } from "./lifted.ts";
import { goesOn } from "./protocol.ts";

export interface EffectsFound {
  /** Notes for the audit trail. */
  readonly notes: Readonly<Record<string, unknown>>;
  /** The text for Claude; empty when nothing was found. */
  readonly text: string;
  /** Whether Claude may not go on as if nothing had happened. */
  readonly blocks: boolean;
  /** Whether the command is the one that undoes an open violation of this session. */
  readonly isUndo: boolean;
  /** The open violations of this session. */
  readonly open: readonly Violation[];
}

const NOTHING: EffectsFound = { notes: {}, text: "", blocks: false, isUndo: false, open: [] };

/** Looks for effects before and after a shell command, or a use of another tool that may write files unseen. */
export async function effectsOf(work: HookWork, is: "before" | "after"): Promise<EffectsFound> {
  const tool = work.event.toolName ?? "";
  if (!SHELL_TOOLS.has(tool) && !mayWriteFiles(tool)) return NOTHING;
  const text = commandOf(work.sent["tool_input"]) ?? "";
  const { toolUseId } = work.event;
  const { found, open, unwatched, notes } = await look(work, { is, toolUseId, command: text });
  if (unwatched > 0 && is === "before" && found.length > 0) {
    work.tell(`conclaude: ${unwatched} more protected files are not watched.`);
  }
  const policy = found.filter(({ kind }) => kind === "policy").map(({ name }) => name);
  if (policy.length > 0) {
    const [names] = await work.mask([policy.join(", ")]);
    work.tell(
      `conclaude: ${names} changed while this session is active. If you did it: \`conclaude config accept\`.`,
    );
  }
  const { foundText } = found.length === 0 ? {} : await import("../policy/effects/effect_text.ts");
  return {
    notes: is === "after" && await mayGoOn(text, work) ? { ...notes, goesOn: true } : notes,
    text: foundText === undefined ? "" : (await work.mask([foundText(found)]))[0]!,
    blocks: is === "after" && found.some(({ blocks }) => blocks),
    isUndo: open.some(({ undo }) => undo !== null && undo === text.trim()),
    open,
  };
}

/** Matches a single `&`, and programs that run something later. */
const MAY_DETACH =
  /(?<![&>|])&(?![&>])|\b(?:at|batch|crontab|systemd-run|screen|tmux|setsid|daemonize)\b/;

/** Tells whether a command goes on in the background, or leaves something running without Claude Code telling it. */
async function mayGoOn(
  command: string,
  { sent, config, projectDir, home }: HookWork,
): Promise<boolean> {
  if (goesOn(sent["tool_response"])) return true;
  if (config.requirements === "" || !MAY_DETACH.test(command)) return false;
  const { readShellUse } = await import("../policy/files/shell_lookup.ts");
  return (await readShellUse(command, { folder: projectDir, home })).leavesRunning;
}

/** Returns what holds a stop. Tells the person of what does not hold it. */
export async function effectsAtStop(
  work: HookWork,
): Promise<Pick<RequirementSaying, "reason" | "rules" | "notes">> {
  const { open, notes } = await look(work, { is: "stop" });
  if (open.length === 0) return { reason: "", rules: [], notes };
  const { heldText, openText } = await import("../policy/effects/effect_text.ts");
  const holding = open.filter(({ blocks }) => blocks);
  const told = open.filter(({ blocks, who }) => !blocks && who === "command");
  if (told.length > 0) work.tell((await work.mask([openText(told)]))[0]!);
  if (holding.length === 0) return { reason: "", rules: [], notes };
  const [reason = ""] = await work.mask([heldText(holding)]);
  return { reason, rules: [...new Set(holding.map(({ rule }) => rule))], notes };
}

async function look(
  work: HookWork,
  moment: Moment,
): Promise<Effects & { readonly notes: EffectsFound["notes"] }> {
  try {
    const effects = await lookForEffects(work, moment, () => isLifted(work));
    return {
      ...effects,
      notes: effects.found.length === 0 ? {} : await noted(work, effects.found),
    };
  } catch (thrown) {
    // A failed comparison holds nothing, but the audit trail notes it.
    const notes = { effectsUnknown: messageOf(thrown) };
    return { found: [], open: [], unwatched: 0, notes };
  }
}

async function noted(work: HookWork, found: readonly Violation[]) {
  const names = await work.mask(found.map(({ name }) => name));
  const violated = found.map(({ rule, kind, who }, i) => ({ name: names[i], rule, kind, who }));
  return { violated };
}

/** Returns the rule that denies a push of commits that bypassed a requirement; none when nothing is pushed. */
export async function pushBlocks(
  { sessionId, atMs, db, mask }: HookWork,
  open: readonly Violation[],
  use: AskedUse,
): Promise<Block[]> {
  if (open.length === 0 || db === null) return [];
  const { heldBack } = await import("../policy/effects/unreviewed.ts");
  const commits = await heldBack(open, use);
  if (commits.length === 0 || isPaused(db, { sessionId, subject: "requirements", atMs })) return [];
  const { pushText } = await import("../policy/effects/effect_text.ts");
  const [reason = ""] = await mask([pushText(commits)]);
  return [{ rule: commits[0]!.rule, reason }];
}

/** Adds a text for Claude to an answer. */
export function withContext(answer: Answer, event: string, text: string): Answer {
  if (text === "") return answer;
  const own = Object(answer?.["hookSpecificOutput"]);
  const context = [own.additionalContext ?? "", text].filter((part) => part !== "").join("\n\n");
  return {
    ...answer,
    hookSpecificOutput: { hookEventName: event, ...own, additionalContext: context },
  };
}
