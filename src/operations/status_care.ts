/** Looks at what `status` shows first: what may need a person's care, and which protections hold. */
import type { DatabaseSync } from "node:sqlite";
import { count } from "../base/counts.ts";
import { quietly } from "../base/errors.ts";
import { unarmedText } from "../claude/settings/armed.ts";
import { DEFAULT_HOOK_CONFIG } from "../config/discover.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { emptyBeginning } from "../db/notes.ts";
import { spooledFiles } from "../db/spool.ts";
import { hasTeams } from "../db/team_outbox.ts";
import { hooksHere } from "../policy/armed_gates.ts";
import { rulesOf, stopRulesOf } from "../policy/guards/single_rules.ts";
import { type Policies, policiesIn } from "../policy/policies.ts";
import { openViolations } from "../policy/store.ts";
import { fallbackDatabase } from "../system/environment.ts";
import { isThere } from "../system/on_disk.ts";
import { countQueued } from "../work/store.ts";
import type { CliContext } from "./context.ts";
import { isDaemonHere } from "./daemon_here.ts";
import { stillOpenIn } from "./open_here.ts";
import type { OpenStore } from "./open_store.ts";

/** The project that `status` is about. `folder`: the one whose settings Claude Code reads. */
export interface Here {
  readonly project: string;
  readonly folder: string;
  readonly nowMs: number;
}

export async function careOf(context: CliContext, { db, place }: OpenStore, here: Here) {
  const { database, config } = place;
  const { locations, environment } = context;
  const { project, folder: projectDir, nowMs } = here;
  const { problems, held, sessionRetentionDays: retentionDays } = config;
  const hooks = hooksHere(config, { projectDir, home: locations.home, environment });
  return {
    /** Set for two weeks after hooks began the database anew, because something had emptied its file. */
    beganAnew: emptyBeginning(db) === null
      ? null
      // It looks for backups, which takes long.
      : (await import("../upkeep/care/backup.ts")).beganAnew(db, { database, locations, nowMs }),
    /** The number of forbidden changes found afterwards that nobody has undone or accepted until now. */
    violations: (await stillOpenIn(context, openViolations(db, project), { db, config })).length,
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
    spool: { waiting: spooledFiles({ database, folders: locations.spoolFolders }).length },
    /** Counts events that hooks kept in the temporary folder without a home; null for none, or if it is unreadable. */
    fallback: !isThere(fallbackDatabase(locations)) ? null : await import(
      "../upkeep/care/fallback.ts"
    ).then(({ leftBehind }) =>
      quietly(() => leftBehind({ locations, database, retentionDays, nowMs })) ?? null
    ),
    hooks: hooks.installed,
    protections: protectionsOf(config, hooks),
    problems,
  };
}

export type Care = Awaited<ReturnType<typeof careOf>>;

/** Words what may need care, for `status` and `status --verbose`; null where all is well. */
export function careTexts({ beganAnew, violations, held, problems, fallback }: Care) {
  const list = "`conclaude config accept --dry-run`";
  return {
    beganAnew: beganAnew && `${beganAnew.text}: run \`${beganAnew.next}\``,
    violations: violations > 0 ? `${count(violations, "change")} not allowed: ${list}` : null,
    held: held.length > 0
      ? `${count(held.length, "configuration file")} not in force: ${list}`
      : null,
    problems: problems > 0
      ? `${count(problems, "problem")}: run \`conclaude config validate\``
      : null,
    fallback: fallback && `${fallback.path} is left behind: run \`${fallback.next}\``,
  };
}

/** Says that all is well, or what needs care: all of it, or the most urgent in one line. */
export function healthLines(care: Care, { isWhole }: { readonly isWhole: boolean }): string[] {
  const { beganAnew, violations, held, problems, fallback } = careTexts(care);
  const { hooks, protections, queued, daemon, team, spool: { waiting } } = care;
  const failed = team.find(({ fault }) => fault !== null);
  const isTwice = new Set(hooks.map(({ isPlugin }) => isPlugin)).size > 1;
  const isUnarmed = hooks.length > 0 && protections.unarmed.length > 0;
  // The most urgent first.
  const [first, ...others] = [
    beganAnew,
    violations,
    held,
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
  if (first === undefined) return ["well: nothing needs care"];
  if (isWhole || others.length === 0) return [first, ...others];
  return [`${first} (and ${others.length} more: \`conclaude status --verbose\`)`];
}

async function teamOf(db: DatabaseSync, project: string, nowMs: number) {
  if (!hasTeams(db)) return [];
  const { lagText, teamLags } = await import("../team/team_lag.ts");
  return teamLags(db).filter((lag) => lag.project === project)
    .map((lag) => ({ ...lag, said: lagText(lag, nowMs) }));
}

function guardsIn({ guards }: Policies): string[] {
  const rules = guards === null ? [] : rulesOf(guards);
  return rules.flatMap(({ name, isOn }) => isOn ? [name] : []);
}

function protectionsOf(config: HookConfig, { unarmed }: ReturnType<typeof hooksHere>) {
  const policies = policiesIn(config);
  const builtIn = guardsIn(policiesIn(DEFAULT_HOOK_CONFIG));
  const guards = guardsIn(policies);
  return {
    builtIn: builtIn.filter((name) => guards.includes(name)),
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
export function protectionsText({ protections }: Care): string {
  const { builtIn, switchedOff, guards, requirements, strict, unarmed } = protections;
  const off = switchedOff.length;
  const whole = off === 0 ? "built-in protections" : `built-in (${off} off)`;
  return [
    builtIn.length === 0 ? "nothing built in" : whole,
    guards > 0 && count(guards, "guard"),
    requirements > 0 && count(requirements, "requirement"),
    strict && "strict",
    unarmed.length === 0 ? "armed" : "NOT ARMED",
  ].filter(Boolean).join(", ");
}
