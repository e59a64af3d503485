/** `conclaude req init|enable|disable|import`: write requirements into configuration files, whose other parts stay. */
import type { DatabaseSync } from "node:sqlite";
import { isMap, parseDocument } from "yaml";
import "../config_sections.ts";
import { UserError } from "../../base/errors.ts";
import { isSameValue, nearestWords } from "../../base/likeness.ts";
import { joinPath, withParents } from "../../base/paths.ts";
import { type ConfigTarget, documentOf, planEntries, textWith } from "../../config/config_edit.ts";
import type { ConfigEntry } from "../../config/layer.ts";
import { parseConfig } from "../../config/parse.ts";
import { type LayerValues, type Plain, readYaml, valueAt } from "../../config/yaml_tree.ts";
import { findSessions } from "../../db/sessions.ts";
import { transaction } from "../../db/transaction.ts";
import { presetText } from "../../policy/requirements/presets.ts";
import { WHOLE_BRANCH } from "../../policy/requirements/standing.ts";
import { readStandings, satisfy } from "../../policy/store.ts";
import { redactValue } from "../../secrets/redact_value.ts";
import { type FoundFile, readFolder, readFound } from "../../system/found_file.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isKeyForgotten } from "../../upkeep/store.ts";
import type { ImportOptions } from "../../upkeep/transfer/import.ts";
import {
  convertConfig,
  readFrameworkFile,
  readState,
} from "../../upkeep/transfer/requirements_framework.ts";
import type { Config } from "../config_sections.ts";
import {
  acceptFiles,
  ignoreAdvice,
  refuseHeld,
  targetOf,
  writeAccepted,
  writePlanned,
} from "../config_target.ts";
import { type CliContext, filesHere } from "../context.ts";
import { oneOf, REQUIREMENT, toggle, usually } from "../flags.ts";
import { type NotTaken, notTakenLines, takeOver } from "../take_over.ts";
import { requireOneOfTwo } from "../usage.ts";
import { many, verb } from "../verb.ts";

export const enable = switchVerb(true);
export const disable = switchVerb(false);

export const init = verb({
  person: "req init",
  flags: {
    preset: usually(
      "relaxed",
      oneOf(
        ["solo", "team", "strict", "relaxed", "minimal", "advanced"],
        "team: protected branches and small ones; strict: a plan and protected branches; relaxed: a plan; solo and " +
          "minimal: none; advanced: all",
      ),
    ),
    local: toggle("Into `.conclaude.local.yaml`, which is not committed"),
    force: toggle("Replace the requirements that the file has"),
    preview: toggle("Only show what would be written"),
  },
  async run(context, flags) {
    const target = targetOf(context, flags.local ? "local" : "project");
    const section = presetText(flags.preset);
    const again = `req init --force${flags.local ? " --local" : ""} --preset ${flags.preset}`;
    const text = withSection(target, section, { force: flags.force, again });
    if (!flags.preview) await writeAccepted(context, target, text);
    return {
      json: { path: target.path, preset: flags.preset, written: !flags.preview, text },
      text: flags.preview ? [`${target.path} would hold:`, "", ...text.trimEnd().split("\n")] : [
        `Wrote the ${flags.preset} set into ${target.path}`,
        "They count from the next tool use on: `conclaude req status`.",
        ignoreAdvice(target),
      ],
    };
  },
});

function switchVerb(enabled: boolean) {
  const [name, way] = enabled ? ["enable", "on"] : ["disable", "off"];
  return verb({
    person: `req ${name}`,
    args: many(REQUIREMENT),
    flags: { all: toggle("Every requirement") },
    async run(context, { all }, ...names: string[]) {
      const known = Object.keys(parseConfig<Config>(filesHere(context)).config.requirements);
      requireOneOfTwo(`what to ${name}`, {
        given: { "a requirement": names.length > 0, "--all": all },
        next: `conclaude req ${name} ${known[0] ?? "NAME"}`,
        exitCode: 1,
      });
      const unknown = names.find((one) => !known.includes(one));
      if (unknown !== undefined) throw notConfigured(unknown, known);
      const chosen = all ? known : names;
      const target = targetOf(context, "local");
      const { text } = chosen.reduce((file, name) => {
        const entry = { path: ["requirements", name, "enabled"], value: enabled };
        return { ...file, text: textWith(file, entry) };
      }, target);
      await writeAccepted(context, target, text);
      return {
        json: { path: target.path, enabled, requirements: chosen },
        text: [`Switched ${way} ${chosen.join(", ")} in ${target.path}`, ignoreAdvice(target)],
      };
    },
  });
}

/** Makes the error for a name that no requirement has; the ones that are switched off are `known`, too. */
function notConfigured(name: string, known: readonly string[]): UserError {
  const near = nearestWords(name, known);
  return new UserError(`Unknown requirement "${name}"`, {
    why: near.length > 0
      ? `did you mean ${near.map((one) => `"${one}"`).join(" or ")}? Nothing was changed`
      : `this project has ${known.join(", ") || "none"}; nothing was changed`,
    next: known.length === 0 ? "conclaude req init" : "conclaude req status",
  });
}

/** Puts the section into the text of a file. If it can be appended, the former text stays character by character. */
function withSection(
  target: ConfigTarget,
  section: string,
  { force, again }: { readonly force: boolean; readonly again: string },
): string {
  const document = documentOf(target);
  const present: unknown = document.get("requirements");
  if (isMap(present) && present.items.length > 0 && !force) {
    throw new UserError(`Cannot write requirements into "${target.path}"`, {
      why: "it has some already, and only --force replaces them; nothing was changed",
      next: `conclaude ${again}`,
    });
  }
  const isAppendable = !document.has("requirements") &&
    (document.contents === null || (isMap(document.contents) && !document.contents.flow));
  if (isAppendable) {
    const before = target.text.trimEnd();
    return before === "" ? section : `${before}\n\n${section}`;
  }
  document.set("requirements", parseDocument(section).get("requirements"));
  if (isMap(document.contents)) document.contents.flow = false;
  return document.toString({ lineWidth: 0 });
}

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
    const skipped: NotTaken[] = [];
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
      readState(file, (why) => void skipped.push({ name: file.path, why }))
    );
    let counts = { satisfied: 0, present: 0 };
    if (satisfactions.length > 0) {
      const here = { repository: repository?.commonDir ?? "", registry: sessions, skipped };
      counts = await takeOver(context, { dryRun }, (db, options) => {
        const work = () => record(db, satisfactions, { ...here, ...options });
        if (dryRun) return work();
        // Rows and files are written together: if one of them cannot be written, none is.
        return transaction(db, () => {
          const recorded = work();
          writePlanned(planned);
          return recorded;
        });
      });
    } else if (!dryRun) writePlanned(planned);
    if (!dryRun) await acceptFiles(context, paths);
    const files = planned.map(({ target, added }) => ({ path: target.path, added }));
    const added = [...new Set(planned.flatMap((file) => file.added))];
    const lines = states.length > 0 || Object.values(found).some((file) => file)
      ? [
        dryRun ? "What would be taken over; nothing was written." : "Took over what is here.",
        ...files.map((file) => `${file.path}: ${dryRun ? "gets" : "got"} ${file.added.join(", ")}`),
        ...kept.length === 0 ? [] : [`Stays as it is here: ${kept.join(", ")}`],
        `Branches: ${counts.satisfied} satisfactions ${dryRun ? "to record" : "recorded"}, ` +
        `${counts.present} known already, from ${states.length} files.`,
        ...notTakenLines("Not taken over:", [...notTaken, ...skipped]),
        planned.map(({ target }) => ignoreAdvice(target)),
        "The older files are as they were. The framework's hooks ask as well until they are out of Claude Code's settings.",
      ]
      : ["Nothing to take over. Looked for:", ...searched.map((one) => `  ${one}`)];
    return {
      json: {
        config: { path, files, added, kept, notTaken },
        state: {
          files: states.length,
          ...counts,
          skipped: skipped.map(({ name, why }) => ({ path: name, why })),
        },
        searched,
        dryRun,
      },
      text: lines,
    };
  },
});

type Files = Readonly<Record<"global" | "project" | "local", FoundFile | undefined>>;

/** Finds the requirements framework's files: the user's, and the project's nearest upwards, within the repository. */
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
  { local, force, leave }: {
    readonly local: boolean;
    readonly force: boolean;
    readonly leave: (name: string, why: string) => void;
  },
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
  { repository, registry, rules, dryRun, skipped }: ImportOptions & {
    readonly repository: string;
    readonly registry: readonly string[];
    readonly skipped: NotTaken[];
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
    if (isOver || isKeyForgotten(db, "requirement", key)) {
      const why = isOver ? "has expired" : "was forgotten here";
      const name = one.metadata.imported_from;
      skipped.push({ name, why: `${requirement}: a satisfaction that ${why}` });
      continue;
    }
    const here = readStandings(db, { repository, branch }).find((standing) =>
      standing.requirement === requirement && standing.sessionId === sessionId
    );
    const isNew = (here?.satisfiedAtMs ?? -1) < one.atMs;
    counts[isNew ? "satisfied" : "present"]++;
    if (!isNew || dryRun) continue;
    const metadata = redactValue(one.metadata, rules) as Record<string, unknown>;
    satisfy(db, { ...one, repository, branch, by: "import", metadata });
  }
  return counts;
}
