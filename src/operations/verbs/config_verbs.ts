/** `conclaude config path|show|get|validate|schema`: read the configuration. The other verbs write files. */
import "../config_sections.ts";
import { count } from "../../base/counts.ts";
import { messageOf, UserError } from "../../base/errors.ts";
import { parentOf, shortPaths } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { configSchema } from "../../config/config_schema.ts";
import {
  configJsonSchema,
  mergedConfig,
  sourcedYaml,
  sourcesIn,
  valueText,
} from "../../config/config_template.ts";
import { type ConfigFile, isLeftOut, MAX_FOLDERS, searchedFolders } from "../../config/discover.ts";
import { type ConfigProblem, readLayer } from "../../config/layer.ts";
import { listLeftOut, passedOver } from "../../config/left_out.ts";
import { parseConfig } from "../../config/parse.ts";
import { trustedFolders } from "../../config/store.ts";
import { valueAt } from "../../config/yaml_tree.ts";
import { spellingPassed } from "../../policy/guards/command_rules.ts";
import { policiesIn } from "../../policy/policies.ts";
import { isNotFound, readTextFileSync } from "../../system/files.ts";
import { lookUpwards } from "../../system/git/repository.ts";
import { isFolder } from "../../system/on_disk.ts";
import { KEY, pathOf } from "../config_target.ts";
import { type CliContext, filesHere, typedPath } from "../context.ts";
import { textFlag, toggle } from "../flags.ts";
import { filesInForce, heldText } from "../look_as_hook.ts";
import { nextHere } from "../next_command.ts";
import { section } from "../table.ts";
import { group, lazyFrom, verb } from "../verb.ts";

const path = verb({
  run(context) {
    const all = filesHere(context);
    const files = all.filter((file) => !isLeftOut(file))
      .map(({ layer, path }) => ({ layer, path }));
    const leftOut = listLeftOut(all, context.cwd, context.locations)
      .map((file) => ({ ...file, next: nextHere(file.next, context.globals) }));
    const { dataFolder, database, home } = context.locations;
    const trusted = trustedFolders(database);
    const folders = searchedFolders(lookUpwards(context.cwd), home).folders.slice(0, MAX_FOLDERS);
    const searched = [dataFolder, ...folders.map(({ path }) => path)];
    return {
      json: { files, searched, leftOut, trusted },
      text: [
        files.length === 0 &&
        "No configuration files: the defaults count. `conclaude config init` writes one.",
        files.map(({ layer, path }) => `${layer.padEnd(9)}${path}`),
        section(
          "Left out, since others could have written them:",
          leftOut.map(({ path, why, next }) => `${path}: ${why}. So that it counts: ${next}`),
        ),
        section("Searched:", searched),
        section("Trusted by `conclaude config trust`:", trusted),
      ],
    };
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
    const n = problems.length;
    return {
      json: { config: merged.values, sources: merged.sources },
      text: [
        n > 0 && `# ${count(n, "problem")}: run \`conclaude config validate\``,
        sourcedYaml(merged),
      ],
    };
  },
});

const get = verb({
  args: [KEY],
  async run(context, _flags, named) {
    // A denial names a rule with its index: `stop.commands[0]`.
    const key = named.replace(/\[\d+\]$/, "");
    const path = pathOf(key, (known) => `conclaude config get ${known}`);
    const { files, held } = await filesInForce(context);
    const { config } = parseConfig(files);
    const value = valueAt(config, path);
    if (value === undefined) {
      const why = "no file sets it, and it has no default";
      throw new UserError(`Cannot show "${key}"`, { why, next: "conclaude config show" });
    }
    const { keys, rowName } = configSchema();
    const below = keys.map((row) => row.key).filter((name) => name.startsWith(`${key}.`));
    const about = keys.find((row) => row.key === rowName(path))?.description;
    const sourceOf = sourcesIn(files, config);
    const names = below.length === 0 ? [key] : below;
    const sources = Object.fromEntries(names.map((name) => [name, sourceOf(name)]));
    return {
      json: { key, value, sources },
      text: [
        held.length > 0 && heldText({ held }).trimEnd(),
        about !== undefined && `# ${about}`,
        names.map((name) =>
          `${name}: ${valueText(valueAt(config, name.split(".")))}  # ${sources[name]}`
        ),
      ],
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
  async run(context, _flags, path) {
    const files = path === undefined ? filesHere(context) : filesAt(context, path);
    const problems = files.flatMap((file) => readLayer(file).problems);
    const valid = problems.length === 0;
    const warnings = [...configWarnings(files), ...await heldWarnings(context, path)];
    const summary = files.length === 0
      ? "No configuration files: the defaults count."
      : `Valid: ${files.map((file) => file.path).join(", ")}`;
    const lines = [
      ...valid
        ? [summary]
        : [...explainProblems(problems).split("\n"), "", count(problems.length, "problem")],
      ...warnings.map((warning) => `warning: ${warning}`),
    ];
    const at = { folder: context.cwd, home: context.locations.home };
    const told = problems.map((one) => ({ ...one, suggestion: one.suggestion ?? null }));
    return {
      json: { valid, problems: told, warnings, notes: [] },
      text: lines.map((line) => shortPaths(line, at)),
      exitCode: valid ? 0 : 1,
    };
  },
});

/** Words a warning for each file whose version before is in force. @param name A file or a folder; here without it. */
async function heldWarnings(context: CliContext, name: string | undefined): Promise<string[]> {
  const path = name === undefined ? context.cwd : typedPath(context, name);
  const isWhole = isFolder(path);
  const { held } = await filesInForce({ ...context, cwd: isWhole ? path : parentOf(path) });
  return held.filter((file) => isWhole || file === path).map((file) =>
    `${file} was changed while a session was active, and its version before is in force: ` +
    `conclaude config accept, or conclaude config undo ${quoteWord(file)}`
  );
}

function filesAt({ cwd, locations }: CliContext, name: string): ConfigFile[] {
  const path = typedPath({ cwd, locations }, name);
  try {
    if (isFolder(path)) return filesHere({ cwd: path, locations });
    const home = locations.home ?? undefined;
    return [{ layer: "project", path, home, text: readTextFileSync(path) }];
  } catch (thrown) {
    throw new UserError(`Cannot read "${path}"`, {
      why: messageOf(thrown),
      next: isNotFound(thrown) ? "conclaude config path" : `ls -ld ${quoteWord(path)}`,
      cause: thrown,
    });
  }
}

/** Words a warning for all that does not count and each rule that is easy to pass. @param files In their order. */
function configWarnings(files: readonly ConfigFile[]): string[] {
  const { hook, policy } = parseConfig(files);
  const what = policy.isStrict
    ? "the requirements forbid all that they are about"
    : "the requirements are not in force";
  const unkept = hook.requirements !== "" && !hook.databaseEnabled;
  const { guards } = policiesIn(hook);
  return [
    ...passedOver(files).map(({ path, counts }) =>
      `${path} counts for nothing, since ${counts} stands beside it`
    ),
    ...files.flatMap((file) =>
      readLayer(file).unheeded.map((key) =>
        `${file.path}: \`${key}\` counts only in the user's own file (~/.conclaude/config.yaml)`
      )
    ),
    ...unkept ? [`${what}, since \`database.enabled\` is false: nothing can be kept of them`] : [],
    ...(guards?.rules ?? []).flatMap((rule) => {
      const passed = spellingPassed(rule);
      if (passed === null) return [];
      const { spelling, holds } = passed;
      return `${rule.name}: \`${spelling}\` passes "${rule.glob}"; "${holds}" holds for it too`;
    }),
  ];
}

/** Describes each problem in a block: its place (`file:line:column`), what is wrong, and the next step. */
export function explainProblems(problems: readonly ConfigProblem[]): string {
  const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
  return problems.map(({ path, line, column, key, message, suggestion }) => {
    const place = line > 0 ? `${path}:${line}:${column}` : path;
    const next = suggestion === undefined ? "" : `\n  next: ${oneLine(suggestion)}`;
    return `${key === "" ? place : `${place}  ${key}`}\n  why:  ${oneLine(message)}${next}`;
  }).join("\n\n");
}

const schema = verb({
  run() {
    const schema = configJsonSchema();
    return { json: schema, text: JSON.stringify(schema, null, 2), quoted: true };
  },
});

const writing = lazyFrom(() => import("./config_write_verbs.ts"));

export const config = group({
  init: writing("init"),
  path,
  trust: writing("trust"),
  show,
  get,
  set: writing("set"),
  validate,
  accept: writing("accept"),
  undo: writing("undo"),
  schema,
});
