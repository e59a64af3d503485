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

export const fallbackText = ({ fallback }: Care) =>
  fallback && `${fallback.path} is left behind: run \`${fallback.next}\``;
export const problemsText = ({ problems }: Care) =>
  problems > 0 ? `${count(problems, "problem")}: run \`conclaude config validate\`` : null;
export const heldFilesText = ({ held }: Care) =>
  held.length > 0
    ? `${count(held.length, "file")} not in force: \`conclaude config accept --dry-run\``
    : null;
export const violationsText = ({ violations }: Care) =>
  violations > 0 ? `${violations} open: \`conclaude config accept --dry-run\` lists them` : null;

/** Checks for each thing that may need care, the most urgent first. A check returns null if all is well. */
const AILMENTS: readonly ((care: Care) => string | null)[] = [
  ({ beganAnew }) => beganAnewText(beganAnew),
  (care) => violationsText(care) && `changes that no rule allows: ${violationsText(care)}`,
  (care) => heldFilesText(care) && `changed configuration: ${heldFilesText(care)}`,
  (care) => problemsText(care) && `the configuration has ${problemsText(care)}`,
  fallbackText,
  ({ hooks }) =>
    hooks.length === 0 ? "hooks are not installed: run `conclaude install-hooks`" : null,
  ({ hooks }) =>
    new Set(hooks.map(({ isPlugin }) => isPlugin)).size > 1
      ? "hooks are installed twice: run `conclaude doctor`"
      : null,
  ({ hooks, protections: { unarmed } }) =>
    hooks.length > 0 && unarmed.length > 0 ? "rules are NOT ARMED: run `conclaude doctor`" : null,
  ({ queued, daemon }) =>
    queued > 0 && !daemon.running
      ? `${count(queued, "task waits", "tasks wait")} for \`conclaude daemon start\``
      : null,
  ({ team }) => {
    const failed = team.find(({ fault }) => fault !== null);
    return failed === undefined ? null : `the team's sync failed: ${failed.fault!}`;
  },
  ({ spool }) =>
    spool.waiting > 0
      ? `${
        count(spool.waiting, "event waits", "events wait")
      } in the spool: \`conclaude queue drain\``
      : null,
];

/** Says in one line that all is well, or what needs care most urgently. */
export function healthText(care: Care): string {
  const [first, ...others] = AILMENTS.flatMap((text) => text(care) ?? []);
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

export function beganAnewText(begun: BeganAnew | null): string | null {
  return begun && `${begun.text}: run \`${begun.next}\``;
}

/** Returns the names of the guards that a configuration switches on. */
function guardsIn({ guards }: Policies): string[] {
  return (guards === null ? [] : rulesOf(guards)).filter(({ isOn }) => isOn).map(({ name }) =>
    name
  );
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
  { builtIn, switchedOff, guards, requirements, strict, unarmed }: ReturnType<typeof protectionsOf>,
): string {
  const off = switchedOff.length;
  return [
    builtIn.length === 0 ? "nothing built in" : off === 0 ? BUILT_IN : `built-in (${off} off)`,
    ...guards === 0 ? [] : [count(guards, "guard")],
    ...requirements === 0 ? [] : [count(requirements, "requirement")],
    ...strict ? ["strict"] : [],
    unarmed.length === 0 ? "armed" : "NOT ARMED",
  ].join(", ");
}

const BUILT_IN = "built-in protections";
