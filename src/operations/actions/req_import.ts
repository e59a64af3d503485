/** `conclaude req import`: takes over what the older requirements framework has. */
import "../config_sections.ts";
import type { DatabaseSync } from "node:sqlite";
import { plain } from "../../base/plain.ts";
import type { ConfigEntry } from "../../config/layer.ts";
import { type LayerValues, type Plain, readYaml, valueAt } from "../../config/yaml_tree.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isSameValue } from "../../base/likeness.ts";
import { joinPath, withParents } from "../../base/paths.ts";
import { type FoundFile, readFolder, readFound } from "../../system/found_file.ts";
import {
  convertConfig,
  readFrameworkYaml,
  readState,
  type RecordedSatisfaction,
} from "../../policy/requirements/framework.ts";
import { WHOLE_BRANCH } from "../../policy/requirements/standing.ts";
import { compileRedactPatterns, type RedactRules } from "../../secrets/redact.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { transaction } from "../../db/transaction.ts";
import { isKeyForgotten } from "../../upkeep/store.ts";
import { readStandings, satisfy } from "../../policy/store.ts";
import { findSessions } from "../../db/sessions.ts";
import { planEntries, targetOf, writePlanned } from "../config_target.ts";
import type { CliContext } from "../context.ts";
import { lookIntoStore, openStore } from "../open_store.ts";
import type { View } from "../view.ts";

type ImportFlags = Readonly<{ dryRun: boolean; local: boolean; force: boolean }>;

const HEAD = " What has to be true before Claude edits, commits or stops: `conclaude req --help`.";

/** `conclaude req import` @throws {UserError} When a file of ours, or the database, cannot be changed; then nothing is. */
export async function importRequirements(context: CliContext, flags: ImportFlags): Promise<View> {
  const { dryRun } = flags;
  const repository = findRepository(lookUpwards(context.cwd));
  const skipped: { path: string; why: string }[] = [];
  const notTaken: { name: string; why: string }[] = [];
  const found = findFiles(context, repository?.root);
  const states = repository === undefined
    ? []
    : readFolder(joinPath(repository.commonDir, "requirements"), /\.json$/);
  const leave = (name: string, why: string) => void notTaken.push({ name, why });
  const policy = planPolicy(context, found.files, { ...flags, leave });
  const satisfactions = states.flatMap((file) => {
    const { path } = file;
    const skip = (why: string) => void skipped.push({ path, why });
    if (file.text === null) skip(file.problem);
    return file.text === null ? [] : readState(file.text, { path, skip });
  });
  let counts = { satisfied: 0, present: 0 };
  // The rows and the files go together: when one of them cannot be written, none is.
  const work = (db: DatabaseSync, rules: RedactRules | null) => {
    const here = { repository: repository?.commonDir ?? "", registry: found.sessions };
    counts = record(db, satisfactions, { ...here, rules, skipped });
    if (rules !== null) writePlanned(policy.files);
  };
  if (satisfactions.length === 0) {
    if (!dryRun) writePlanned(policy.files);
  } else if (dryRun) await lookIntoStore(context, (db) => work(db, null));
  else {
    const { db, place } = await openStore(context, "write");
    transaction(db, () => work(db, compileRedactPatterns(place.config.redactPatterns)));
  }
  const { path, kept } = policy;
  const files = policy.files.map(({ target, added }) => ({ path: target.path, added }));
  const added = [...new Set(files.flatMap((file) => file.added))];
  const isAnything = states.length > 0 || Object.values(found.files).some((file) => file);
  const lines = isAnything
    ? [
      dryRun ? "What would be taken over; nothing was written." : "Took over what is here.",
      ...files.map((file) =>
        `${file.path}: ${dryRun ? "would get" : "got"} ${file.added.join(", ")}`
      ),
      ...kept.length === 0 ? [] : [`Stays as it is here: ${kept.join(", ")}`],
      `Branches: ${counts.satisfied} satisfactions ${dryRun ? "to record" : "recorded"}, ` +
      `${counts.present} known already, from ${states.length} files.`,
      ...notTaken.length + skipped.length === 0 ? [] : ["Not taken over:"],
      ...notTaken.map(({ name, why }) => `  ${name}: ${why}`),
      ...skipped.map((one) => `  ${one.path}: ${one.why}`),
      ...policy.files.some(({ target }) => target.isNew && target.mode === 0o600)
        ? ["What is yours alone is in .conclaude.local.yaml: add it to .gitignore."]
        : [],
      ...policy.isFirst
        ? ["The project has conclaude's guards now, too: `conclaude guard list`."]
        : [],
      "The older files are as they were. Its hooks ask as well until they are out of Claude Code's settings.",
    ]
    : ["Nothing to take over. Looked for:", ...found.searched.map((one) => `  ${one}`)];
  return {
    json: {
      config: { path, files, added, kept, notTaken },
      state: { files: states.length, ...counts, skipped },
      searched: found.searched,
      dryRun,
    },
    text: lines.map(plain).join("\n"),
  };
}

type Files = Readonly<Record<"global" | "project" | "local", FoundFile | undefined>>;

/** The framework's files of a project (the nearest upwards, within its repository) and of its user. */
function findFiles({ cwd, locations: { home } }: CliContext, top = cwd) {
  const searched: string[] = [];
  const read = (path: string) => {
    searched.push(path);
    return readFound(path);
  };
  const inHome = (name: string) =>
    home === null ? undefined : read(joinPath(home, `.claude/${name}`));
  const has = (folder: string) =>
    readFound(joinPath(folder, ".claude/requirements.yaml")) !== undefined;
  const above = withParents(cwd).filter((folder) => `${folder}/`.startsWith(`${top}/`));
  // The home has a user's file, and none of a project.
  const folder = above.find((one) => one !== home && has(one)) ?? top;
  const inProject = (name: string) =>
    folder === home ? undefined : read(joinPath(folder, `.claude/${name}`));
  const files: Files = {
    global: inHome("requirements.yaml"),
    project: inProject("requirements.yaml"),
    local: inProject("requirements.local.yaml"),
  };
  // Without it, short ids are looked for among our own sessions only.
  const registry = readFrameworkYaml(inHome("sessions.json")?.text ?? "");
  const sessions = Object.keys(Object(Object(registry)["sessions"]));
  return { files, sessions, searched };
}

/** Plans our files; nothing is written. @throws {UserError} When one of them cannot be changed. */
function planPolicy(
  context: CliContext,
  files: Files,
  { local, force, leave }: ImportFlags & { readonly leave: (name: string, why: string) => void },
) {
  const valuesOf = (file: FoundFile | undefined): LayerValues | null => {
    if (file === undefined) return null;
    const read = file.text === null ? file.problem : readFrameworkYaml(file.text);
    if (typeof read !== "string") return read;
    leave(file.path, read);
    return null;
  };
  const [global, project] = [valuesOf(files.global), valuesOf(files.project)];
  if (project === null && files.global !== undefined) {
    leave(files.global.path, "the framework does nothing in a project without a file of its own");
  }
  const layers = { global, project, local: valuesOf(files.local) };
  const { shared, own } = convertConfig(layers, { allOwn: local, leave });
  const targets = { shared: targetOf(context, "project"), own: targetOf(context, "local") };
  const inShared = readYaml(targets.shared.text).root ?? {};
  const stays = (said: Plain | undefined, { name, path, value }: ConfigEntry) => {
    const decided = valueAt(inShared, path);
    const given = shared.find((entry) => entry.name === name)?.value;
    // What the shared file says otherwise is somebody's decision: nothing is laid over a part of it.
    const isDecided = decided !== undefined && !isSameValue(decided, given);
    return force ? isSameValue(said, value) : said !== undefined || isDecided;
  };
  const plans = [
    planEntries(targets.shared, shared, { head: HEAD, stays }),
    planEntries(targets.own, own, { head: HEAD, stays }),
  ];
  const planned = plans.flatMap(({ file }) => file ?? []);
  const kept = [...new Set(plans.flatMap((one) => one.kept))];
  const isFirst = planned.length > 0 && targets.shared.isNew && targets.own.isNew;
  return { path: targets.shared.path, files: planned, kept, isFirst };
}

/**
 * Records what was found and is new, in the caller's transaction. What we have as new or newer stays, and what was
 * forgotten here stays away.
 *
 * @param how `rules`: what is masked; null when nothing is to be written. `registry`: full ids that the framework knows.
 */
function record(
  db: DatabaseSync,
  found: readonly RecordedSatisfaction[],
  { repository, registry, rules, skipped }: {
    readonly repository: string;
    readonly registry: readonly string[];
    readonly rules: RedactRules | null;
    readonly skipped: { path: string; why: string }[];
  },
) {
  const known = [...registry, ...found.map(({ sessionId }) => sessionId)];
  // The framework cuts ids: the only session that begins so is meant.
  const wholeId = (id: string) => {
    if (id === WHOLE_BRANCH || id.includes("-")) return id;
    const alike = [...known, ...findSessions(db, id).map(({ sessionId }) => sessionId)]
      .filter((one) => one.includes("-") && one.startsWith(id));
    return new Set(alike).size === 1 ? alike[0]! : id;
  };
  const newest = new Map(
    found.toSorted((a, b) => a.atMs - b.atMs)
      .map((one) => ({ ...one, sessionId: wholeId(one.sessionId) }))
      .map((one) => [[one.branch, one.requirement, one.sessionId].join("\0"), one]),
  );
  const left: { readonly path: string; readonly why: string }[] = [];
  const counts = { satisfied: 0, present: 0 };
  for (const { branch, ...one } of newest.values()) {
    const { requirement, sessionId, scope, expiresAtMs } = one;
    const key = { repository, branch, requirement, session_id: sessionId };
    const isOver = scope !== "permanent" && expiresAtMs !== null && expiresAtMs <= Date.now();
    if (isOver || isKeyForgotten(db, "requirement", key)) {
      const why = isOver ? "have expired" : "were forgotten here";
      left.push({ path: one.metadata.imported_from, why });
      continue;
    }
    const here = readStandings(db, { repository, branch }).find((standing) =>
      standing.requirement === requirement && standing.sessionId === sessionId
    );
    const isNew = (here?.satisfiedAtMs ?? -1) < one.atMs;
    counts[isNew ? "satisfied" : "present"]++;
    if (!isNew || rules === null) continue;
    const metadata = redactValue(one.metadata, rules) as Record<string, unknown>;
    satisfy(db, { repository, branch }, { ...one, by: "import", metadata });
  }
  for (const alike of Map.groupBy(left, ({ path, why }) => path + why).values()) {
    const { path, why } = alike[0]!;
    skipped.push({ path, why: `${alike.length} satisfactions that ${why}` });
  }
  return counts;
}
