/** What `conclaude req import` makes of the older framework's configuration: the plan, and our files with it. */
import { isMapping, type LayerValues, readLayer } from "../../config/layer.ts";
import { type Plain, readYaml } from "../../config/yaml_tree.ts";
import { UserError } from "../../errors.ts";
import type { FoundFile } from "../../project/found_file.ts";
import type { FrameworkFiles } from "../../project/framework_files.ts";
import { type ConfigPart, convertConfig } from "../../requirement/import_config.ts";
import type { LeftOut } from "../../requirement/import_fields.ts";
import { isSame, withEntries } from "../config_entries.ts";
import { type ConfigTarget, documentOf, targetOf, writeTarget } from "../config_target.ts";
import type { CliContext } from "../context.ts";

/** One of our files as it is to be. */
export interface PlannedFile {
  readonly target: ConfigTarget;
  readonly text: string;
  /** Names of requirements, and dotted names of other keys. */
  readonly added: readonly string[];
}

/** What is to be done about the configuration. */
export interface PolicyPlan {
  /** The file of the project that the team shares. */
  readonly path: string;
  /** Only those that change. */
  readonly files: readonly PlannedFile[];
  /** What our files say already, and what therefore stays. */
  readonly kept: readonly string[];
  /** What has a counterpart here and could not be used: names of requirements, keys, files. */
  readonly skipped: readonly LeftOut[];
  readonly notTaken: readonly LeftOut[];
  /** Whether the project gets its first configuration file. */
  readonly isFirst: boolean;
}

const HEAD = " What has to be true before Claude edits, commits or stops: `conclaude req --help`.";

/**
 * Plans the files; nothing is written.
 *
 * @param flags `local`: everything into the file that is not committed; `force`: what our files have is replaced.
 * @throws {UserError} When one of our files cannot be changed.
 */
export function planPolicy(
  context: CliContext,
  files: FrameworkFiles,
  flags: { readonly local: boolean; readonly force: boolean },
): PolicyPlan {
  const skipped: LeftOut[] = [];
  const layers = {
    global: valuesOf(files.global, skipped),
    project: valuesOf(files.project, skipped),
    local: valuesOf(files.local, skipped),
  };
  const { shared, own, ...left } = convertConfig(layers, { allOwn: flags.local });
  const project = targetOf(context, "project");
  const local = targetOf(context, "local");
  const inProject = partIn(readYaml(project.text).root ?? {});
  const kept = new Set<string>();
  // What the shared file says otherwise is somebody's decision: nothing is laid over a part of it.
  const isDecided = (name: string, value: Plain | undefined) =>
    !flags.force && inProject.has(name) && !isSame(inProject.get(name), value);
  const decided = new Set(
    [...inProject.keys()].filter((name) =>
      isDecided(name, entriesOf(shared).find((entry) => entry.name === name)?.value)
    ),
  );
  const planned = [
    planFile(project, entriesOf(shared), { force: flags.force, decided, kept }),
    planFile(local, entriesOf(own), { force: flags.force, decided, kept }),
  ];
  return {
    path: project.path,
    files: planned.filter((file) => file !== null),
    kept: [...kept],
    skipped: [...skipped, ...left.skipped],
    notTaken: [...left.notTaken, ...unused(files, layers.project)],
    isFirst: project.isNew && local.isNew,
  };
}

/**
 * Writes the planned files, all or none.
 *
 * @throws {UserError} When one cannot be written; what was written before it is taken back.
 */
export function writePolicy({ files }: PolicyPlan): void {
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

/** One thing that a file of ours is to say. */
interface Entry {
  /** A requirement's name, or the dotted name of a key of `hooks`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly value: Plain;
}

function entriesOf({ requirements, hooks }: ConfigPart): Entry[] {
  return [
    ...[...requirements].map(([name, value]) => ({ name, path: ["requirements", name], value })),
    ...hooks.map(({ path, value }) => ({
      name: ["hooks", ...path].join("."),
      path: ["hooks", ...path],
      value,
    })),
  ];
}

/** What a file of ours says of requirements and hooks, rightly or not, by the names of {@linkcode Entry}. */
function partIn(values: LayerValues): ReadonlyMap<string, Plain> {
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

/** The file with what it does not say yet; null when that is nothing. */
function planFile(
  target: ConfigTarget,
  entries: readonly Entry[],
  by: {
    readonly force: boolean;
    readonly decided: ReadonlySet<string>;
    readonly kept: Set<string>;
  },
): PlannedFile | null {
  const document = documentOf(target);
  const present = partIn(readYaml(target.text).root ?? {});
  const added = entries.filter(({ name, value }) => {
    const isThere = by.force ? isSame(present.get(name), value) : present.has(name);
    const stays = isThere || by.decided.has(name);
    if (stays) by.kept.add(name);
    return !stays;
  });
  if (added.length === 0) return null;
  const text = withEntries(target, document, { added, head: HEAD });
  const said = partIn(readLayer({ layer: "project", path: target.path, text }).values);
  const lost = added.find(({ name, value }) => !isSame(said.get(name), value));
  if (lost !== undefined) {
    throw new UserError(`Cannot write "${lost.name}" into "${target.path}"`, {
      why: "it would not be read as it was meant; nothing was changed",
      next: "conclaude config validate",
    });
  }
  return { target, text, added: added.map(({ name }) => name) };
}

/** A layer's keys; null where there is none to use, and then `skipped` says why. */
function valuesOf(file: FoundFile | undefined, skipped: LeftOut[]): LayerValues | null {
  if (file === undefined) return null;
  if (file.text === null) {
    skipped.push({ name: file.path, why: file.problem });
    return null;
  }
  const { root, faults } = readYaml(file.text);
  if (root !== undefined) return root;
  const fault = faults.at(-1);
  skipped.push({
    name: file.path,
    why: fault === undefined ? "it is no YAML" : `line ${fault.line}: ${fault.message}`,
  });
  return null;
}

/** Layers that did not count there either. */
function unused(files: FrameworkFiles, project: LayerValues | null): LeftOut[] {
  if (project !== null) return [];
  const why = "the framework does nothing in a project that has no usable " +
    "`.claude/requirements.yaml` of its own";
  return [files.global, files.local].filter((file) => file !== undefined)
    .map(({ path }) => ({ name: path, why }));
}
