/** Collects what may need a person's care and which protections hold, and words the one line of `status` for each. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { quietly } from "../base/errors.ts";
import { emptyBeginning } from "../db/notes.ts";
import { spooledFiles } from "../db/spool.ts";
import { hasTeams } from "../db/team_outbox.ts";
import type { HooksHere } from "../policy/armed_gates.ts";
import { openViolations } from "../policy/store.ts";
import { fallbackDatabase } from "../system/environment.ts";
import { isThere } from "../system/on_disk.ts";
import type { BeganAnew, beganAnew } from "../upkeep/care/backup.ts";
import { countQueued } from "../work/store.ts";
import type { CliContext } from "./context.ts";
import { isDaemonHere } from "./daemon_here.ts";
import type { OpenStore, Place } from "./open_store.ts";
import { unarmedText } from "../claude/settings/armed.ts";
import { DEFAULT_HOOK_CONFIG } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { type Policies, policiesIn } from "../policy/policies.ts";
import { rulesOf, stopRulesOf } from "../policy/guards/single_rules.ts";

/** Collects what may need care. @param at `hooks`: the places where they are installed. */
export async function careOf(
  context: CliContext,
  { db, place }: OpenStore,
  { project, nowMs, hooks, protections }: {
    readonly project: string;
    readonly nowMs: number;
    readonly hooks: HooksHere["installed"];
    readonly protections: Protections;
  },
) {
  const { database, config: { problems, held } } = place;
  const { spoolFolders: folders } = context.locations;
  return {
    /** Set for two weeks after hooks began the database anew, because something had emptied its file. */
    beganAnew: await beginningOf(db, { database, locations: context.locations, nowMs }),
    /** The number of forbidden changes found afterwards that nobody has undone or accepted. */
    violations: openViolations(db, project).length,
    /** The changed files of the configuration that are not in force until a person accepts them. */
    held,
    daemon: {
      get running() {
        return isDaemonHere(context, place);
      },
    },
    /** How far the project lags behind its team; empty if it is not shared. */
    team: await teamOf(db, project, nowMs),
    /** The number of tasks that wait for the scheduler. */
    queued: countQueued(db),
    spool: { waiting: spooledFiles({ database, folders }).length },
    /** What hooks left in the temporary folder while the home could not be used; null if nothing. */
    fallback: await fallbackOf(context, place, nowMs),
    hooks,
    protections,
    problems,
  };
}

type Protections = ReturnType<typeof protectionsOf>;

export type Care = Awaited<ReturnType<typeof careOf>>;

/** Words what may need care, for `status` and `status --verbose`; null where all is well. */
export function careTexts({ beganAnew, violations, held, problems, fallback }: Care) {
  const list = "`conclaude config accept --dry-run`";
  return {
    beganAnew: beganAnew && `${beganAnew.text}: run \`${beganAnew.next}\``,
    violations: violations > 0 ? `${violations} open: ${list} lists them` : null,
    held: held.length > 0 ? `${count(held.length, "file")} not in force: ${list}` : null,
    problems: problems > 0
      ? `${count(problems, "problem")}: run \`conclaude config validate\``
      : null,
    fallback: fallback && `${fallback.path} is left behind: run \`${fallback.next}\``,
  };
}

/** Names each thing that needs care, the most urgent first. */
function ailmentsOf(care: Care): string[] {
  const { beganAnew, violations, held, problems, fallback } = careTexts(care);
  const { hooks, protections, queued, daemon, team, spool: { waiting } } = care;
  const failed = team.find(({ fault }) => fault !== null);
  const isTwice = new Set(hooks.map(({ isPlugin }) => isPlugin)).size > 1;
  const isUnarmed = hooks.length > 0 && protections.unarmed.length > 0;
  return [
    beganAnew,
    violations && `changes that no rule allows: ${violations}`,
    held && `changed configuration: ${held}`,
    problems && `the configuration has ${problems}`,
    fallback,
    hooks.length === 0 && "hooks are not installed: run `conclaude install-hooks`",
    isTwice && "hooks are installed twice: run `conclaude doctor`",
    isUnarmed && "rules are NOT ARMED: run `conclaude doctor`",
    queued > 0 && !daemon.running &&
    `${count(queued, "task waits", "tasks wait")} for \`conclaude daemon start\``,
    failed && `the team's sync failed: ${failed.fault}`,
    waiting > 0 &&
    `${count(waiting, "event waits", "events wait")} in the spool: \`conclaude queue drain\``,
  ].filter((text) => typeof text === "string");
}

/** Says in one line that all is well, or what needs care most urgently. */
export function healthText(care: Care): string {
  const [first, ...others] = ailmentsOf(care);
  if (first === undefined) return "well: nothing needs care";
  return others.length === 0
    ? first
    : `${first} (and ${others.length} more: \`conclaude status --verbose\`)`;
}

async function teamOf(db: DatabaseSync, project: string, nowMs: number) {
  if (!hasTeams(db)) return [];
  const { lagText, teamLags } = await import("../team/team_lag.ts");
  return teamLags(db).filter((lag) => lag.project === project)
    .map((lag) => ({ ...lag, said: lagText(lag, nowMs) }));
}

/** Tells whether the database began anew. It looks for backups only if needed, since that takes long. */
async function beginningOf(
  db: DatabaseSync,
  at: Parameters<typeof beganAnew>[1],
): Promise<BeganAnew | null> {
  if (emptyBeginning(db) === null) return null;
  return (await import("../upkeep/care/backup.ts")).beganAnew(db, at);
}

/** Finds what waits in the temporary folder; null if nothing waits or if it is unreadable, which `doctor` reports. */
async function fallbackOf(context: CliContext, { database, config }: Place, nowMs: number) {
  const { locations } = context;
  if (!isThere(fallbackDatabase(locations))) return null;
  const { leftBehind } = await import("../upkeep/care/fallback.ts");
  const retentionDays = config.sessionRetentionDays;
  return quietly(() => leftBehind({ locations, database, retentionDays, nowMs })) ?? null;
}

/** Returns the names of the guards that a configuration switches on. */
function guardsIn({ guards }: Policies): string[] {
  const rules = guards === null ? [] : rulesOf(guards);
  return rules.flatMap(({ name, isOn }) => isOn ? [name] : []);
}

export function protectionsOf(config: HookConfig, { unarmed }: Pick<HooksHere, "unarmed">) {
  const policies = policiesIn(config);
  const builtIn = guardsIn(policiesIn(DEFAULT_HOOK_CONFIG));
  const guards = guardsIn(policies);
  return {
    /** The built-in guards that are switched on. */
    builtIn: builtIn.filter((name) => guards.includes(name)),
    /** The built-in guards that the configuration switches off. */
    switchedOff: builtIn.filter((name) => !guards.includes(name)),
    /** The number of the project's own rules about tools and stops. */
    guards: guards.filter((name) => !builtIn.includes(name)).length +
      stopRulesOf(policies.stop).length,
    requirements: policies.requirements?.requirements.length ?? 0,
    strict: policies.guards?.isStrict ?? false,
    /** Why Claude Code does not call the hooks of some rules; empty if it calls all. */
    unarmed: unarmed.map(unarmedText),
  };
}

/** Sums up the protections in one line of at most 80 columns. */
export function protectionsText(
  { builtIn, switchedOff, guards, requirements, strict, unarmed }: Protections,
): string {
  const off = switchedOff.length;
  return [
    builtIn.length === 0
      ? "nothing built in"
      : off === 0
      ? "built-in protections"
      : `built-in (${off} off)`,
    ...guards === 0 ? [] : [count(guards, "guard")],
    ...requirements === 0 ? [] : [count(requirements, "requirement")],
    ...strict ? ["strict"] : [],
    unarmed.length === 0 ? "armed" : "NOT ARMED",
  ].join(", ");
}
