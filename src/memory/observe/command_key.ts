/**
 * Makes the key of a command: its program and subcommand, its package or folder, and the tests or files that it
 * selects. A failure is open until a command passes that has the same key, or selects more.
 */
import { pathInProject } from "../project_paths.ts";
import type { Check, CommandKey } from "./observation.ts";
import { BUILDERS, CHECK_TOOLS, type CheckTool, TASK_CHECKS, taskVerbOf } from "./check_tools.ts";
import {
  calledWords,
  folderBefore,
  folderIn,
  gitArguments,
  gitFolders,
  PACKAGE_MANAGERS,
  plainPath,
  type ScriptCommand,
} from "./shell_words.ts";

/** Options that make a program run in another folder. */
const FOLDER_OPTIONS: readonly (readonly [program: RegExp, option: RegExp])[] = [
  [/^(?:g?make|ninja|go)$/, /^(?:-C|--directory)$/],
  [/^npm$/, /^(?:-C|--prefix)$/],
  [/^pnpm$/, /^(?:-C|--dir)$/],
  [/^(?:yarn|bun|deno)$/, /^--cwd$/],
];
/** Options of package managers that name a package. */
const PACKAGE_OPTIONS = "--filter --workspace -F -w";
/** Programs whose second word is a subcommand. */
const WITH_VERBS: ReadonlySet<string> = new Set(
  ("cargo go deno bun npm pnpm yarn git gh glab docker podman kubectl helm terraform dotnet swift mix pip pip3 uv poetry " +
    "pdm bundle gem composer rustup brew apt apt-get systemctl service aws gcloud az flutter zig claude rails artisan prisma")
    .split(" "),
);
/** Subcommands after which another subcommand follows. */
const WITH_TWO_VERBS =
  /^(?:gh|glab|docker compose|docker container|aws|gcloud|az|uv pip|git stash|git worktree)/;
/** Operations of git whose key lacks their arguments: another call repeats or continues the same operation. */
const GIT_OPERATIONS = /^(?:commit|push|pull|fetch|merge|rebase|cherry-pick|revert|am|stash pop)$/;
const INTERPRETER = /^(?:python[\d.]*|py|node|ruby|perl|php|lua|bash|sh|zsh|tsx|ts-node|Rscript)$/;
const OPTION = /^-/;

/** Returns the key of one command of a script; null when only launchers remain of it. */
export function commandKey(
  commands: readonly ScriptCommand[],
  at: number,
  root: string | null,
): CommandKey | null {
  const [program, ...typed] = calledWords(commands[at]!.words);
  if (program === undefined) return null;
  const git = gitArguments([program, ...typed]);
  const { folder: inside, args } = git === null
    ? takeFolderOption(program, typed.filter((word) => !/^\+\S/.test(word)))
    : { folder: gitFolders([program, ...typed]).join("/"), args: git };
  const folder = inProject(folderIn(folderBefore(commands, at), inside), root);
  const call = { program, args, folder, root };
  return taskKey(call) ?? toolKey(call) ?? otherKey(call);
}

/** A program with its arguments, and the folder in which it runs, relative to the project's folder. */
interface Call {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly root: string | null;
}

/** Returns the key of a task: `npm run test:unit -- a.test.ts`, `make lint`, `./gradlew :app:test`. */
function taskKey(call: Call): CommandKey | null {
  const { program, folder, args } = call;
  const runVerb = taskVerbOf(program);
  if (runVerb === null || isRunner(call)) return null;
  const isManager = PACKAGE_MANAGERS.has(program);
  // The program that the task runs takes what follows `--`. Words such as `V=1` are variables.
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const options = { chooses: "", values: "", places: isManager ? PACKAGE_OPTIONS : "" };
  const own = partsOf(args.slice(0, end), options);
  const { words: others, chosen } = partsOf(args.slice(end), TASK_OPTIONS);
  const typed = own.words.filter((word) => !/^\w+=/.test(word));
  const isInPackage = isManager && typed[0] === "workspace";
  const words = isInPackage ? typed.slice(2) : typed;
  const [verb = ""] = words;
  const isRun = verb !== "" && runVerb.test(verb);
  const isShort = isManager && /^(?:t|tst|tests?(?::.*)?)$/.test(verb) ||
    program === "yarn" && checkOf(verb) !== null;
  // `npm install` is not a task of the project.
  if (!runVerb.test("") && !isRun && !isShort) return null;
  const named = isRun ? words.slice(1) : words;
  const [first = "", ...rest] = runVerb.test("") ? [named.join(" ")] : named;
  const task = isManager && /^(?:t|tst)$/.test(first) ? "test" : first;
  const name = isManager ? "" : program.replace(/^gmake$/, "make").replace(/^(mvn|gradle)w$/, "$1");
  const packages = [
    ...isInPackage ? typed.slice(1, 2) : [],
    ...own.places.map(({ value }) => value),
  ].sort();
  return {
    check: checkOf(task) ?? (BUILDERS.has(name) ? "build" : null),
    what: ["task", name, task, folder, ...packages].join(" "),
    isRead: true,
    paths: [...new Set([...rest, ...others])].sort(),
    chosen: chosen.sort(),
  };
}

/** Separates the words of a call from its options that choose tests, or name a package or a configuration. */
function partsOf(
  args: readonly string[],
  options: Pick<CheckTool, "chooses" | "places" | "values">,
) {
  const [choosing, placing, valued] = [options.chooses, options.places, options.values]
    .map((names) => new Set(names.split(" ")));
  const words: string[] = [];
  const chosen: string[] = [];
  const places: { readonly option: string; readonly value: string }[] = [];
  for (let n = 0; n < args.length; n++) {
    const [option = "", own] = args[n]!.split(/=(.*)/s, 2);
    if (!OPTION.test(option)) {
      words.push(args[n]!);
      continue;
    }
    if (![choosing, placing, valued].some((names) => names!.has(option))) continue;
    const value = own ?? args[++n] ?? "";
    if (placing!.has(option)) places.push({ option, value });
    else if (choosing!.has(option)) chosen.push(value);
  }
  return { words, chosen, places };
}

/** Returns what tasks with these names check; null when they check nothing. */
function checkOf(tasks: string): Check | null {
  const names = tasks.split(" ").flatMap((name) => [name, name.slice(name.lastIndexOf(":") + 1)]);
  return TASK_CHECKS.find(([pattern]) => names.some((name) => pattern.test(name)))?.[1] ?? null;
}

/** Options that give names of tests to a task. */
const TASK_OPTIONS = {
  chooses: "-t --testNamePattern -g --grep --filter -k -run --tests",
  places: "",
  values: "",
};

/** Tells whether a program that runs tasks is called as a test runner: `bun test`, `mvn -Dtest=A test`. */
function isRunner({ program, args }: Call): boolean {
  const line = [program, ...args].join(" ");
  return CHECK_TOOLS.some(({ call, check }) => check === "test" && call.test(line));
}

/** Options with which a program only prints or prepares something, and checks nothing. */
const CHECKS_NOTHING =
  /^(?:--version|--help|-h|--collect-only|--co|--listTests|--list|--list-tests|--no-run|--dry-run|--showConfig|--init|-list|-DskipTests.*)$/;

/** Returns the key of a tool: `pytest tests/a.py -k adds`, `cargo build -p core`, `eslint src`. */
function toolKey({ program, args, folder, root }: Call): CommandKey | null {
  const line = [program, ...args].join(" ");
  const tool = CHECK_TOOLS.find((row) => row.call.test(line));
  if (tool === undefined || args.some((word) => CHECKS_NOTHING.test(word))) return null;
  const [called] = tool.call.exec(line)!;
  const { words, chosen, places } = partsOf(args.slice(called.trim().split(" ").length - 1), tool);
  const elsewhere = places.map(({ option, value }) =>
    `${option === "--package" ? "-p" : option}=${value}`
  ).sort();
  const whole = (path: string) => inProject(folderIn(folder, path), root);
  const takes = /^go /.test(line) ? packageAt(whole) : whole;
  const taken = tool.takesPaths ? (words.length === 0 ? [""] : words).map(takes) : words;
  return {
    check: tool.check,
    what: [nameOfTool(called), tool.takesPaths ? "" : folder, ...elsewhere].join(" "),
    isRead: true,
    // The project's own folder stands for all files.
    paths: tool.wordsChoose || taken.includes("") ? [] : [...new Set(taken)].sort(),
    chosen: (tool.wordsChoose ? [...chosen, ...words] : chosen).sort(),
  };
}

/** Returns one name for a tool that can be called by several names. */
function nameOfTool(called: string): string {
  const name = called.trim().replace(/^py\.test/, "pytest").replace(/^vitest run/, "vitest")
    .replace(/^(mvn|gradle|cargo)w? (?:-\S+ )*/, "$1 ");
  if (/^cargo [tbcd]$/.test(name)) {
    return { t: "cargo test", b: "cargo build", c: "cargo check", d: "cargo doc" }[name.slice(-1)]!;
  }
  return /^node /.test(name) ? "node --test" : name;
}

/** A package of Go is one folder: `a` becomes `a/.`. With all folders below it (`./a/...`), it becomes `a`. */
function packageAt(whole: (path: string) => string): (path: string) => string {
  return (path) => {
    if (/(?:^|\/)\.\.\.$/.test(path)) return whole(path.replace(/\/?\.\.\.$/, ""));
    const own = whole(path);
    return own === "" ? "." : `${own}/.`;
  };
}

/** Options that only change how much a program prints. */
const QUIET = /^(?:-v+|--verbose|-q|--quiet|-s|--silent)$/;

/** Returns the key of any other program: its words. Git's operations have their name, interpreters their script. */
function otherKey({ program, args, folder }: Call): CommandKey {
  const plain = args.filter((word) => !OPTION.test(word));
  const name = calledAs(program, args);
  if (program === "git" && GIT_OPERATIONS.test(name.slice("git ".length))) return keyOf(name);
  if (INTERPRETER.test(program) && args[0]?.startsWith("-") !== true && plain.length > 0) {
    return keyOf([program.replace(/[\d.]+$/, ""), folder, plain[0]].join(" "));
  }
  const counted = WITH_VERBS.has(program) ? plain : args.filter((word) => !QUIET.test(word));
  // For `mise run test` nothing is known of the output.
  const check = plain[0] === "run" && plain[1] !== undefined ? checkOf(plain[1]) : null;
  return { ...keyOf([program, folder, ...counted].join(" ")), check };
}

/** Returns a program with the subcommand that tells what it does. */
export function calledAs(program: string, args: readonly string[]): string {
  const plain = args.filter((word) => !OPTION.test(word));
  if (!WITH_VERBS.has(program)) return program;
  const one = [program, plain[0] ?? ""].join(" ").trim();
  return WITH_TWO_VERBS.test(one) && plain[1] !== undefined ? `${one} ${plain[1]}` : one;
}

/** Tells whether a program runs a script of its own: `node a.js`, `deno run a.ts`. */
export function runsScript(program: string, args: readonly string[]): boolean {
  return INTERPRETER.test(program) || calledAs(program, args) === "deno run";
}

/** Takes the option that names another folder out of arguments. Returns that folder, and the other arguments. */
export function takeFolderOption(program: string, args: readonly string[]) {
  const row = FOLDER_OPTIONS.find(([of]) => of.test(program));
  const end = args.indexOf("--") < 0 ? args.length : args.indexOf("--");
  const at = row === undefined
    ? -1
    : args.findIndex((word, n) => n < end && row[1].test(word.split("=")[0]!));
  if (at < 0) return { folder: "", args };
  const [, value] = args[at]!.split("=", 2);
  return value === undefined
    ? { folder: args[at + 1] ?? "", args: args.toSpliced(at, 2) }
    : { folder: value, args: args.toSpliced(at, 1) };
}

/** Returns a path as memory stores it; empty for the project's own folder. */
function inProject(path: string, root: string | null): string {
  const inside = pathInProject(plainPath(path), root);
  return inside === root ? "" : inside;
}

export function keyOf(what: string): CommandKey {
  return { check: null, what, paths: [], chosen: [] };
}

/** Returns the text that all failures with one key share. */
export function failureKey(what: string): string {
  return `failure ${what}`;
}
