import { count } from "../../base/counts.ts";
import { listLeftOut, passedOver } from "../../config/left_out.ts";
import { type ConfigFile, isLeftOut, MAX_FOLDERS, searchedFolders } from "../../config/discover.ts";
import {
  configJsonSchema,
  configTemplate,
  mergedConfig,
  sourcedYaml,
} from "../../config/config_template.ts";
import { valueAt } from "../../config/yaml_tree.ts";
import { type ConfigProblem, readLayer } from "../../config/layer.ts";
import { parseConfig } from "../../config/parse.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { lookUpwards } from "../../system/git/repository.ts";
import { isFolder, isThere } from "../../system/on_disk.ts";
import { joinPath, shortPaths } from "../../base/paths.ts";
import { realPath } from "../../system/real_paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { addTrusted, forgetBelow, removeTrusted, trustedFolders } from "../../config/store.ts";
import {
  acceptFiles,
  IGNORE_ADVICE,
  LAYER_FILES,
  layerOf,
  userFolder,
  writeTarget,
} from "../config_target.ts";
import { type CliContext, filesHere, typedPath } from "../context.ts";
import { oneOfFlag, text, textFlag, toggle } from "../flags.ts";
import {
  POLICY_PRESETS,
  type PolicyPreset,
  policyPreset,
} from "../../policy/requirements/presets.ts";
import { accept, get, LAYER_FLAGS, set, undo } from "./config_value_verbs.ts";
import { nextHere } from "../next_command.ts";
import { openAt, placeOf } from "../open_store.ts";
import { section } from "../table.ts";
import { group, verb } from "../verb.ts";
import { isNotFound, readTextFileSync } from "../../system/files.ts";
import "../config_sections.ts";
import { spellingPassed } from "../../policy/guards/command_rules.ts";
import { policiesIn } from "../../policy/policies.ts";

const init = verb({
  person: "config init",
  flags: {
    ...LAYER_FLAGS,
    force: toggle("Replace a file that is there"),
    preset: oneOfFlag(
      Object.keys(POLICY_PRESETS) as PolicyPreset[],
      "Begin with rules: for one developer, a team, or where mistakes are expensive",
    ),
  },
  async run(context, flags) {
    const layer = layerOf("init", flags);
    const { names, mode, flag } = LAYER_FILES[layer];
    const folder = layer === "user" ? userFolder(context) : context.cwd;
    const path = joinPath(folder, names[0]!);
    const present = names.map((name) => joinPath(folder, name)).find(isThere);
    if (present !== undefined && !flags.force) {
      const how = present === path ? "replaces it" : `writes "${path}", which comes before it`;
      throw new UserError(`Cannot write "${path}"`, {
        why: `"${present}" is there already, and only --force ${how}; nothing was changed`,
        next: `conclaude config init --force${flag}${
          flags.preset ? ` --preset ${flags.preset}` : ""
        }`,
      });
    }
    const before = listSources(context);
    writeTarget(
      { path, mode },
      flags.preset ? policyPreset(flags.preset) : configTemplate(POLICY_PRESETS),
    );
    await acceptFiles(context, [path]);
    const after = listSources(context);
    const replaced = Object.keys(before).filter((key) =>
      before[key] !== path && after[key] === path
    );
    return {
      json: { path, layer, overwritten: present === path },
      text: [
        `Wrote ${path}`,
        flags.preset
          ? "Its rules hold from the next tool use on: `conclaude guard list`."
          : "Every key is in it, commented out at its default. To set one: `conclaude config set KEY VALUE`.",
        ...replaced.length === 0
          ? []
          : [`It replaces lists of other files, which count no longer: ${replaced.join(", ")}.`],
        ...layer === "local" ? [IGNORE_ADVICE] : [],
      ],
    };
  },
});

/** Returns the lists of the configuration, by their keys the files that set them. */
function listSources(context: CliContext): Readonly<Record<string, string>> {
  const files = filesHere(context);
  const { values, sources } = mergedConfig(files, {
    config: parseConfig(files).config,
    effective: false,
  });
  const lists = Object.entries(sources)
    .filter(([key]) => Array.isArray(valueAt(values, key.split("."))));
  return Object.fromEntries(lists);
}

const path = verb({
  run(context) {
    const all = filesHere(context);
    const files = all.filter((file) => !isLeftOut(file))
      .map(({ layer, path }) => ({ layer, path }));
    const leftOut = listLeftOut(all, context.cwd, context.locations)
      .map((file) => ({ ...file, next: nextHere(file.next, context.globals) }));
    const trusted = trustedFolders(context.locations.database);
    const { dataFolder, home } = context.locations;
    const folders = searchedFolders(lookUpwards(context.cwd), home).folders.slice(0, MAX_FOLDERS);
    const searched = [dataFolder, ...folders.map(({ path }) => path)];
    const found = files.length === 0
      ? ["No configuration files: the defaults count. `conclaude config init` writes one."]
      : files.map(({ layer, path }) => `${layer.padEnd(9)}${path}`);
    return {
      json: { files, searched, leftOut, trusted },
      text: [
        ...found,
        ...section(
          "Left out, since others could have written them:",
          leftOut.map(({ path, why, next }) => `${path}: ${why}. So that it counts: ${next}`),
        ),
        ...section("Searched:", searched),
        ...section("Trusted by `conclaude config trust`:", trusted),
      ],
    };
  },
});

const trust = verb({
  person: "config trust",
  flags: { remove: toggle("Take that back") },
  args: [text("The folder", "dir")],
  async run(context, flags, dir) {
    const { globals, locations } = context;
    const typed = typedPath(context, dir);
    const cannot = (why: string, next: string) =>
      new UserError(`Cannot ${flags.remove ? "distrust" : "trust"} "${typed}"`, {
        why: `${why}; nothing was changed`,
        next,
      });
    if (!flags.remove && !isFolder(typed)) throw cannot("it is no folder", "conclaude config path");
    if (globals.noDb) {
      throw cannot("with `--no-db` nothing is kept", "give the command again without `--no-db`");
    }
    if (locations.databaseFrom === "fallback") {
      throw cannot(
        "without a home the database lies where others could make one",
        "export HOME=DIR",
      );
    }
    const path = realPath(typed);
    // A configuration file must not choose the database that records its trust, so this is always this home's database.
    const { db } = await openAt(context, await placeOf(context), locations.database);
    const changed = flags.remove
      ? removeTrusted(db, path)
      : addTrusted(db, { path, addedAtMs: Date.now() });
    // The stored versions of its files no longer count, even if a session is active.
    if (flags.remove && changed) forgetBelow(db, path);
    const text = flags.remove ? [`${path} is ${changed ? "no longer" : "not"} trusted.`] : [
      `${path} is trusted${changed ? "" : " already"}: what lies in it and below counts from the ` +
      "next hook on, whoever may write there.",
      `To take that back: conclaude config trust ${quoteWord(path)} --remove`,
    ];
    return { json: { path, trusted: !flags.remove, changed }, text };
  },
});

const show = verb({
  flags: {
    effective: toggle(
      "Every key, also those that no file names; --no-effective leaves them out",
      true,
    ),
  },
  run(context, flags) {
    const files = filesHere(context);
    const { config, problems } = parseConfig(files);
    const merged = mergedConfig(files, { config, effective: flags.effective });
    const note = problems.length === 0
      ? []
      : [`# ${count(problems.length, "problem")}: run \`conclaude config validate\``];
    return {
      json: { config: merged.values, sources: merged.sources },
      text: [...note, ...sourcedYaml(merged)],
    };
  },
});

const validate = verb({
  args: [
    textFlag(
      "A file to judge by itself, or a folder for all that count there; without it, here",
      "path",
    ),
  ],
  run(context, _flags, path) {
    const files = path === undefined ? filesHere(context) : filesAt(context, path);
    const problems = files.flatMap((file) => readLayer(file).problems);
    const valid = problems.length === 0;
    const names = files.map((file) => file.path).join(", ");
    const warnings = [
      ...passedOver(files).map(({ path, counts }) =>
        `${path} counts for nothing, since ${counts} stands beside it`
      ),
      ...configWarnings(files),
    ];
    const withSuggestion = problems.map((one) => ({ ...one, suggestion: one.suggestion ?? null }));
    const summary = files.length === 0
      ? "No configuration files: the defaults count."
      : `Valid: ${names}`;
    const lines = [
      ...(valid
        ? [summary]
        : [...explainProblems(problems).split("\n"), "", count(problems.length, "problem")]),
      ...warnings.map((warning) => `warning: ${warning}`),
    ];
    const at = { folder: context.cwd, home: context.locations.home };
    return {
      json: { valid, problems: withSuggestion, warnings, notes: [] },
      text: lines.map((line) => shortPaths(line, at)),
      exitCode: valid ? 0 : 1,
    };
  },
});

const schema = verb({
  run() {
    const schema = configJsonSchema();
    return { json: schema, text: JSON.stringify(schema, null, 2), quoted: true };
  },
});

export const config = group({ init, path, trust, show, get, set, validate, accept, undo, schema });

/** Reads one file, or the configuration files that count in a folder. */
function filesAt(context: CliContext, name: string): ConfigFile[] {
  const path = typedPath(context, name);
  const { locations } = context;
  const home = locations.home ?? undefined;
  try {
    if (isFolder(path)) return filesHere({ cwd: path, locations });
    return [{ layer: "project", path, home, text: readTextFileSync(path) }];
  } catch (thrown) {
    throw new UserError(`Cannot read "${path}"`, {
      why: messageOf(thrown),
      next: isNotFound(thrown) ? "conclaude config path" : `ls -ld ${quoteWord(path)}`,
      cause: thrown,
    });
  }
}

/** Words a warning for each key that does not count and each rule that is easy to pass. @param files In their order. */
function configWarnings(files: readonly ConfigFile[]): string[] {
  const { hook, policy } = parseConfig(files);
  const hasRequirements = hook.requirements !== "";
  const warnings = files.flatMap((file) =>
    readLayer(file).unheeded.map((key) =>
      `${file.path}: \`${key}\` counts only in the user's own file (~/.conclaude/config.yaml)`
    )
  );
  if (hasRequirements && !hook.databaseEnabled) {
    const what = policy.isStrict
      ? "the requirements forbid all that they are about"
      : "the requirements are not in force";
    warnings.push(`${what}, since \`database.enabled\` is false: nothing can be kept of them`);
  }
  const { guards } = policiesIn(hook);
  for (const rule of guards?.tools ?? []) {
    const passed = spellingPassed(rule);
    if (passed === null) continue;
    const { spelling, holds } = passed;
    warnings.push(
      `${rule.name}: \`${spelling}\` passes "${rule.glob}"; "${holds}" holds for it too`,
    );
  }
  return warnings;
}

/** Describes each problem in a block: its place (`file:line:column`), what is wrong, and the next step. */
export function explainProblems(problems: readonly ConfigProblem[]): string {
  return problems.map(explainProblem).join("\n\n");
}

function explainProblem(problem: ConfigProblem): string {
  const { path, line, column, key, message, suggestion } = problem;
  const place = line > 0 ? `${path}:${line}:${column}` : path;
  const lines = [key === "" ? place : `${place}  ${key}`, `  why:  ${oneLine(message)}`];
  if (suggestion !== undefined) lines.push(`  next: ${oneLine(suggestion)}`);
  return lines.join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
