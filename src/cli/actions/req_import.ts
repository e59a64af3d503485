/** `conclaude req import`: takes over what the older requirements framework has. */
import "../../config_sections.ts";
import type { DatabaseSync } from "node:sqlite";
import { plain } from "../../capture/plain.ts";
import { compileRedactPatterns, type RedactRules } from "../../secrets/redact.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { readLayer } from "../../config/layer.ts";
import { isMapping } from "../../config/yaml_tree.ts";
import { type LayerValues, type Plain, readYaml } from "../../config/yaml_tree.ts";
import { count } from "../../counts.ts";
import { UserError } from "../../errors.ts";
import { isSameValue } from "../../likeness.ts";
import { findRepository, lookUpwards, type Repository } from "../../git/repository.ts";
import type { FoundFile } from "../../project/found_file.ts";
import { type FrameworkFiles, readFrameworkFiles } from "../../project/framework_files.ts";
import {
  convertConfig,
  type LeftOut,
  type PolicyEntry,
  readFrameworkYaml,
} from "../../requirement/framework_config.ts";
import {
  type KnownSession,
  newestOnly,
  readRegistry,
  readState,
  type RecordedSatisfaction,
  resolveSession,
} from "../../requirement/framework_state.ts";
import { WHOLE_BRANCH } from "../../requirement/standing.ts";
import { transaction } from "../../store/database.ts";
import { isKeyForgotten } from "../../store/forgotten_keys.ts";
import { clearRequirement, readStandings, satisfy } from "../../store/requirements.ts";
import { findSessions } from "../../store/sessions.ts";
import {
  type ConfigTarget,
  documentOf,
  targetOf,
  withEntries,
  writeTarget,
} from "../config_target.ts";
import type { CliContext } from "../context.ts";
import { lookIntoStore, openStore } from "../store.ts";
import type { View } from "../view.ts";

interface ImportFlags {
  readonly dryRun: boolean;
  /** Everything into the file that is not committed. */
  readonly local: boolean;
  /** What our files have is replaced. */
  readonly force: boolean;
}

/** One of our files as it is to be. */
interface PlannedFile {
  readonly target: ConfigTarget;
  readonly text: string;
  /** Names of requirements, and dotted names of other keys. */
  readonly added: readonly string[];
}

/** What is to be done about the configuration. */
type PolicyPlan = ReturnType<typeof planPolicy>;

/** What was done about the records of branches. */
interface StateReport {
  readonly files: number;
  /** How many satisfactions are new. */
  readonly satisfied: number;
  /** How many are known already, as new or newer. */
  readonly present: number;
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
}

const HEAD = " What has to be true before Claude edits, commits or stops: `conclaude req --help`.";
/** A UUID with its dashes. */
const WHOLE_ID_CHARS = 36;

/** `conclaude req import` */
export async function importRequirements(context: CliContext, flags: ImportFlags): Promise<View> {
  const { dryRun } = flags;
  const repository = findRepository(lookUpwards(context.cwd));
  const files = readFrameworkFiles(context.cwd, { home: context.locations.home, repository });
  const policy = planPolicy(context, files, flags);
  const found = collectState(files, { repository, nowMs: Date.now() });
  // The rows and the files go together: when one of them cannot be written, none is.
  const work = (db: DatabaseSync, rules: RedactRules | null) => {
    const report = recordState(db, found, rules);
    if (!dryRun) writePolicy(policy.files);
    return report;
  };
  const { skipped } = found;
  let state: StateReport = { files: files.states.length, satisfied: 0, present: 0, skipped };
  if (found.satisfactions.length === 0) {
    if (!dryRun) writePolicy(policy.files);
  } else if (dryRun) state = await lookIntoStore(context, (db) => work(db, null));
  else {
    const { db, place } = await openStore(context, "write");
    const rules = compileRedactPatterns(place.config.redactPatterns);
    state = transaction(db, () => work(db, rules));
  }
  const { path, kept, notTaken } = policy;
  const isAnything = files.states.length > 0 ||
    [files.global, files.project, files.local].some((file) => file !== undefined);
  return {
    json: {
      config: {
        path,
        files: policy.files.map(({ target, added }) => ({ path: target.path, added })),
        added: [...new Set(policy.files.flatMap(({ added }) => added))],
        kept,
        notTaken,
      },
      state,
      searched: files.searched,
      dryRun,
    },
    text: isAnything
      ? textOf(policy, state, { dryRun, isInRepository: repository !== undefined })
      : ["Nothing to take over. Looked for:", ...files.searched.map((path) => `  ${plain(path)}`)]
        .join("\n"),
  };
}

/** Plans our files; nothing is written. @throws {UserError} When one of them cannot be changed. */
function planPolicy(context: CliContext, files: FrameworkFiles, { local, force }: ImportFlags) {
  const notTaken: LeftOut[] = [];
  const valuesOf = (file: FoundFile | undefined): LayerValues | null => {
    const read = file === undefined
      ? null
      : file.text === null
      ? file.problem
      : readFrameworkYaml(file.text);
    if (typeof read !== "string") return read;
    notTaken.push({ name: file!.path, why: read });
    return null;
  };
  const layers = {
    global: valuesOf(files.global),
    project: valuesOf(files.project),
    local: valuesOf(files.local),
  };
  if (layers.project === null) {
    const why = "the framework does nothing in a project that has no usable " +
      "`.claude/requirements.yaml` of its own";
    for (const file of [files.global, files.local]) {
      if (file !== undefined) notTaken.push({ name: file.path, why });
    }
  }
  const { shared, own, notTaken: left } = convertConfig(layers, { allOwn: local });
  const targets = { shared: targetOf(context, "project"), own: targetOf(context, "local") };
  const inShared = saidIn(readYaml(targets.shared.text).root ?? {});
  const kept = new Set<string>();
  // What the shared file says otherwise is somebody's decision: nothing is laid over a part of it.
  const isDecided = ({ name }: PolicyEntry) =>
    !force && inShared.has(name) &&
    !isSameValue(inShared.get(name), shared.find((entry) => entry.name === name)?.value);
  const planned = (target: ConfigTarget, entries: readonly PolicyEntry[]): PlannedFile[] => {
    const document = documentOf(target);
    const said = saidIn(readYaml(target.text).root ?? {});
    const added = entries.filter((entry) => {
      const { name, value } = entry;
      const isThere = force ? isSameValue(said.get(name), value) : said.has(name);
      const stays = isThere || isDecided(entry);
      if (stays) kept.add(name);
      return !stays;
    });
    if (added.length === 0) return [];
    const text = withEntries(target, document, { added, head: HEAD });
    const now = saidIn(readLayer({ layer: "project", path: target.path, text }).values);
    const lost = added.find(({ name, value }) => !isSameValue(now.get(name), value));
    if (lost === undefined) return [{ target, text, added: added.map(({ name }) => name) }];
    throw new UserError(`Cannot write "${lost.name}" into "${target.path}"`, {
      why: "it would not be read as it was meant; nothing was changed",
      next: "conclaude config validate",
    });
  };
  return {
    path: targets.shared.path,
    /** Only those that change. */
    files: [...planned(targets.shared, shared), ...planned(targets.own, own)],
    /** What our files say already, and what therefore stays. */
    kept: [...kept],
    notTaken: [...notTaken, ...left],
    /** Whether the project gets its first configuration file. */
    isFirst: targets.shared.isNew && targets.own.isNew,
  };
}

/** What a file of ours says of requirements and hooks, rightly or not, by the names of entries. */
function saidIn(values: LayerValues): ReadonlyMap<string, Plain> {
  const said = new Map<string, Plain>();
  if (isMapping(values.requirements)) {
    for (const [name, value] of Object.entries(values.requirements)) said.set(name, value);
  }
  const walk = (value: Plain, name: string) => {
    if (!isMapping(value)) said.set(name, value);
    else for (const [key, inner] of Object.entries(value)) walk(inner, `${name}.${key}`);
  };
  if (isMapping(values.hooks)) walk(values.hooks, "hooks");
  return said;
}

/**
 * Writes the planned files, all or none.
 *
 * @throws {UserError} When one cannot be written; what was written before it is taken back.
 */
export function writePolicy(files: readonly PlannedFile[]): void {
  const written: ConfigTarget[] = [];
  try {
    for (const { target, text } of files) {
      writeTarget(target, text);
      written.push(target);
    }
  } catch (thrown) {
    for (const target of written) {
      if (target.isNew) Deno.removeSync(target.path);
      else writeTarget(target, target.text);
    }
    throw thrown;
  }
}

/** What the files say, before our own sessions and rows are asked. */
type FoundState = ReturnType<typeof collectState>;

/** Reads the records of branches; what cannot be used is named. */
function collectState(
  { states, registry }: FrameworkFiles,
  { repository, nowMs }: { readonly repository: Repository | undefined; readonly nowMs: number },
) {
  const skipped: { path: string; why: string }[] = [];
  const satisfactions = states.flatMap((file) => {
    const skip = (why: string) => void skipped.push({ path: file.path, why });
    if (file.text !== null) return readState(file.text, { path: file.path, nowMs, skip });
    skip(file.problem);
    return [];
  });
  const isHere = (folder: string) =>
    repository !== undefined && `${folder}/`.startsWith(`${repository.root}/`);
  const known = registry === undefined
    ? []
    : registry.text === null
    ? null
    : readRegistry(registry.text, isHere);
  if (known === null) {
    const why = "it is no list of sessions that can be read; ids that it may know stay short";
    skipped.push({ path: registry!.path, why });
  }
  return {
    /** The common git directory; empty outside of a repository, where nothing is found. */
    repository: repository?.commonDir ?? "",
    satisfactions,
    /** Sessions that the files know by their full ids. */
    known: [
      ...known ?? [],
      ...satisfactions.filter(({ sessionId }) => sessionId.length === WHOLE_ID_CHARS)
        .map(({ sessionId }): KnownSession => ({ sessionId, isHere: true })),
    ],
    nowMs,
    files: states.length,
    skipped,
  };
}

/**
 * Records what was found and is new, in the caller's transaction. What we have as new or newer stays, and what was
 * forgotten here stays away.
 *
 * @param rules What is masked; null when nothing is to be written.
 */
function recordState(db: DatabaseSync, found: FoundState, rules: RedactRules | null): StateReport {
  const { repository, nowMs } = found;
  const known = [...found.known, ...ourSessions(db, found)];
  const resolved = found.satisfactions.map((one) => ({
    ...one,
    recordedAs: one.sessionId,
    sessionId: resolveSession(one.sessionId, known),
  }));
  const isOver = ({ scope, expiresAtMs }: RecordedSatisfaction) =>
    scope !== "permanent" && expiresAtMs !== null && expiresAtMs <= nowMs;
  const newest = newestOnly(resolved);
  const isForgotten = ({ branch, requirement, sessionId }: RecordedSatisfaction) =>
    isKeyForgotten(db, "requirement", { repository, branch, requirement, session_id: sessionId });
  const valid = newest.filter((one) => !isOver(one) && !isForgotten(one));
  const standings = new Map(
    valid.map(({ branch }) => [branch, readStandings(db, { repository, branch })]),
  );
  const standingOf = ({ branch, requirement }: RecordedSatisfaction, sessionId: string) =>
    standings.get(branch)?.find((one) =>
      one.requirement === requirement && one.sessionId === sessionId
    );
  const fresh = valid.filter((one) =>
    (standingOf(one, one.sessionId)?.satisfiedAtMs ?? -1) < one.atMs
  );
  for (const { recordedAs: _recordedAs, path, by, branch, ...one } of rules === null ? [] : fresh) {
    const metadata = { ...one.metadata, imported_from: path, original_satisfied_by: by };
    satisfy(db, { repository, branch }, {
      ...one,
      by: "import",
      metadata: redactValue(metadata, rules!) as Record<string, unknown>,
    });
  }
  for (const one of rules === null ? [] : resolved) {
    const { branch, requirement, recordedAs, sessionId } = one;
    // An import that did not know the full id yet has left a row that no session will ask for.
    const isLeft = recordedAs !== sessionId &&
      standingOf(one, recordedAs)?.satisfiedBy === "import";
    if (!isLeft) continue;
    clearRequirement(db, { repository, branch }, { requirement, sessionId: recordedAs });
  }
  const expired = Map.groupBy(newest.filter(isOver), ({ path }) => path);
  const forgotten = Map.groupBy(newest.filter(isForgotten), ({ path }) => path);
  return {
    files: found.files,
    satisfied: fresh.length,
    present: valid.length - fresh.length,
    skipped: [
      ...found.skipped,
      ...[...expired].map(([path, ones]) => ({
        path,
        why: `${count(ones.length, "satisfaction has", "satisfactions have")} expired`,
      })),
      ...[...forgotten].map(([path, ones]) => ({
        path,
        why: `${count(ones.length, "satisfaction was", "satisfactions were")} forgotten here`,
      })),
    ],
  };
}

/** The sessions of ours that recorded ids may mean. */
function ourSessions(db: DatabaseSync, { satisfactions, repository }: FoundState): KnownSession[] {
  const ids = new Set(
    satisfactions.map(({ sessionId }) => sessionId)
      .filter((id) => id !== WHOLE_BRANCH && id.length !== WHOLE_ID_CHARS),
  );
  return [...ids].flatMap((id) =>
    findSessions(db, id).map((session) => ({
      sessionId: session.sessionId,
      isHere: session.repository === repository,
    }))
  );
}

function textOf(
  { files, kept, notTaken, isFirst }: PolicyPlan,
  state: StateReport,
  { dryRun, isInRepository }: { readonly dryRun: boolean; readonly isInRepository: boolean },
): string {
  const isOwnNew = files.some(({ target }) => target.isNew && target.mode === 0o600);
  const lines = [
    dryRun
      ? "What would be taken over of the requirements framework; nothing was written."
      : "Took over what the requirements framework has here.",
    "",
    ...files.map(({ target, added }) =>
      `${target.path}: ${dryRun ? "would get" : "got"} ${added.join(", ")}`
    ),
    ...(files.length > 0 ? [] : ["Configuration: nothing to add."]),
    ...(kept.length === 0 ? [] : [`Stays as it is here: ${kept.join(", ")}`]),
    `Branches: ${count(state.satisfied, "satisfaction")} ${dryRun ? "to record" : "recorded"}, ` +
    `${state.present} known already, from ${count(state.files, "file")}.`,
    ...(isInRepository ? [] : ["This folder is in no git repository: no branch, no records."]),
    ...(notTaken.length + state.skipped.length === 0 ? [] : ["Not taken over:"]),
    ...notTaken.map(({ name, why }) => `  ${name}: ${why}`),
    ...state.skipped.map(({ path, why }) => `  ${path}: ${why}`),
    "",
    ...(isOwnNew ? ["What is yours alone is in .conclaude.local.yaml: add it to .gitignore."] : []),
    ...(isFirst && files.length > 0
      ? [
        "With its first configuration file the project has conclaude's guards too: `conclaude guard list`.",
      ]
      : []),
    "The older files are as they were. Its hooks ask as well until they are out of Claude Code's settings.",
  ];
  return lines.map(plain).join("\n");
}
