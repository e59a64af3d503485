import { count } from "../../counts.ts";
import { plain } from "../../capture/plain.ts";
import { passedOver } from "../../config/beside.ts";
import { type ConfigFile, type ConfigLayer, readConfigFiles } from "../../config/discover.ts";
import { explainProblems } from "../../config/explain.ts";
import { configJsonSchema } from "../../config/json_schema.ts";
import { type ConfigProblem, readLayer } from "../../config/layer.ts";
import { mergedConfig, sourcedYaml } from "../../config/origin.ts";
import { parseConfig } from "../../config/parse.ts";
import { configTemplate } from "../../config/template.ts";
import { configNotes, configWarnings } from "../../config/warnings.ts";
import { messageOf, UserError } from "../../errors.ts";
import { isThere, writeWholeFile } from "../../maintenance/whole_file.ts";
import { writeAdvice } from "../../maintenance/write_advice.ts";
import { joinPath, resolvePath } from "../../paths.ts";
import { type FolderLook, lookUpwards } from "../../git/repository.ts";
import { quoteWord } from "../../settings/hooks.ts";
import type { CliContext } from "../context.ts";
import { USAGE } from "../usage.ts";
import type { View } from "../view.ts";

/** How many folders are searched for a project's file; see `readConfigFiles`. */
const MAX_SEARCHED = 12;

type InitFlags = {
  readonly user: boolean;
  readonly local: boolean;
  readonly force: boolean;
};

interface ConfigPlace {
  readonly layer: ConfigLayer;
  readonly folder: string;
  /** The name to write, then other names that would count in its place. */
  readonly names: readonly [string, ...string[]];
  /** A project's file is shared with the repository; the others are nobody else's business. */
  readonly mode: number;
}

/** `conclaude config init` */
export function initConfig(context: CliContext, flags: InitFlags): View {
  const { layer, folder, names, mode } = placeToInit(context, flags);
  const path = joinPath(folder, names[0]);
  const present = names.map((name) => joinPath(folder, name)).find(isThere);
  if (present !== undefined && !flags.force) {
    throw new UserError(`Cannot write "${path}"`, {
      why: present === path
        ? "the file is there already, and only --force replaces it; nothing was changed"
        : `"${present}" is there already, and only --force writes one that comes before it; nothing was changed`,
      next: [
        "conclaude config init --force",
        ...flags.user ? ["--user"] : [],
        ...flags.local ? ["--local"] : [],
      ]
        .join(" "),
    });
  }
  try {
    writeWholeFile(path, configTemplate(), { mode });
  } catch (thrown) {
    throw new UserError(`Cannot write "${path}"`, {
      why: `${messageOf(thrown)}; nothing was changed`,
      next: writeAdvice(path, thrown),
      cause: thrown,
    });
  }
  const advice = layer === "local"
    ? "\nIt is yours alone: add .conclaude.local.yaml to .gitignore."
    : "";
  return {
    json: { path, layer, overwritten: present === path },
    text: `Wrote ${plain(path)}\nEvery key is in it, commented out at its default.${advice}`,
  };
}

/** `conclaude config path` */
export function configPath(context: CliContext): View {
  const looks = lookUpwards(context.cwd);
  const files = readConfigFiles(looks, context.locations).map(({ layer, path }) => ({
    layer,
    path,
  }));
  const searched = searchedFolders(context, looks);
  const found = files.length === 0
    ? ["No configuration files: the defaults count. `conclaude config init` writes one."]
    : files.map(({ layer, path }) => `${layer.padEnd(9)}${path}`);
  return {
    json: { files, searched },
    text: [...found, "", "Searched:", ...searched.map((folder) => `  ${folder}`)].map(plain).join(
      "\n",
    ),
  };
}

/** `conclaude config show` */
export function showConfig(context: CliContext, flags: { readonly effective: boolean }): View {
  const files = filesHere(context);
  const { config, problems } = parseConfig(files);
  const merged = mergedConfig(files, { config, effective: flags.effective });
  const note = problems.length === 0
    ? []
    : [`# ${problemCount(problems)}: run \`conclaude config validate\``];
  return {
    json: { config: merged.values, sources: merged.sources },
    text: [...note, ...sourcedYaml(merged)].map(plain).join("\n"),
  };
}

/** `conclaude config validate [PATH]` */
export function validateConfig(
  context: CliContext,
  _flags: Readonly<Record<never, never>>,
  path?: string,
): View {
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
  const notes = configNotes(files);
  return {
    json: {
      valid,
      problems: problems.map((problem) => ({ ...problem, suggestion: problem.suggestion ?? null })),
      warnings,
      notes,
    },
    text: [
      ...(valid
        ? [files.length === 0 ? "No configuration files: the defaults count." : `Valid: ${names}`]
        : [...explainProblems(problems).split("\n"), "", problemCount(problems)]),
      ...warnings.map((warning) => `warning: ${warning}`),
      ...notes.map((note) => `note: ${note}`),
    ].map(plain).join("\n"),
    exitCode: valid ? 0 : 1,
  };
}

/** `conclaude config schema` */
export function configSchema(): View {
  const schema = configJsonSchema();
  return { json: schema, text: JSON.stringify(schema, null, 2) };
}

function placeToInit({ cwd, locations }: CliContext, flags: InitFlags): ConfigPlace {
  if (flags.user && flags.local) {
    throw new UserError("Cannot write two files at once", {
      why: "--user and --local name different ones",
      next: "conclaude config init --help",
      exitCode: USAGE,
    });
  }
  if (flags.local) {
    return { layer: "local", folder: cwd, names: [".conclaude.local.yaml"], mode: 0o600 };
  }
  if (!flags.user) {
    return {
      layer: "project",
      folder: cwd,
      names: [".conclaude.yaml", ".conclaude.yml"],
      mode: 0o644,
    };
  }
  if (locations.home === null || locations.dataFolder !== joinPath(locations.home, ".conclaude")) {
    throw new UserError("Cannot write the user's configuration", {
      why: locations.home === null
        ? "HOME is not set"
        : `"${joinPath(locations.home, ".conclaude")}" cannot be used; nothing was changed`,
      next: "conclaude doctor",
    });
  }
  return {
    layer: "user",
    folder: locations.dataFolder,
    names: ["config.yaml", "config.yml"],
    mode: 0o600,
  };
}

function filesHere({ cwd, locations }: CliContext): ConfigFile[] {
  return readConfigFiles(lookUpwards(cwd), locations);
}

function searchedFolders({ locations }: CliContext, looks: readonly FolderLook[]): string[] {
  return [locations.dataFolder, ...looks.slice(0, MAX_SEARCHED).map(({ path }) => path)];
}

/** One file by itself; of a folder the files that count there. */
function filesAt({ cwd, locations }: CliContext, name: string): ConfigFile[] {
  const home = locations.home ?? undefined;
  const path = resolvePath(name, { folder: cwd, home });
  try {
    if (Deno.statSync(path).isDirectory) return readConfigFiles(lookUpwards(path), locations);
    return [{ layer: "project", path, home, text: Deno.readTextFileSync(path) }];
  } catch (thrown) {
    throw new UserError(`Cannot read "${path}"`, {
      why: messageOf(thrown),
      next: thrown instanceof Deno.errors.NotFound
        ? "conclaude config path"
        : `ls -ld ${quoteWord(path)}`,
      cause: thrown,
    });
  }
}

function problemCount(problems: readonly ConfigProblem[]): string {
  return count(problems.length, "problem");
}
