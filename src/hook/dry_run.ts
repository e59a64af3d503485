/** Tries a hook event: tells what a hook would answer and what every rule says, without doing or writing anything. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { plain } from "../base/plain.ts";
import { SHELL_TOOLS } from "../claude/payload.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { type Environment, readAll } from "../system/environment.ts";
import { type AskedUse, unreadText } from "../policy/guards/judge_use.ts";
import type { Keeping } from "../policy/guards/lift.ts";
import { groundOf, UNKEPT, UNKNOWN_BRANCH } from "../policy/requirements/ground.ts";
import type { Asked, JudgedUse } from "../policy/requirements/tool_requirements.ts";
import { lookUpwards, repositoryAt } from "../system/git/repository.ts";
import {
  permissionSayings,
  type Saying,
  sayingsOf,
  stopRulesOf,
} from "../policy/guards/single_rules.ts";
import { policiesIn } from "../policy/policies.ts";
import type { Decision } from "../policy/decision.ts";
import type { GuardPolicy, Verdict, WhenBlind } from "../policy/guards/guard_policy.ts";
import type { Requirement } from "../policy/requirements/requirement_policy.ts";
import { mayBeOpen } from "../policy/requirements/standing.ts";
import { reasonOf, triggersText } from "../policy/requirements/requirement_text.ts";
import { type Doubt, triggeredBy } from "../policy/requirements/trigger_match.ts";
import { normalizeSessionId, processNumber, UNKNOWN_SESSION_ID } from "../base/ids.ts";
import type { CliContext } from "../operations/context.ts";
import { peek } from "../operations/look_as_hook.ts";
import { HANDLERS } from "./handle.ts";
import type { Answer, HookWork } from "./handler.ts";
import { askedUse } from "./pre_tool_use.ts";
import { folderOf, type Input, readInput, toEvent, transcriptOf } from "./protocol.ts";

/** An event that was read and is not handled yet. */
export type TriedEvent = Awaited<ReturnType<typeof eventOf>>;

/** The events that the rules for tools judge. */
const JUDGED: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest"]);

/** Events whose handlers only look and record. Trying another event would do something. */
const LOOKING = [...JUDGED, "PostToolUse", "PostToolUseFailure", "SessionStart"];

/** Reads the event from stdin. @param name The name on the command line, as for a hook. */
export async function eventOnStdin(
  name: string | undefined,
  at: { readonly home: string | null; readonly environment: Environment },
): Promise<TriedEvent> {
  const input = await readInput(readAll(at.environment.stdin));
  const folder = input.kind === "event" ? folderOf(input.fields) : null;
  const projectDir = at.environment.variable("CLAUDE_PROJECT_DIR") ?? folder;
  return await eventOf(input, name, { ...at, projectDir });
}

/** Makes an event as Claude Code would send it. @param name Wins over the name in the input. */
export async function eventOf(
  input: Input,
  name: string | undefined,
  { home, environment, projectDir }: Pick<HookWork, "home" | "environment" | "projectDir">,
) {
  const sent = input.kind === "event" ? input.fields : {};
  const event = toEvent(sent, name);
  const looks = projectDir === null ? [] : lookUpwards(projectDir);
  const at = {
    environment,
    sent,
    isInputCut: input.cutBytes > 0,
    home,
    projectDir,
    repository: repositoryAt(folderOf(sent), { projectDir, looks }),
  };
  return {
    ...at,
    event,
    text: input.text,
    problem: input.kind === "unreadable" ? input.problem : null,
    sessionId: event.sessionId ??
      normalizeSessionId(environment.variable("CLAUDE_CODE_SESSION_ID")) ?? UNKNOWN_SESSION_ID,
    /** The tool use that the rules judge; null for an event without one. */
    use: JUDGED.has(event.name) ? await askedUse(at) : null,
  };
}

export type Trial = Awaited<ReturnType<typeof tryEvent>>;

/**
 * Tries an event with the configuration and database that a hook in a folder would find.
 * @param makeEvent `db` is null when a hook could not read it, `policy` when there is none.
 */
export async function tryEvent(
  context: CliContext,
  folder: string,
  makeEvent: (
    db: DatabaseSync | null,
    policy: GuardPolicy | null,
  ) => TriedEvent | Promise<TriedEvent>,
) {
  const { locations } = context;
  const { found } = await peek(context, folder, async (db, config, { policy, places }) => {
    const tried = await makeEvent(db, policy);
    const { answer, decision } = await answerTo(tried, { ...places, config, db, locations });
    return { tried, config, answer, ...explained(tried, decision, { policy, config }) };
  });
  const output = Object(found.answer?.["hookSpecificOutput"]);
  const behavior = output.permissionDecision ?? output.decision?.behavior;
  const decision = behavior === "deny" || behavior === "allow" ? behavior : null;
  return {
    ...found,
    /** The answer about a tool use; null when there is none. */
    decision,
    /** Whether the use is allowed only because a person has lifted the rules that forbid it. */
    isLifted: decision !== "deny" && found.verdict.blocks.length > 0,
  };
}

/** Returns the hook's answer to the event; undefined when only handling the event can show it. */
async function answerTo(
  tried: TriedEvent,
  at: Pick<HookWork, "config" | "configFiles" | "database" | "db" | "locations">,
): Promise<{ readonly answer: Answer | undefined; readonly decision?: Decision | undefined }> {
  if (tried.problem !== null) return { answer: null };
  const { name } = tried.event;
  if (!LOOKING.includes(name)) return { answer: undefined };
  const notices: string[] = [];
  let decision: Decision | undefined;
  const { db } = at;
  const work: HookWork = {
    ...at,
    ...tried,
    maskedText: () => tried.text,
    cutBytes: 0,
    atMs: tried.environment.now(),
    transcriptPath: transcriptOf(tried.sent),
    shownProjectDir: tried.projectDir,
    hide: (path) => path,
    claudePid: processNumber(tried.environment.variable("CLAUDE_PID")),
    // Nothing is stored, so handlers need not prepare content for it.
    keepsContent: false,
    mask: (texts) => Promise.resolve(texts),
    exclusion: () => Promise.resolve(null),
    notices,
    saved: null,
    isTwin: false,
    fault: db === null ? "it cannot be read" : null,
    tell: (notice) => void notices.push(notice),
    saveBeside: () => {},
    save(draft) {
      // A draft that is a function decides while it runs, so it must run.
      if (typeof draft === "function") draft(db);
      return Promise.resolve();
    },
    spareDb: () => db,
    decided: (one) => void (decision = one),
  };
  const answer = await (await HANDLERS.get(name)!()).handle(work);
  const message = notices.length === 0 ? {} : { systemMessage: notices.join("\n") };
  return {
    answer: answer === null && notices.length === 0 ? null : { ...answer, ...message },
    decision,
  };
}

interface Place {
  readonly policy: GuardPolicy | null;
  readonly config: HookConfig;
}

/** Tells what every rule and requirement says of an event's tool use, according to the hook's decision. */
function explained(
  { event, use, repository }: TriedEvent,
  decision: Decision | undefined,
  at: Place,
): { readonly verdict: Verdict; readonly sayings: readonly Saying[] } {
  const { guards = null, found = [] } = decision ?? {};
  const verdict: Verdict = { doubts: [], ...guards, blocks: found };
  if (use === null) return { verdict, sayings: [] };
  const { policy } = at;
  const isRequest = event.name === "PermissionRequest";
  const required = isRequest
    ? []
    : explainRequirements({ tool: use.tool, repository }, decision, at);
  const forbidding = required.filter(({ says }) => says === "forbids")
    .map(({ rule, why }) => ({ rule, reason: why }));
  return {
    verdict: { ...verdict, blocks: [...found, ...forbidding] },
    sayings: [
      ...policy === null ? [] : sayingsOf(policy, verdict, use),
      ...policy !== null && isRequest ? permissionSayings(policy, use.tool) : [],
      ...required,
    ],
  };
}

/** Returns what decides: rules that forbid or cannot tell; when there are none, rules that allow. */
export function decidingOf<One extends Saying>(sayings: readonly One[]): readonly One[] {
  const saying = (what: Saying["says"]) => sayings.filter(({ says }) => says === what);
  const against = [...saying("forbids"), ...saying("cannot tell")];
  return against.length > 0 ? against : saying("allows");
}

/**
 * Returns a line for each deciding rule, then what is unknown. @param how `all`: adds lines for the other rules.
 * `placeOf`: words where a rule stands that forbids or allows.
 */
export function explanationText(
  { verdict, sayings }: Pick<Trial, "verdict" | "sayings">,
  { all, placeOf }: { readonly all: boolean; readonly placeOf?: (rule: string) => string },
): string {
  const deciding = decidingOf(sayings);
  const others = sayings.filter((one) => !deciding.includes(one));
  const width = Math.max(0, ...(all ? sayings : deciding).map(({ rule }) => rule.length));
  const lineOf = ({ rule, says, why }: Saying) => plain(`${rule.padEnd(width)}  ${says}  ${why}`);
  const unsure = [
    ...(verdict.blind === undefined ? [] : [`  not known: ${verdict.blind}`]),
    ...(verdict.unread === undefined ? [] : [`  a person is asked: ${unreadText(verdict.unread)}`]),
    ...verdict.doubts.map((doubt) => `  in doubt: ${doubt}`),
  ];
  return [
    ...deciding.flatMap((one) => [
      lineOf(one),
      ...placeOf === undefined || one.says === "cannot tell" ? [] : [`  ${placeOf(one.rule)}`],
    ]),
    ...unsure,
    ...all
      ? others.map(lineOf)
      : others.length === 0
      ? []
      : [`${count(others.length, "rule decides", "rules decide")} nothing here: --all shows them.`],
  ].join("\n");
}

/** Returns the names of what a stop would run or ask. The answer itself is not known before. */
export function stopText(config: HookConfig): string[] {
  const { stop, requirements: required } = policiesIn(config);
  const lines = [
    ...stopRulesOf(stop).map(({ name, glob }) => plain(`${name}  ${glob}`)),
    ...(required?.requirements ?? []).map(({ name, triggers }) =>
      plain(`requirements.${name}  asked after ${triggersText(triggers)}`)
    ),
  ];
  return lines.length === 0
    ? ["Nothing would be run or asked."]
    : ["It would run and ask:", ...lines];
}

function explainRequirements(
  { tool, repository }: Pick<AskedUse, "tool"> & Pick<TriedEvent, "repository">,
  decision: Decision | undefined,
  { policy, config }: Place,
): Saying[] {
  const { asked = NOTHING_ASKED, notes, paused } = decision?.required ?? {};
  const { judged, untold, doubts, keeping } = asked;
  const whenBlind = policy?.whenBlind ?? "allow";
  const ground = groundOf(repository);
  const whyNot = keeping === "off" && whenBlind === "allow"
    ? UNKEPT.why
    : asked !== NOTHING_ASKED
    ? null
    : notes?.["requirements"] ?? (ground.kind === "none" ? ground.why : null);
  const say = (requirement: Requirement): Said => {
    const held = decision?.found.find(({ rule }) => rule === `requirements.${requirement.name}`);
    if (held !== undefined) return ["forbids", held.reason];
    if (whyNot !== null) return ["allows", `it does not count: ${whyNot}`];
    if (untold.includes(requirement)) {
      return [whenBlind === "deny" ? "forbids" : "cannot tell", UNKNOWN_BRANCH];
    }
    const parts = judged.filter(({ triggered }) => triggered.includes(requirement))
      .map((part) => standing(requirement, part, { keeping, whenBlind }));
    const said = parts.find(([says]) => says === "forbids") ??
      parts.find(([says]) => says === "cannot tell") ?? parts[0] ??
      unmatched(requirement, tool, doubts);
    return said[0] === "forbids" && paused ? ["allows", `paused; else: ${said[1]}`] : said;
  };
  return (policiesIn(config).requirements?.requirements ?? []).map((requirement): Saying => {
    const [says, why] = say(requirement);
    return { rule: `requirements.${requirement.name}`, glob: "", says, why };
  });
}

type Said = readonly [says: Saying["says"], why: string];

const NOTHING_ASKED: Asked = { judged: [], untold: [], doubts: [], keeping: "lasting" };

/** Returns what a requirement says of a tool use to which it applies. */
function standing(
  requirement: Requirement,
  { open, judged, facts, to }: JudgedUse,
  { keeping, whenBlind }: { readonly keeping: Keeping; readonly whenBlind: WhenBlind },
): Said {
  if (requirement.stopOnly) return ["allows", "it is asked when Claude stops"];
  if (keeping !== "lasting") {
    if (mayBeOpen([requirement], facts).length === 0) return MET;
    const why = keeping === "off" ? UNKEPT.why : "what has been satisfied cannot be read";
    return whenBlind === "deny"
      ? ["forbids", `whether it is satisfied cannot be known: ${why}`]
      : ["cannot tell", why];
  }
  const one = judged.find((one) => one.requirement === requirement)!;
  if (open.includes(one)) return ["forbids", reasonOf(one, to)];
  if (one.status === "unknown") return ["allows", `it cannot be known: ${reasonOf(one, to)}`];
  if (one.by === undefined) return MET;
  const { satisfiedBy, unproven } = one.by;
  const doubt = unproven === undefined ? "" : `, unproven: ${unproven.why}`;
  return ["allows", `satisfied by ${satisfiedBy}${doubt}`];
}

const MET: Said = ["allows", "its condition is met"];

/** Returns what is said of a requirement that does not apply to the tool use. */
function unmatched(requirement: Requirement, tool: string, doubts: readonly Doubt[]): Said {
  const doubt = doubts.find((one) => one.requirement === requirement);
  if (doubt !== undefined) return ["cannot tell", doubt.why];
  const isPlan = !SHELL_TOOLS.has(tool) &&
    triggeredBy([requirement], { tool, commands: [], changesFiles: false }).length > 0;
  const why = isPlan ? "plans are free" : `it is about ${triggersText(requirement.triggers)}`;
  return ["does not match", why];
}
