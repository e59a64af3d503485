/** Builds and checks, however they are started: whether one that passes has done all that another one failed with. */
import { builds } from "./builders.ts";
import { goesToOtherFiles } from "./chain_parts.ts";
import { commandKey } from "./command_key.ts";
import { echoedScripts } from "./echoed_scripts.ts";
import { MANAGERS, nameOf, withoutLaunchers } from "./launchers.ts";
import { areSameFolder } from "./same_folder.ts";
import {
  type PackageScript,
  packageScripts,
  packagesOf,
  placeOfPackage,
} from "./package_echoes.ts";
import { environmentOf, folderBefore, folderIn, isHarmless, plainPath } from "./script_words.ts";
import { type ScriptCommand, scriptCommands, tellsStatusOf } from "./shell_words.ts";
import { placeOf } from "./test_runners.ts";
import { goPackages } from "./test_target.ts";
import { inToldFolder } from "./told_folder.ts";

/** What one command builds or checks. */
export interface Check {
  readonly tool: string;
  readonly folder: string;
  readonly environment: string;
  /** Its options and words, but for those that follow. */
  readonly options: readonly string[];
  /** Options that take more, or are stricter. */
  readonly widening: readonly string[];
  /** Files and folders; none for all that there are. */
  readonly paths: readonly string[];
}

/** Tools of which one run may hold another; of all others the words have to be the same. */
interface Tool {
  /** The program, with its verb. */
  readonly of: RegExp;
  /** What its words without a dash are; not there where they are none of these. */
  readonly words?: "paths" | "packages";
  readonly widening?: RegExp;
}

/** What does not pass before all is well has looked after it. */
const FIXES = /^--(?:fix|apply|autocorrect)$/;
const TOOLS: readonly Tool[] = [
  {
    of:
      /^(?:eslint|stylelint|oxlint|prettier|flake8|pylint|black|isort|rubocop|standardrb|swiftlint|shellcheck|ktlint)$/,
    words: "paths",
    widening: FIXES,
  },
  { of: /^(?:mypy|pyright|basedpyright)$/, words: "paths", widening: /^--strict$/ },
  {
    of: /^(?:ruff (?:check|format)|biome (?:check|lint|ci)|deno (?:lint|fmt|check))$/,
    words: "paths",
    widening: FIXES,
  },
  {
    of: /^cargo (?:clippy|check|build|doc)$/,
    widening: /^(?:--(?:all-targets|workspace|all|all-features)|--(?: -[DFW] ?[\w:-]+)+)$/,
  },
  { of: /^(?:go (?:vet|build)|golangci-lint run)$/, words: "packages", widening: /^-race$/ },
];
const SHORT_VERBS: Readonly<Record<string, string>> = {
  "cargo b": "cargo build",
  "cargo c": "cargo check",
};
/** Options without a value: a word behind one is a path. */
const ALONE =
  /^(?:-[a-z]|--(?:check|diff|fix|write|strict|quiet|cache|no-\S+|list-different|show-\S+|pretty|unsafe-fixes|preview))$/;
/** Scripts that are called without `run`. */
const RUN_BY_NAME = /^(?:build|bundle|compile|lint|check|types?|typecheck|type-check)\b/;
const IMAGES = /^(?:docker|podman)$/;
/** By these a compiler writes nothing, and checks the same. */
const WRITES_NONE: Readonly<Record<string, string>> = {
  "tsc": "--noEmit",
  "vue-tsc": "--noEmit",
};
/** An option that is none: in which package a script runs. */
const OF_PACKAGE = "of ";
/** A longer command is no check, but a program of its own. */
const MAX_CHARS = 1_000;

/** What a script that went well has built and checked, itself and by the scripts of the project that it called. */
export function passedChecks(
  script: string,
  { output, isShown }: {
    readonly output: string;
    /** Whether its output says that all went well, whatever the shell tells. */
    readonly isShown: boolean;
  },
): Check[] {
  const scripts = packageScripts(output);
  return [script, ...echoedScripts(script, output)].flatMap((one) => {
    const commands = scriptCommands(one);
    const moves = commands.findIndex(goesToOtherFiles);
    return checksOf(moves < 0 ? commands : commands.slice(0, moves)).flatMap((check, at) =>
      check !== null && (isShown || tellsStatusOf(commands, at))
        ? [check, ...inPackages(check, scripts)]
        : []
    );
  });
}

/** A command that failed, with what it printed. */
interface Failed {
  readonly text: string;
  readonly facts: { readonly command?: string };
}

/** Whether all that a command failed with has been built and checked since, or that which the script of the project ran last. */
export function areChecked({ text, facts: { command = "" } }: Failed, all: readonly Check[]) {
  // Most failures are of something else, which is seen without taking them apart.
  const passed = all.filter(({ tool }) => text.includes(nameIn(tool)));
  if (passed.length === 0) return false;
  const scripts = [command, ...echoedScripts(command, text).slice(-1)];
  return scripts.some((script) => {
    const commands = scriptCommands(script);
    const checks = checksOf(commands);
    const isAll = commands.every((one, at) => checks[at] !== null || isHarmless(one));
    const failed = checks.filter((check) => check !== null);
    return isAll && failed.length > 0 &&
      failed.every((check) => {
        const packages = inPackages(check, packageScripts(text));
        const same = packages.length === 1 ? [check, ...packages] : [check];
        return passed.some((one) => same.some((check) => isAsWide(one, check)));
      });
  });
}

/** A script as it were called in each of the packages that it says it ran in. */
function inPackages(check: Check, scripts: readonly PackageScript[]): readonly Check[] {
  return packagesOf(check, scripts).map((name) => ({
    ...check,
    folder: placeOfPackage(name),
    options: check.options.filter((option) => !option.startsWith(OF_PACKAGE)),
  }));
}

function nameIn(tool: string): string {
  const [program = "", script = ""] = tool.split(" ", 2);
  return program === "script" ? script : program;
}

function checksOf(commands: readonly ScriptCommand[]): (Check | null)[] {
  return commands.map((command, at) => {
    const call = callOf(command);
    return call === null ? null : {
      ...call,
      folder: folderIn(folderBefore(commands, at), call.folder),
      environment: environmentOf(commands, at),
    };
  });
}

/** What a command checks; its folder is the one that an option leads to. */
function callOf(command: ScriptCommand): Omit<Check, "environment"> | null {
  if (command.source.length > MAX_CHARS || command.before === "|") return null;
  const [plain = command] = scriptCommands(commandKey(command.source));
  const { folder, words } = inToldFolder(plain.words);
  const [program = "", ...args] = withoutLaunchers(words);
  const name = nameOf(program);
  const call = callOfTool(name, { args, builds: builds({ ...command, words }) });
  return call === null ? null : { ...call, folder };
}

function callOfTool(
  name: string,
  { args, builds }: { readonly args: readonly string[]; readonly builds: boolean },
): Omit<Check, "folder" | "environment"> | null {
  if (MANAGERS.has(name)) return builds ? scriptOf(name, args) : null;
  const withVerb = [name, args[0] ?? ""].join(" ");
  const verb = SHORT_VERBS[withVerb] ?? withVerb;
  const tool = TOOLS.find(({ of }) => of.test(name) || of.test(verb));
  if (tool === undefined) {
    const options = IMAGES.test(name) ? withoutTags(args) : args;
    return builds ? { tool: name, options, widening: [], paths: [] } : null;
  }
  const isOfVerb = !tool.of.test(name);
  return { tool: isOfVerb ? verb : name, ...readWords(tool, isOfVerb ? args.slice(1) : args) };
}

/** `npm run lint`, `pnpm lint`: which manager it is makes no difference. */
function scriptOf(manager: string, words: readonly string[]) {
  const { place, rest: [first = "", ...rest] } = placeOf(manager, words);
  const isRun = first === "run" || first === "run-script";
  const [script = "", ...args] = isRun ? rest : [first, ...rest];
  const isScript = isRun ? /^\w/.test(script) : manager !== "npm" && RUN_BY_NAME.test(script);
  if (!isScript) return null;
  const own = args[0] === "--" ? args.slice(1) : args;
  const options = place === "" ? own : [...own, `${OF_PACKAGE}${place}`];
  return { tool: `script ${script}`, options, widening: [], paths: [] };
}

/** How an image is called changes nothing of how it is built. */
function withoutTags(args: readonly string[]): readonly string[] {
  return args.filter((word, at) =>
    !/^(?:-t$|--tag(?:=|$))/.test(word) && !/^(?:-t|--tag)$/.test(args[at - 1] ?? "")
  );
}

function readWords(tool: Tool, args: readonly string[]) {
  const end = args.indexOf("--");
  const [own, behind] = end < 0 || tool.words !== undefined
    ? [args.filter((word) => word !== "--"), []]
    : [args.slice(0, end), [args.slice(end).join(" ")]];
  const paths: string[] = [];
  const options: string[] = [...behind];
  for (let at = 0; at < own.length; at++) {
    const word = own[at]!;
    if (!word.startsWith("-")) (tool.words === undefined ? options : paths).push(word);
    else {
      const next = own[at + 1] ?? "-";
      const takesNext = !next.startsWith("-") && !word.includes("=") && !ALONE.test(word) &&
        tool.widening?.test(word) !== true;
      options.push(takesNext ? `${word} ${own[++at]}` : word);
    }
  }
  const { wide = [], other = [] } = Object.groupBy(
    options,
    (option) => tool.widening?.test(option) === true ? "wide" : "other",
  );
  return { options: other.toSorted(), widening: wide, paths: pathsOf(tool, paths) };
}

function pathsOf({ words }: Tool, paths: readonly string[]): readonly string[] {
  if (words === "packages") return goPackages(paths);
  const plain = paths.map(plainPath);
  return plain.includes("") ? [] : plain;
}

/** Whether a check has done all that another one did. */
function isAsWide(passed: Check, failed: Check): boolean {
  return passed.tool === failed.tool && passed.environment === failed.environment &&
    areSameFolder(passed.folder, failed.folder) &&
    haveSameOptions(passed, failed) &&
    failed.widening.every((option) => passed.widening.includes(option)) &&
    (passed.paths.length === 0 ||
      failed.paths.length > 0 &&
        failed.paths.every((path) =>
          passed.paths.some((taken) => path === taken || path.startsWith(`${taken}/`))
        ));
}

function haveSameOptions({ tool, options }: Check, failed: Check): boolean {
  const own = options.join("\n");
  const less = failed.options.filter((option) => option !== WRITES_NONE[tool]);
  return own === failed.options.join("\n") || own === less.join("\n");
}
