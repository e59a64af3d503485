/**
 * Reads a shell script into its commands, as far as memory needs them: which programs ran with which words, in which
 * folders, and whether they only look. It expands nothing: variables and substitutions stay as they are written.
 */
import { type CommandArgument, forEachChild, parse, type SyntaxNode, type WordPart } from "unbash";
import LAUNCHER_TABLE from "./launchers.json" with { type: "json" };
import LOOKING_WORDS from "./looking_words.json" with { type: "json" };
import { ownValue } from "../../base/mapping.ts";

export interface ScriptCommand {
  /** The program and its arguments, without quotes, redirections, and variables that are set for it alone. */
  readonly words: readonly string[];
  /** The ids of the `( )` around the command, outermost first. A `cd` inside of them does not count outside. */
  readonly shells: readonly number[];
  readonly source: string;
  /** The operators before and after the command: `&&`, `||`, `;`, `|`, `&`; empty at the ends of the script. */
  readonly before: string;
  readonly after: string;
  /** The text of the command's here-document; null when it has none. */
  readonly input: string | null;
}

const MAX_CHARS = 20_000;

/** Returns the commands of a script in order. A text that is not a script gives some commands as well. */
export function scriptCommands(source: string): ScriptCommand[] {
  const text = source.slice(0, MAX_CHARS);
  const script = parse(text);
  return [...commandsIn(script, { before: "", after: "", shells: [] }, text)];
}

/** Whether a command must have passed if the whole script exited with 0. */
export function mustHavePassed(commands: readonly ScriptCommand[], at: number): boolean {
  return commands[at]?.before !== "||" && statusComesThrough(commands, at);
}

/** Whether the script would have failed if the command had. */
function statusComesThrough(commands: readonly ScriptCommand[], from: number): boolean {
  let stopsAtErrors = false;
  let hasPipefail = false;
  return commands.every(({ words: [program, ...args], after }, at) => {
    if (program === "set") {
      stopsAtErrors ||= args.some((word) => /^-[a-z]*e|^errexit$/.test(word));
      hasPipefail ||= args.includes("pipefail");
      return after !== "|" && after !== "&";
    }
    return at < from || after === "&&" || after === "" || stopsAtErrors && after === ";" ||
      // In `a && b | c` the pipe does not run when `a` fails.
      after === "|" && (hasPipefail || at > from);
  });
}

type Around = Pick<ScriptCommand, "before" | "after" | "shells">;

/** Returns the commands of a part of a script. @param around The operators and brackets around the part. */
function* commandsIn(part: SyntaxNode, around: Around, text: string): Generator<ScriptCommand> {
  if (part.type === "Command" && part.name !== undefined) {
    const words = [part.name, ...part.args].map(wordOf);
    const input = part.redirects.find((one) => one.type === "HereDoc")?.body.text ?? null;
    yield { ...around, words, input, source: text.slice(part.pos, part.end) };
    return;
  }
  const inner: SyntaxNode[] = [];
  forEachChild(part, (child) => void (HOLDS_COMMANDS.has(child.type) && inner.push(child)));
  const shells = part.type === "Subshell" ? [...around.shells, part.pos] : around.shells;
  const operators = operatorsAfter(part, inner);
  for (const [i, child] of inner.entries()) {
    const [before = around.before, after = around.after] = [operators[i - 1], operators[i]];
    yield* commandsIn(child, { before, after, shells }, text);
  }
}

/** The parts of a script that have operators around them. A command in a substitution is part of its word. */
const HOLDS_COMMANDS: ReadonlySet<string> = new Set(
  "Statement CompoundList AndOr Pipeline Command Subshell BraceGroup Redirected Function Coproc TestCommand ArithmeticCommand If Elif For ArithmeticFor Select While Case CaseItem"
    .split(" "),
);

/** Returns the operator after each inner part; none where the operator after the whole part counts. */
function operatorsAfter(part: SyntaxNode, inner: readonly SyntaxNode[]): (string | undefined)[] {
  switch (part.type) {
    case "AndOr":
    case "Pipeline":
      return part.operators.map((operator) => operator === "|&" ? "|" : operator);
    case "Script":
    case "CompoundList":
      return part.commands.map(({ background }, i, { length }) =>
        background ? "&" : i < length - 1 ? ";" : undefined
      );
    case "Statement":
    case "Subshell":
    case "BraceGroup":
    case "Redirected":
      return [];
    default:
      // The status of a condition, a loop or a function tells nothing about a single command in it.
      return inner.map(() => ";");
  }
}

/** Returns a word without its quotes. The output of `$(cat <<'EOF'` is known. */
function wordOf(word: CommandArgument): string {
  if (word.type !== "Word") return word.text;
  return [word, ...word.parts ?? []].flatMap((part) => "parts" in part ? part.parts ?? [] : [])
    .reduce(
      (text, part) => text.replace(part.text, () => printedDocument(part) ?? part.text),
      word.value,
    );
}

function printedDocument(part: WordPart): string | null {
  const [statement] = part.type === "CommandExpansion" ? part.script?.commands ?? [] : [];
  if (statement?.command.type !== "Command" || statement.command.name?.value !== "cat") return null;
  const { redirects } = statement.command;
  return redirects.find((one) => one.type === "HereDoc")?.body.text ?? null;
}

/** Commands that are never the one that failed. */
const HARMLESS: ReadonlySet<string> = new Set(
  "cd pushd popd export source . set unset echo printf true : sleep ulimit clear exit return"
    .split(" "),
);
const TEMPORARY = /^\/(?:tmp|var\/tmp|dev\/shm)\//;

/** Tells whether a command cannot be the one that failed, since it sets or prints something, or reads a pipe. */
export function isHarmless({ words, before }: ScriptCommand): boolean {
  return before === "|" || HARMLESS.has(words[0]!);
}

/** Returns the folder to which a script has changed before a command; empty when it has not changed the folder. */
export function folderBefore(commands: readonly ScriptCommand[], at: number): string {
  const shells = new Map<string, string[]>();
  for (const { words: [program, ...args], shells: inside } of commands.slice(0, at + 1)) {
    // A `cd` within brackets counts only within them.
    const key = inside.join();
    const folders = shells.get(key) ?? [...shells.get(inside.slice(0, -1).join()) ?? [""]];
    shells.set(key, folders);
    const path = args.find((word) => !/^-./.test(word)) ?? "~";
    if (program === "popd" || program === "cd" && path === "-") {
      if (folders.length > 1) folders.pop();
    } else if (program === "cd" || program === "pushd") {
      folders.push(folderIn(folders.at(-1)!, path));
    }
  }
  return shells.get(commands[at]?.shells.join() ?? "")?.at(-1) ?? "";
}

/** Joins a folder and a path that is relative to it. */
export function folderIn(folder: string, path: string): string {
  const plain = plainPath(path);
  if (plain === "") return folder;
  return /^[/~]/.test(plain) || folder === "" ? plain : `${folder}/${plain}`;
}

/** Removes `./` and a closing slash from a path: `./a/` becomes `a`. */
export function plainPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, "").replace(/\/$/, "").replace(/^\.$/, "");
}

export function isTemporary(path: string): boolean {
  return TEMPORARY.test(path);
}

/** Package managers, which run the scripts and programs of a package. */
export const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);

const MAX_LAUNCHERS = 6;

/** A call that only starts another command, found by its program's name and the next two words. */
interface Launcher {
  readonly call: RegExp;
  /** How many words stand before the launcher's options, and after them. */
  readonly drops: number;
  readonly then: number;
  /** Matches its options, null when it has none; and the option that takes a value. */
  readonly skips: RegExp | null;
  readonly takes: string | null;
  readonly example: string;
}

export const LAUNCHERS: readonly Launcher[] = LAUNCHER_TABLE.map((row) => ({
  then: 0,
  takes: null,
  ...row,
  call: new RegExp(row.call),
  skips: row.skips === undefined ? null : new RegExp(row.skips),
}));

/** Returns a command without its launchers: `sudo`, `npx`, `timeout 60`, `python -m`. */
export function withoutLaunchers(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let n = 0; n < MAX_LAUNCHERS; n++) {
    const inner = launched(rest);
    if (inner === null) break;
    rest = inner;
  }
  return rest;
}

/** Returns a command without its launchers, and its program without its folder. */
export function calledWords(words: readonly string[]): readonly string[] {
  const [program, ...args] = withoutLaunchers(words);
  return program === undefined ? [] : [nameOf(program), ...args];
}

/** Returns the command that a launcher starts; null for a command that is not a launcher. */
function launched([first = "", ...words]: readonly string[]): readonly string[] | null {
  const line = [nameOf(first), ...words.slice(0, 2)].join(" ");
  const row = LAUNCHERS.find(({ call }) => call.test(line));
  if (row === undefined) return null;
  const rest = words.slice(row.drops - 1);
  const at = rest.findIndex((word, n) =>
    !row.skips?.test(word) && (n === 0 || rest[n - 1] !== row.takes)
  );
  return at < 0 ? [] : rest.slice(at + row.then);
}

/** Returns the name of a program without its folder: `jest` for `./node_modules/.bin/jest`. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|js)$/, "");
}

const WITH_VALUE: ReadonlySet<string> = new Set(["-c", "-C", "--git-dir", "--work-tree"]);

/** Subcommands of git that change to another branch, or to another state of the files. */
const TO_OTHER_STATE: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  checkout: (args) => !args.some((word) => /^-[bB]$/.test(word)),
  switch: (args) => !args.some((word) => /^(?:-[cC]|--create|--force-create)$/.test(word)),
  restore: () => true,
  worktree: ([verb]) => verb === "add",
  stash: ([verb = "push"]) => !/^(?:pop|apply|list|show|drop|clear|branch)$/.test(verb),
  bisect: ([verb]) => verb !== "log" && verb !== "view",
  reset: (args) => args.some((word) => /^--(?:hard|merge|keep)$/.test(word)),
};

/** Returns git's subcommand and its arguments; null for another program. */
export function gitArguments(words: readonly string[]): readonly string[] | null {
  return isGit(words) ? words.slice(gitVerbAt(words)) : null;
}

/** Returns the folders to which git changes first (`-C`), each relative to the one before it. */
export function gitFolders(words: readonly string[]): readonly string[] {
  const options = isGit(words) ? words.slice(0, gitVerbAt(words)) : [];
  return options.filter((_, at) => options[at - 1] === "-C");
}

function isGit(words: readonly string[]): boolean {
  return /^(?:.*\/)?git$/.test(words[0] ?? "");
}

function gitVerbAt(words: readonly string[]): number {
  let at = 1;
  while (words[at]?.startsWith("-")) at += WITH_VALUE.has(words[at]!) ? 2 : 1;
  return at;
}

/**
 * Tells whether a script changes to another branch or state of the files, and then works there. Its results do not
 * count for the current branch.
 */
export function worksElsewhere(commands: readonly ScriptCommand[]): boolean {
  const from = commands.findIndex(({ words }) => {
    const [verb = "", ...args] = gitArguments(words) ?? [];
    return ownValue(TO_OTHER_STATE, verb)?.(args);
  });
  const isBisectRun = ({ words }: ScriptCommand) =>
    gitArguments(words)?.slice(0, 2).join(" ") === "bisect run";
  return from >= 0 &&
      commands.slice(from + 1).some((command) => !isGit(command.words) && !isHarmless(command)) ||
    commands.some(isBisectRun);
}

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(" "));
/** Programs that only look, try or wait. Their failure means that something was not found. */
const LOOKING = wordSet(LOOKING_WORDS.programs.join(" "));
/** Programs that only look when they are called with these subcommands or options. */
const LOOKING_VERBS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(LOOKING_WORDS.verbs).map(([program, verbs]) => [program, wordSet(verbs)]),
);
/** Options and subcommands with which no program changes anything. */
const ASKING = wordSet(LOOKING_WORDS.asking);
/** Commands that neither look for something nor do anything. */
const NEUTRAL = wordSet(LOOKING_WORDS.neutral);

/** Tells whether all commands of a script only look for something. Neutral commands do not count. */
export function isOnlyLooking(commands: readonly ScriptCommand[]): boolean {
  const parts = commands.filter(({ words }) => !NEUTRAL.has(words[0]!));
  return parts.length > 0 && parts.every(looks);
}

/** Tells whether a command only looks for something, tries or waits. */
export function looks({ words }: ScriptCommand): boolean {
  const [program = "", ...args] = calledWords(words);
  const [verb = "", next = ""] = gitArguments([program, ...args]) ?? args;
  return program === "" || LOOKING.has(program) || LOOKING_VERBS.get(program)?.has(verb) === true ||
    LOOKING_VERBS.get(`${program} ${verb}`)?.has(next) === true ||
    (next === "" && ASKING.has(verb));
}
