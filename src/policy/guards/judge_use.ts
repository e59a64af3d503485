/** Judges a tool use by the guards' rules. Parses a shell command only if a rule could concern it. */
import {
  commandOf,
  EDITING_TOOLS,
  filesNamed,
  SEARCHING_TOOLS,
  SHELL_TOOLS,
} from "../../claude/payload.ts";
import type { Environment } from "../../system/environment.ts";
import { isRootAddition, judgeChange, judgeFile, judgeNameless, judgeOwn } from "./file_rules.ts";
import {
  type Actor,
  type Block,
  type GuardPolicy,
  namesTools,
  ROOT_RULE,
  STRICT_RULE,
  type Verdict,
} from "./guard_policy.ts";
import { type HeldPath, mayWriteFiles, pathsInInput, splitInput } from "./mcp_files.ts";
import { mayNameOwn, textAfter } from "./protected.ts";
import type { GitAliases } from "../shell/git_verbs.ts";
import { mayChange } from "../shell/quick_look.ts";
import { textOfCall } from "../shell/script_listing.ts";
import WORDS from "./words.json" with { type: "json" };
import type { FileFacts, Judge, Look, OwnFile } from "./types.ts";
import { counterparts } from "../../system/git/working_trees.ts";
import { RealPaths } from "../../system/real_paths.ts";
import { factsOf, fullPath, type Ground } from "../files/file_lookup.ts";
import { ownFiles, type OwnPlaces } from "../files/own_files.ts";

/** A tool use that is about to happen, as Claude Code sent it. It may hold secrets, so nothing here stores it. */
export interface AskedUse extends Actor {
  readonly tool: string;
  readonly input: unknown;
  /** True where the input was too long, so that it was cut. */
  readonly isCut?: true;
  /** Where a relative path starts; null when unknown. */
  readonly folder: string | null;
  readonly projectDir: string | null;
  readonly home: string | null;
  readonly gitAliases: GitAliases;
  readonly environment: Environment;
}

/** If both match, git may restore the files of a folder. One pattern for both would take quadratic time. */
const SIGNS_OF_GIT = [/\bgit\b/i, /\b(?:checkout|restore|stash|reset|switch)\b/];

/** How many files are read for a generated-file marker; each costs 30 µs or more. */
const MAX_HEADS = 5_000;

const TO_MEND = "Until a person has corrected that, nothing of them is known; " +
  "`conclaude config validate` shows what is wrong.";

const MAX_DOUBTS = 50;
const MAX_REASON_CHARS = 1_500;
const REASON_END_CHARS = 300;

const NOTHING: Verdict = { blocks: [], doubts: [] };

/** Judges a tool use. A command that a tool of an MCP server runs is also judged as a command of Bash. */
export async function judgeUse(
  policy: GuardPolicy,
  use: AskedUse,
  places: OwnPlaces,
): Promise<Verdict> {
  const verdict = await judgeAsNamed(policy, use, places);
  const { command } = splitInput(use.tool, use.input);
  if (command === null) return verdict;
  const asShell = await judgeAsNamed(policy, { ...use, tool: "Bash", input: { command } }, places);
  return {
    ...asShell,
    ...verdict,
    blocks: [...verdict.blocks, ...asShell.blocks],
    doubts: [...verdict.doubts, ...asShell.doubts],
  };
}

/** Judges a tool use under its own name. A strict policy denies a use whose effect only shows when it runs. */
async function judgeAsNamed(
  policy: GuardPolicy,
  use: AskedUse,
  places: OwnPlaces,
): Promise<Verdict> {
  const { tool, agents, folder, home, gitAliases } = use;
  if (policy.lock !== null && !LOOKING_TOOLS.has(tool)) {
    return { ...NOTHING, blind: `the rules cannot be read: ${policy.lock}. ${TO_MEND}` };
  }
  const root = policy.root ?? use.projectDir;
  const writes = SHELL_TOOLS.has(tool) || EDITING_TOOLS.has(tool) || mayWriteFiles(tool);
  // Only rules that name tools concern a tool that reads.
  if (!writes && !policy.rules.some(namesTools) && !use.isCut) return NOTHING;
  const keepsOwn = policy.protectsItself || policy.protectsOtherTrees;
  let otherRoots: readonly string[] | undefined = root === null || places.repository === undefined
    ? []
    : undefined;
  let own: readonly OwnFile[] | undefined = keepsOwn && writes ? undefined : [];
  const paths = new RealPaths();
  const ground: Ground = {
    root,
    folder,
    home,
    heads: policy.protectsGenerated ? { left: MAX_HEADS } : null,
    own: () => own ??= ownFiles(places, { ...use, ...policy }),
    otherRoots: () => otherRoots ??= counterparts(paths.real(root!), places.repository!.commonDir),
    paths,
    hardLinks: { met: new Set(), protected: new Map() },
  };
  const command = SHELL_TOOLS.has(tool) ? commandOf(use.input) : null;
  const callsAlias = gitAliases.size > 0;
  // The quick look knows only the words of the POSIX shell.
  const isPlain = tool !== "PowerShell" && !callsAlias && !use.isCut;
  if (command !== null && isPlain && !mayConcernCommands(policy, command, folder)) return NOTHING;
  const { judge, beginLooking } = command === null
    ? judgerOfTool(policy, use, ground)
    : await (await import("../files/shell_lookup.ts"))
      .judgerOfShell(policy, { tool, command, agents, folder, home, root, gitAliases }, ground);
  const asksAll = policy.protectsIgnored && (command !== null || EDITING_TOOLS.has(tool));
  const asksAbout = (file: FileFacts) =>
    asksAll ? file.effect !== "tamper" : isRootAddition(policy, file);
  const mayRestore = command !== null &&
    (callsAlias || SIGNS_OF_GIT.every((sign) => sign.test(command)));
  const judged = async () => {
    const plain = asksAll || mayRestore ? null : judge(beginLooking());
    // Git does not start for a use that passes without it.
    return plain === null || plain.blocks.some(({ rule }) => rule === ROOT_RULE)
      ? await (await import("../files/with_git.ts"))
        .judgeWithGit({ judge, beginLooking }, asksAbout, use.environment)
      : plain;
  };
  let verdict = await judged();
  if (ground.hardLinks.met.size > 0 && root !== null) {
    const { protectedLinks } = await import("../effects/watched.ts");
    ground.hardLinks.protected = await protectedLinks(policy, ground.own(), {
      ...places,
      roots: [root],
    });
    if (ground.hardLinks.protected.size > 0) verdict = await judged();
  }
  const discarding = (verdict.discards ?? []).length === 0
    ? []
    : await (await import("./dangerous.ts")).judgeDiscards(verdict.discards!);
  const blocks = eachOnce([...verdict.blocks, ...discarding]).map((block) => ({
    ...block,
    reason: shortened(block.reason),
  }));
  const doubts = verdict.doubts.slice(0, MAX_DOUBTS).map(shortened);
  const unread = verdict.unread ?? (use.isCut ? "it is too large to be read" : undefined);
  const lenient = { blocks, doubts, ...(unread === undefined ? {} : { unread }) };
  const why = unread !== undefined
    ? unreadText(unread)
    : `only when it runs can be known what it does (${doubts.join("; ")}).` +
      (command === null ? "" : " Write the command out plainly.");
  if (!policy.isStrict || (unread === undefined && doubts.length === 0)) return lenient;
  const reason = shortened(`Blocked ${tool} operation: ${why}`);
  return { ...lenient, blocks: [...blocks, { rule: STRICT_RULE, reason }] };
}

/** Keeps one block for each rule and what it says, since several commands of a line may break the rule alike. */
function eachOnce(blocks: readonly Block[]): Block[] {
  const keyOf = ({ rule, reason }: Block) => rule + reason.split(". Command:", 1)[0];
  return Array.from(Map.groupBy(blocks, keyOf).values(), ([first]) => first!);
}

/** Tools that only look, ask, take notes, or start a subagent, whose own tool uses are judged one by one. */
const LOOKING_TOOLS: ReadonlySet<string> = new Set(WORDS.lookingTools);

/**
 * Tells whether a rule could concern a command, which must then be parsed. Ignores quotes, which the shell removes. A
 * call that only runs a script of package.json changes what the script changes.
 */
export function mayConcernCommands(
  { rules, protectsItself }: GuardPolicy,
  command: string,
  folder: string | null,
): boolean {
  const called = textOfCall(command, folder);
  const [plain, changing] = [`${command} ${called ?? ""}`, called ?? command]
    .map((text) => text.replace(/\\\n|['"\\]/g, "").replaceAll("\n", " ")) as [string, string];
  if (mayChange(changing) || (protectsItself && mayNameOwn(plain))) return true;
  return rules.some(({ about, action, needle, programs }) =>
    about === "command"
      ? action === "allow" || programs.some((name) => plain.includes(name))
      // A command that names a file contains the last plain part of the file's pattern.
      : action === "block" &&
        plain.includes(needle.split("/").findLast((part) => part !== "") ?? "")
  );
}

export function unreadText(unread: string): string {
  return `what it does was not judged to its end, for ${unread}. Split it into smaller ones.`;
}

/** Cuts the middle out of a long reason, which may quote a command or a name. */
function shortened(reason: string): string {
  const left = reason.length - MAX_REASON_CHARS;
  if (left <= 0) return reason;
  return `${reason.slice(0, -left - REASON_END_CHARS)}… (${left} characters) …` +
    reason.slice(-REASON_END_CHARS);
}

function judgerOfTool(
  policy: GuardPolicy,
  { tool, agents, input }: AskedUse,
  ground: Ground,
): Judge {
  const actor = { tool, agents };
  const files = filesNamed(tool, input);
  const written = EDITING_TOOLS.has(tool) ? textAfter(tool, input) ?? "unknown" : null;
  const held = mayWriteFiles(tool) ? pathsInInput(splitInput(tool, input).rest) : [];
  // A searched path may be a folder, so its contents count.
  const effect = SEARCHING_TOOLS.has(tool) ? "fill" : "change";
  return {
    judge: (look) => ({
      blocks: [
        ...files.length === 0 ? judgeNameless(policy, actor) : files
          .flatMap((path) => look(path, { effect, isFolder: false }).files)
          .flatMap((file) => judgeFile(policy, file, { ...actor, written })),
        ...judgeHeld(policy, held ?? [], { ...actor, look }),
      ],
      doubts: [],
      ...held === null ? { unread: "its input holds more texts than can be looked up" } : {},
    }),
    beginLooking: () => (path, how) => {
      const place = { path: fullPath(path, ground), from: null };
      return { files: [factsOf(place, how, ground)], unknown: [] };
    },
  };
}

/** Judges the files that a tool of an MCP server may write. A text that may be prose counts only if its file exists. */
function judgeHeld(
  policy: GuardPolicy,
  held: readonly HeldPath[],
  { look, ...by }: Pick<AskedUse, "tool" | "agents"> & { readonly look: Look },
): Block[] {
  return held.flatMap(({ path, mayBeProse }) =>
    look(path, { effect: "change", isFolder: false }).files
      .filter(({ exists }) => exists || !mayBeProse)
  ).flatMap((file) => [
    ...judgeOwn(policy, file, { ...by, written: "unknown" }),
    ...judgeChange(policy, file, by).filter(({ rule }) => rule !== ROOT_RULE),
  ]);
}
