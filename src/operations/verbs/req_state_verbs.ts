/** `conclaude req satisfy|approve|clear|pause|resume|prune`: a person changes the state of requirements. */
import { durationText } from "../../base/time.ts";
import type { Requirement } from "../../policy/requirements/requirement_policy.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { quietly, UserError } from "../../base/errors.ts";
import { isMapping } from "../../base/mapping.ts";
import { askGitLines } from "../../system/git/run_git.ts";
import { toldByPerson } from "../../policy/requirements/satisfy.ts";
import { ownerOf, type Standing, WHOLE_BRANCH } from "../../policy/requirements/standing.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { tellingId } from "../../db/sessions.ts";
import { transaction } from "../../db/transaction.ts";
import {
  clearRequirement,
  listBranches,
  readStandings,
  satisfy as keepSatisfied,
} from "../../policy/store.ts";
import type { CliContext } from "../context.ts";
import { numberFlag, REQUIREMENT, SHARED, textFlag, toggle } from "../flags.ts";
import {
  branchKeyOf,
  hereOfSession,
  namedRequirements,
  requirementsHere,
  sessionIdOf,
} from "../requirements_here.ts";
import { openStore } from "../open_store.ts";
import { askAtTerminal, listFirst } from "../terminal.ts";
import { requireOneOfTwo, USAGE } from "../usage.ts";
import { agoText } from "../list_and_show.ts";
import { many, verb } from "../verb.ts";
import type { DatabaseSync } from "node:sqlite";
import { pauseVerb, resumeVerb } from "./pause_verbs.ts";

const SECONDS_A_YEAR = 31_536_000;

export const satisfy = satisfyVerb("satisfy");
export const approve = satisfyVerb("approve");

function satisfyVerb(name: string) {
  return verb({
    person: `req ${name}`,
    args: many(REQUIREMENT, 1),
    flags: {
      session: SHARED.ofSession,
      branch: {
        ...SHARED.ofBranch,
        brief:
          "For every session of this branch, also later ones; with --session for that one alone",
      },
      ttl: numberFlag(1, SECONDS_A_YEAR, "For how many seconds"),
      metadata: textFlag("A JSON object that is kept with it", "json"),
    },
    async run(context, flags, ...given) {
      const names = [...new Set(given)];
      const metadata = metadataOf(flags.metadata);
      const wholeBranch = flags.branch !== undefined && flags.session === undefined;
      const around = await requirementsHere(context);
      const isOfSession = ({ scope }: Requirement) => ownerOf(scope, "one") !== WHOLE_BRANCH;
      const needsSession = flags.session !== undefined ||
        (!wholeBranch && (await namedRequirements(around, names)).some(isOfSession));
      const { db } = await openStore(context, "write", `satisfy ${names.join(", ")}`);
      const asking = { named: flags.session, command: `req satisfy ${names.join(" ")}` };
      const sessionId = needsSession ? await sessionIdOf(db, context, asking) : WHOLE_BRANCH;
      const here = needsSession ? await hereOfSession(context, db, sessionId) : around;
      const requirements = await namedRequirements(here, names);
      const endless = requirements.find(({ scope }) => scope === "permanent");
      if (flags.ttl !== undefined && endless !== undefined) {
        throw new UserError(`Cannot satisfy "${endless.name}" for a while`, {
          why: "its scope is `permanent`, which has no end; nothing was recorded",
          next: `conclaude req satisfy ${endless.name}`,
        });
      }
      const key = branchKeyOf(here, flags.branch);
      const atMs = Date.now();
      const ttlMs = flags.ttl === undefined ? null : flags.ttl * 1_000;
      const how = { sessionId, wholeBranch, atMs, ttlMs, metadata };
      const satisfactions = requirements.map((requirement) => toldByPerson(requirement, how));
      const keep = (one: typeof satisfactions[number]) =>
        keepSatisfied(db, { ...key, ...one, atMs });
      transaction(db, () => satisfactions.forEach(keep));
      const lines = satisfactions.map(({ requirement, sessionId: owner, by, expiresAtMs }) => {
        const whose = owner === WHOLE_BRANCH
          ? `the branch ${key.branch}`
          : `session ${tellingId(db, owner)} on ${key.branch}`;
        const bypass = by === "cli_bypass" ? ", recorded as a bypass of its skill" : "";
        const lasts = expiresAtMs === null ? "" : `. Duration: ${durationText(expiresAtMs - atMs)}`;
        return `Satisfied ${requirement} for ${whose}${bypass}${lasts}`;
      });
      const satisfied = satisfactions.map(({ requirement: name, sessionId, by, ...one }) => {
        const session = sessionId === WHOLE_BRANCH ? null : sessionId;
        return { name, session, satisfiedBy: by, satisfiedAtMs: atMs, ...one };
      });
      return {
        json: { branch: key.branch, satisfied },
        text: [...lines, ...await branchNote(context, flags.branch)],
      };
    },
  });
}

export const clear = verb({
  person: "req clear",
  args: many(REQUIREMENT),
  flags: {
    all: toggle("Every requirement"),
    session: {
      ...SHARED.ofSession,
      brief: "Only of this session; without it, of all sessions and of the branch",
    },
    branch: SHARED.ofBranch,
    yes: SHARED.yes,
  },
  async run(context, flags, ...names) {
    const { all, branch } = flags;
    requireOneOfTwo("what to clear", {
      given: { "a requirement": names.length > 0, "--all": all },
      next: `conclaude req clear ${all ? "--all" : "NAME, or --all"}`,
      exitCode: all ? USAGE : 1,
    });
    const { db } = await openStore(context, "write", "clear requirements");
    const sessionId = flags.session === undefined
      ? null
      : await sessionIdOf(db, context, { named: flags.session, command: "req clear" });
    const here = await hereOfSession(context, db, sessionId);
    const key = branchKeyOf(here, branch);
    const isNamed = ({ requirement }: Standing) => all || names.includes(requirement);
    // A person can also clear a requirement that is no longer configured.
    const standings = readStandings(db, key);
    const isRecorded = (name: string) => standings.some(({ requirement }) => requirement === name);
    await namedRequirements(here, names.filter((name) => !isRecorded(name)));
    const removals = standings.filter((one) =>
      isNamed(one) && (sessionId === null || one.sessionId === sessionId)
    );
    if (removals.length > 0 && !flags.yes) {
      askAtTerminal(context, {
        what: "clear requirements",
        shows: listFirst(removals, (first) => first.map((one) => standingLine(db, one))),
        ask: `Forget this on ${key.branch}?`,
      });
    }
    const removed = transaction(db, () =>
      (all ? [null] : names)
        .map((requirement) => clearRequirement(db, key, { requirement, sessionId }))
        .reduce((sum, n) => sum + n, 0));
    const nowMs = Date.now();
    // Satisfactions for the whole branch stay when the records of one session are removed.
    const stays = (one: Standing) =>
      isNamed(one) && sessionId !== null && one.sessionId === WHOLE_BRANCH &&
      one.satisfiedAtMs !== null && nowMs < (one.expiresAtMs ?? Infinity);
    const kept = readStandings(db, key).filter(stays).map(({ requirement }) => requirement);
    const what = all ? "all requirements" : names.join(", ");
    const whose = sessionId === null ? "all sessions" : `session ${tellingId(db, sessionId)}`;
    const onBranch = branch === undefined ? "" : ` --branch ${quoteWord(branch)}`;
    const lines = [
      removed === 0
        ? `Nothing was recorded of ${what} on ${key.branch} for ${whose}.`
        : `Cleared ${what} on ${key.branch}, for ${whose}.`,
      ...kept.length === 0 ? [] : [
        `Still satisfied for the whole branch: ${kept.join(", ")}.`,
        `To clear: conclaude req clear ${kept.join(" ")}${onBranch}`,
      ],
    ];
    const cleared = all ? "all" : names;
    return {
      json: { branch: key.branch, session: sessionId, cleared, removed, kept },
      text: lines,
    };
  },
});

/** Formats a record as `tested  satisfied 5m ago, for session 01980c5e`. */
function standingLine(db: DatabaseSync, standing: Standing): string {
  const { requirement, sessionId, satisfiedAtMs } = standing;
  const how = satisfiedAtMs === null ? "not satisfied" : `satisfied ${agoText(satisfiedAtMs)}`;
  const whose = sessionId === WHOLE_BRANCH ? "the branch" : `session ${tellingId(db, sessionId)}`;
  return `${requirement}  ${how}, for ${whose}`;
}

export const pause = pauseVerb("requirements", { usual: null });

export const resume = resumeVerb("requirements");

export const prune = verb({
  person: "req prune",
  flags: { dryRun: toggle("Only say what would be forgotten"), yes: SHARED.yes },
  async run(context, flags) {
    const { repository } = branchKeyOf(await requirementsHere(context), "-");
    const existing = await branchesOf(context);
    // If git names no branch, every recorded branch would count as gone.
    if (existing.size === 0) {
      throw new UserError("Cannot tell which branches exist", {
        why: "git names none; nothing was removed",
        next: "git branch --list",
      });
    }
    const { db } = await openStore(context, flags.dryRun ? "read" : "write");
    const pruned = listBranches(db, repository).map(({ branch }) => branch)
      .filter((branch) => !existing.has(branch));
    const everything = { requirement: null, sessionId: null };
    if (pruned.length > 0 && !flags.dryRun && !flags.yes) {
      askAtTerminal(context, {
        what: "forget what is recorded of these branches",
        shows: listFirst(pruned, (first) => first),
        ask: "Forget what is recorded of these branches, which git does not have?",
      });
    }
    const clearAll = (branch: string) => clearRequirement(db, { repository, branch }, everything);
    if (!flags.dryRun) transaction(db, () => pruned.forEach(clearAll));
    return {
      json: { repository, pruned, dryRun: flags.dryRun },
      text: pruned.length === 0 ? "Git has every branch for which something is recorded." : [
        `${flags.dryRun ? "Would forget" : "Forgot"} what was recorded of ${pruned.join(", ")}.`,
      ],
    };
  },
});

/** Warns of a branch that git does not have: a person may make it later, or the name is a typo. */
async function branchNote(context: CliContext, branch: string | undefined): Promise<string[]> {
  if (branch === undefined) return [];
  const branches = await branchesOf(context);
  return branches.size === 0 || branches.has(branch) ? [] : [`note: git has no branch ${branch}`];
}

async function branchesOf({ cwd, environment }: CliContext): Promise<ReadonlySet<string>> {
  const words = ["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"];
  return new Set(await askGitLines(cwd, words, { environment }));
}

function metadataOf(text: string | undefined): Record<string, unknown> {
  if (text === undefined) return {};
  const value: unknown = quietly(() => redactValue(JSON.parse(text), { patterns: [] }));
  if (isMapping(value)) return value;
  throw new UserError("Cannot read --metadata", {
    why: `"${text}" is no JSON object; nothing was recorded`,
    next: `give an object: --metadata '{"ticket":"X-1"}'`,
  });
}
