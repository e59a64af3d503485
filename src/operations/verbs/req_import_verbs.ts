/** `conclaude req import`: imports configuration and satisfactions of the older requirements framework. */
import "../config_sections.ts";
import type { DatabaseSync } from "node:sqlite";
import type { ConfigEntry } from "../../config/layer.ts";
import { type LayerValues, type Plain, readYaml, valueAt } from "../../config/yaml_tree.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isSameValue } from "../../base/likeness.ts";
import { joinPath, withParents } from "../../base/paths.ts";
import { type FoundFile, readFolder, readFound } from "../../system/found_file.ts";
import {
  convertConfig,
  readFrameworkFile,
  readState,
} from "../../upkeep/transfer/requirements_framework.ts";
import { WHOLE_BRANCH } from "../../policy/requirements/standing.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { transaction } from "../../db/transaction.ts";
import { isKeyForgotten } from "../../upkeep/store.ts";
import { readStandings, satisfy } from "../../policy/store.ts";
import { findSessions } from "../../db/sessions.ts";
import type { ImportOptions } from "../../upkeep/transfer/import.ts";
import { planEntries, type PlannedFile } from "../../config/config_edit.ts";
import { acceptFiles, ignoreAdvice, refuseHeld, targetOf, writePlanned } from "../config_target.ts";
import type { CliContext } from "../context.ts";
import { type NotTaken, notTakenLines, takeOver } from "../take_over.ts";
import { toggle } from "../flags.ts";
import { verb } from "../verb.ts";

type ImportFlags = Readonly<{ dryRun: boolean; local: boolean; force: boolean }>;

const HEAD = " What has to be true before Claude edits, commits or stops: `conclaude req --help`.";

export const reqImport = verb({
  person: "req import",
  flags: {
    dryRun: toggle("Only say what would be taken over"),
    local: toggle("Everything into `.conclaude.local.yaml`, which is not committed"),
    force: toggle("Also replace what the configuration here has of the same name"),
  },
  async run(context, flags) {
    const { dryRun } = flags;
    const repository = findRepository(lookUpwards(context.cwd));
    const skipped: { path: string; why: string }[] = [];
    const notTaken: NotTaken[] = [];
    const { files: found, sessions, searched } = findFiles(context, repository?.root);
    const states = repository === undefined
      ? []
      : readFolder(joinPath(repository.commonDir, "requirements"), /\.json$/);
    const leave = (name: string, why: string) => void notTaken.push({ name, why });
    const { path, planned, kept } = planPolicy(context, found, { ...flags, leave });
    const paths = planned.map(({ target }) => target.path);
    if (!dryRun) await refuseHeld(context, paths);
    const satisfactions = states.flatMap((file) =>
      readState(file, (why) => void skipped.push({ path: file.path, why }))
    );
    let counts = { satisfied: 0, present: 0 };
    if (satisfactions.length > 0) {
      const here = { repository: repository?.commonDir ?? "", registry: sessions, skipped };
      // Rows and files are written together: if one of them cannot be written, none is.
      counts = await takeOver(context, { dryRun }, (db, options) => {
        const work = () => record(db, satisfactions, { ...here, ...options, planned });
        return dryRun ? work() : transaction(db, work);
      });
    } else if (!dryRun) writePlanned(planned);
    if (!dryRun) await acceptFiles(context, paths);
    const files = planned.map(({ target, added }) => ({ path: target.path, added }));
    const added = [...new Set(planned.flatMap((file) => file.added))];
    const left = [...notTaken, ...skipped.map((one) => ({ name: one.path, why: one.why }))];
    const lines = states.length > 0 || Object.values(found).some((file) => file)
      ? [
        dryRun ? "What would be taken over; nothing was written." : "Took over what is here.",
        ...files.map((file) => `${file.path}: ${dryRun ? "gets" : "got"} ${file.added.join(", ")}`),
        ...kept.length === 0 ? [] : [`Stays as it is here: ${kept.join(", ")}`],
        `Branches: ${counts.satisfied} satisfactions ${dryRun ? "to record" : "recorded"}, ` +
        `${counts.present} known already, from ${states.length} files.`,
        ...notTakenLines("Not taken over:", left),
        ...planned.flatMap(({ target }) => ignoreAdvice(target)),
        "The older files are as they were. Its hooks ask as well until they are out of Claude Code's settings.",
      ]
      : ["Nothing to take over. Looked for:", ...searched.map((one) => `  ${one}`)];
    return {
      json: {
        config: { path, files, added, kept, notTaken },
        state: { files: states.length, ...counts, skipped },
        searched,
        dryRun,
      },
      text: lines,
    };
  },
});

type Files = Readonly<Record<"global" | "project" | "local", FoundFile | undefined>>;

/** Finds the framework's files of the user and of the project: the nearest upwards, within the repository. */
function findFiles({ cwd, locations: { home } }: CliContext, top = cwd) {
  const searched: string[] = [];
  const read = (folder: string | null, name: string) => {
    if (folder === null) return undefined;
    searched.push(joinPath(folder, `.claude/${name}`));
    return readFound(searched.at(-1)!);
  };
  const above = withParents(cwd).filter((folder) => `${folder}/`.startsWith(`${top}/`));
  const isThere = (folder: string) => readFound(joinPath(folder, ".claude/requirements.yaml"));
  // The file in the home is the user's, not a project's.
  const nearest = above.find((one) => one !== home && isThere(one)) ?? top;
  const folder = nearest === home ? null : nearest;
  const files: Files = {
    global: read(home, "requirements.yaml"),
    project: read(folder, "requirements.yaml"),
    local: read(folder, "requirements.local.yaml"),
  };
  // The registry of sessions completes short ids; without it only our own sessions do.
  const registry = read(home, "sessions.json");
  const { sessions } = Object(registry === undefined ? {} : readFrameworkFile(registry));
  return { files, sessions: Object.keys(Object(sessions)), searched };
}

/** Plans our files and writes nothing. @throws {UserError} If one of them cannot be changed. */
function planPolicy(
  context: CliContext,
  files: Files,
  { local, force, leave }: ImportFlags & { readonly leave: (name: string, why: string) => void },
) {
  const valuesOf = (file: FoundFile | undefined): LayerValues | null => {
    const read = file === undefined ? null : readFrameworkFile(file);
    if (typeof read === "string") leave(file!.path, read);
    return typeof read === "string" ? null : read;
  };
  const [global, project] = [valuesOf(files.global), valuesOf(files.project)];
  if (project === null && files.global !== undefined) {
    leave(files.global.path, "the framework does nothing in a project without a file of its own");
  }
  const layers = { global, project, local: valuesOf(files.local) };
  const { shared, own } = convertConfig(layers, { allOwn: local, leave });
  const targets = { shared: targetOf(context, "project"), own: targetOf(context, "local") };
  const inShared = readYaml(targets.shared.text).root ?? {};
  const stays = (ownValue: Plain | undefined, { name, path, value }: ConfigEntry) => {
    const decided = valueAt(inShared, path);
    const given = shared.find((entry) => entry.name === name)?.value;
    // A different value in the shared file is somebody's decision, so no own value may override a part of it.
    const isDecided = decided !== undefined && !isSameValue(decided, given);
    return force ? isSameValue(ownValue, value) : ownValue !== undefined || isDecided;
  };
  const plans = ([[targets.shared, shared], [targets.own, own]] as const)
    .map(([target, entries]) => planEntries(target, entries, { head: HEAD, stays }));
  const planned = plans.flatMap(({ file }) => file ?? []);
  const kept = [...new Set(plans.flatMap((one) => one.kept))];
  return { path: targets.shared.path, planned, kept };
}

/** Records new satisfactions, but no expired or forgotten ones. @param here `registry`: the framework's session ids. */
function record(
  db: DatabaseSync,
  found: ReturnType<typeof readState>,
  { repository, registry, rules, dryRun, skipped, planned }: ImportOptions & {
    readonly planned: readonly PlannedFile[];
    readonly repository: string;
    readonly registry: readonly string[];
    readonly skipped: { path: string; why: string }[];
  },
) {
  const known = [...registry, ...found.map(({ sessionId }) => sessionId)];
  // The framework shortens ids, so the only session whose id begins with one is meant.
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
  const counts = { satisfied: 0, present: 0 };
  for (const { branch, ...one } of newest.values()) {
    const { requirement, sessionId, scope, expiresAtMs } = one;
    const isOver = scope !== "permanent" && expiresAtMs !== null && expiresAtMs <= Date.now();
    const key = { repository, branch, requirement, session_id: sessionId };
    const isForgotten = isKeyForgotten(db, "requirement", key);
    if (isOver || isForgotten) {
      const why = `a satisfaction that ${isOver ? "has expired" : "was forgotten here"}`;
      skipped.push({ path: one.metadata.imported_from, why: `${requirement}: ${why}` });
      continue;
    }
    const here = readStandings(db, { repository, branch }).find((standing) =>
      standing.requirement === requirement && standing.sessionId === sessionId
    );
    const isNew = (here?.satisfiedAtMs ?? -1) < one.atMs;
    counts[isNew ? "satisfied" : "present"]++;
    if (!isNew || dryRun) continue;
    const metadata = redactValue(one.metadata, rules) as Record<string, unknown>;
    satisfy(db, { repository, branch }, { ...one, by: "import", metadata });
  }
  if (!dryRun) writePlanned(planned);
  return counts;
}
