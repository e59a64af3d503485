/** Finds what was changed without being allowed, at the events of a tool use and at a stop. */
import { messageOf } from "../base/errors.ts";
import { commandOf, SHELL_TOOLS } from "../claude/payload.ts";
import { type Effects, lookForEffects } from "../policy/effects/effects.ts";
import type { Moment, Violation } from "../policy/effects/types.ts";
import type { AskedUse } from "../policy/guards/judge_use.ts";
import { type Block, guardPolicyIn } from "../policy/guards/guard_policy.ts";
import { mayWriteFiles } from "../policy/guards/mcp_files.ts";
import { isPaused, type RequirementSaying } from "../policy/store.ts";
import type { HookWork } from "./handler.ts";
import { isLifted } from "./lifted.ts";
import { goesOn } from "./protocol.ts";

const NOTHING = { notes: {}, text: "", blocks: false, isUndo: false, open: [], blind: undefined };

/**
 * Looks for effects before and after a shell command, or a use of another tool that may write files unseen.
 * @returns `text` for Claude, empty when nothing was found; `blocks`: Claude may not go on as if nothing had happened;
 * `isUndo`: the command undoes an open violation of the session; `open`: all of those; `blind`: why nobody can prove what
 * the command changes, when the gate must answer for that.
 */
export async function effectsOf(work: HookWork, is: "before" | "after") {
  const tool = work.event.toolName ?? "";
  if (!SHELL_TOOLS.has(tool) && !mayWriteFiles(tool)) return NOTHING;
  const text = commandOf(work.sent["tool_input"]) ?? "";
  const { toolUseId } = work.event;
  const looked = await look(work, { is, toolUseId, command: text });
  const { found, open, unwatched, notes } = looked;
  if (unwatched > 0 && is === "before" && await isFirst(work, "unwatched")) {
    work.tell(
      `conclaude: too many protected files: commands may change ${unwatched} of them unseen.`,
    );
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
    isUndo: open.some(({ undo }) => undo !== null && isAsTold(text.trim(), undo, work.event.cwd)),
    open,
    blind: is === "before" ? await blindOf(looked, text, work) : undefined,
  };
}

/**
 * Whether a command is the one told. It may say HEAD in place of the commit, since git knows that version, too, and
 * leave out the folder in which it runs.
 */
function isAsTold(command: string, undo: string, folder: string | null): boolean {
  const here = undo.replaceAll(` -C ${folder} `, " ").replaceAll(` -C '${folder}' `, " ");
  return [undo, here].some((told) =>
    command === told || command === told.replace(/ --source=[\da-f]{40,} /, " --source=HEAD ")
  );
}

/** Returns why a use cannot be proved afterwards; undefined if it can, if gates allow it, or if it only looks. */
async function blindOf(
  { blind }: Looked,
  command: string,
  { config, projectDir, home }: HookWork,
): Promise<string | undefined> {
  if (blind === undefined || config.guards === "") return undefined;
  if (guardPolicyIn(config.guards).whenBlind === "allow") return undefined;
  const { readCommand } = await import("../policy/files/shell_lookup.ts");
  const { isPlain } = await readCommand(command, { folder: projectDir, home });
  return isPlain ? undefined : blind;
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
  const { heldText, openText, unknownText } = await import("../policy/effects/effect_text.ts");
  const holding = open.filter(({ blocks }) => blocks);
  const told = open.filter(({ blocks }) => !blocks);
  const unknown = told.filter(({ who }) => who !== "command");
  // A change that perhaps nobody has to settle is named once.
  const isNew = unknown.length > 0 && await isFirst(work, `changed-${unknown.at(-1)!.id}`);
  const own = told.filter(({ who }) => who === "command");
  const lines = [...own.length > 0 ? [openText(own)] : [], ...isNew ? [unknownText(unknown)] : []];
  if (lines.length > 0) work.tell((await work.mask(lines)).join("\n"));
  if (holding.length === 0) return { reason: "", rules: [], notes };
  const [reason = ""] = await work.mask([heldText(holding)]);
  return { reason, rules: [...new Set(holding.map(({ rule }) => rule))], notes };
}

interface Looked extends Effects {
  /** Notes for the audit trail. */
  readonly notes: Readonly<Record<string, unknown>>;
  /** Why nothing could be compared. */
  readonly blind?: string;
}

async function look(work: HookWork, moment: Moment): Promise<Looked> {
  try {
    const effects = await lookForEffects(work, moment, () => isLifted(work));
    return {
      ...effects,
      notes: effects.found.length === 0 ? {} : await noted(work, effects.found),
    };
  } catch (thrown) {
    const { db, fault, database, decided } = work;
    const notes = { effectsUnknown: messageOf(thrown) };
    const nothing = { found: [], open: [], unwatched: 0, notes };
    // Trying an event may not write what a hook would write.
    if (decided !== undefined && db !== null) return nothing;
    const why = messageOf(db === null ? fault : thrown);
    const blind =
      `what commands change of protected files cannot be known, for ${database} does not tell how they were: ${why}`;
    // The database of another version is told of by the hook itself.
    const isToldOf = /Schema/.test(String(Object(fault).name));
    if (!isToldOf && await isFirst(work, "effects-unknown")) {
      work.tell(`conclaude: ${blind}. Run \`conclaude doctor\`.`);
    }
    return { ...nothing, blind };
  }
}

/** Tells whether a notice is the first on its subject in the session. Trying an event claims no notice. */
async function isFirst(
  { decided, sessionId, locations: { spoolFolders } }: HookWork,
  subject: string,
): Promise<boolean> {
  const { claimNotice } = await import("../system/log.ts");
  return decided !== undefined || claimNotice(subject, { sessionId, spoolFolders });
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
