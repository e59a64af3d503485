/**
 * Finds every command that a Bash script would start, also commands inside others (`sudo`, `bash -c`, `$(…)`, a pipe
 * to `sh`), with the words that the shell would pass. It runs nothing. Both sides of each condition count; the body of
 * a loop is read once for each word, the body of a function at its calls.
 */
import { quietly } from "../../base/errors.ts";
import type { GitAliases } from "./git_verbs.ts";
import { type Inner, type Language, scriptFrom, type ShellCommand } from "./shell_command.ts";
import { type Disk, Findings } from "./findings.ts";
import {
  type AndOr,
  type Command,
  type CommandNode,
  forEachChild,
  parse,
  type Pipeline,
  type SyntaxNode,
  type Word,
} from "unbash";
import {
  type Argument,
  Budget,
  expandWord,
  literal,
  placeOf,
  stepsToParse,
  textIn,
  TooMuchWork,
} from "./word.ts";
import {
  assignAll,
  type Assigning,
  changeShell,
  copyOf,
  forgetChanges,
  inner,
  resolveAlias,
  returnFrom,
  setParameters,
  setVariable,
  type State,
  withAssigned,
  withPrefix,
} from "./state.ts";
import { type Before, outputOf, printed, readBy, readRedirects, wordsOf } from "./shell_output.ts";
import { isShell } from "./interpreters.ts";
import VARIABLES from "./variables.json" with { type: "json" };
import { dialectOf, powerShell } from "./wrappers.ts";

export interface Script {
  readonly commands: readonly ShellCommand[];
  /** Why the list may lack commands: `"$X" is not known before it runs`. */
  readonly unknown: readonly string[];
  /** Why a part of the script was not read; null when all of it was read. */
  readonly tooLarge: string | null;
  /** Whether a process that the script starts may still run when the script has ended. */
  readonly leavesRunning: boolean;
}

const MAX_CHARS = 2_000_000;
const TOO_LARGE = "it is too large to be read to its end";

export interface Surroundings {
  readonly folder: string | null;
  readonly home: string | null;
  readonly root?: string | null;
  readonly disk?: Disk;
  readonly gitAliases?: GitAliases;
  readonly language?: Language;
}

/** Reads a script. It never throws: a part that it cannot read adds a reason to `unknown`. */
export function readScript(source: string, around: Surroundings): Script {
  const { folder, home, root = null, disk, gitAliases = new Map(), language } = around;
  const found = new Findings(disk, home);
  const variables = new Map<string, readonly Argument[]>();
  if (home !== null) variables.set("HOME", [literal(home)]);
  if (folder !== null) variables.set("PWD", [literal(folder)]);
  const state: State = {
    variables,
    root,
    budget: new Budget(),
    output: outputOf,
    folder,
    left: [],
    functions: new Map(),
    aliases: new Map([...gitAliases].map(([name, value]) => [`git ${name}`, literal(value)])),
    startedBy: null,
    depth: 0,
    rounds: 1,
    locals: null,
  };
  try {
    if (source.length > MAX_CHARS) throw new TooMuchWork();
    new Reader(found).source(source, state, language);
  } catch {
    // The script costs too much to read, or is nested too deeply for the engine.
    found.tooLarge = TOO_LARGE;
  }
  const { commands, tooLarge, leavesRunning } = found;
  const unknown = [...found.unknown, ...tooLarge === null ? [] : [tooLarge]];
  return { commands, unknown, tooLarge, leavesRunning };
}

const MAX_DEPTH = 16;
const TOO_DEEP = /^maximum .* depth exceeded$/;
/** How often the body of a loop is read at most, counting the rounds of the loops around it. */
const MAX_ROUNDS = 100;
const NESTED = "it is nested too deeply to be read";

/** Variables whose values programs run, each with the command that stands for that run. */
const RUN_BY_VALUE = new Map(
  VARIABLES.flatMap(({ names, as }) => names.split(" ").map((name) => [name, as] as const)),
);

const NO_NODE: Assigning = { args: [], prefix: [] };

class Reader {
  readonly #found: Findings;
  /** Scripts that run when the shell ends or gets a signal. */
  readonly #traps: { readonly text: string; readonly command: ShellCommand }[] = [];
  /** Functions that nothing has called yet, each with the shell that defined it. */
  readonly #uncalled = new Map<SyntaxNode, State>();
  /** Values of variables that were already read as commands. */
  readonly #values = new Set<string>();

  constructor(found: Findings) {
    this.#found = found;
  }

  source(written: string, state: State, language?: Language): void {
    const found = this.#found;
    if (state.depth > MAX_DEPTH) return void (found.tooLarge = NESTED);
    if (language === "powershell") return this.#powerShell(written, state);
    // A shell without Bash's `((…))` reads it as two subshells.
    const text = language === "posix"
      ? written.replace(/(?<![$(])\(\(+/g, (all) => all.split("").join(" "))
      : written;
    state.budget.spend(stepsToParse(text));
    const script = quietly(() => parse(text));
    if (script === undefined) return void found.unknown.add("it cannot be read as a shell script");
    for (const { message } of script.errors ?? []) {
      if (TOO_DEEP.test(message)) found.tooLarge = NESTED;
      found.unknown.add(`it cannot be read as a shell script: ${message}`);
    }
    this.#children(script, state);
    if (state.depth > 0) return;
    for (const { text, command } of this.#traps) this.source(text, inner(state, command));
    // Unknown code may call these functions. The map may grow during the loop.
    for (const [body, defined] of this.#uncalled) this.#node(body, defined);
  }

  #powerShell(source: string, state: State): void {
    const { unknown } = this.#found;
    const reader = powerShell();
    if (reader === null) {
      unknown.add("the name of the program hides a script of PowerShell, which is not read");
      return;
    }
    reader.readPowerShell(source, state, {
      unknown,
      budget: state.budget,
      run: (given, state) => {
        const command = this.#found.keep({ ...given, state });
        if (command.words.length > 0) this.#effects(command, NO_NODE, { state, own: state });
      },
    });
  }

  #children(node: SyntaxNode, state: State): void {
    forEachChild(node, (child) => this.#node(child, state));
  }

  #node(node: SyntaxNode, state: State): void {
    state.budget.spend(1);
    switch (node.type) {
      case "Word":
        if (node.parts !== undefined) this.#children(node, state);
        return;
      case "Statement":
        // A command in the background runs in a shell of its own.
        this.#found.leavesRunning ||= node.background === true;
        return this.#node(node.command, node.background ? copyOf(state) : state);
      case "Pipeline":
        return this.#pipeline(node, state);
      case "Command":
        return void this.#command(node, state);
      case "Subshell":
      case "Coproc":
        return this.#node(node.body, copyOf(state));
      case "Function":
        state.functions.set(node.name.value, node.body);
        this.#uncalled.set(node.body, inner(state, state.startedBy));
        return;
      case "AndOr":
        return this.#andOr(node, state);
      case "If":
      case "Case":
      case "While": {
        const before = copyOf(state);
        this.#children(node, state);
        return forgetChanges(state, before);
      }
      case "For":
      case "Select":
        return this.#loop(node, state);
      case "Redirected":
        for (const part of node.redirects) this.#node(part, state);
        this.#keepBare(readRedirects(node.redirects, state), [], state);
        return this.#node(node.command, state);
      case "TestCommand":
        this.#keepBare([], wordsIn(node), state);
        return this.#children(node, state);
      case "CommandExpansion":
      case "ArithmeticCommandExpansion":
      case "ProcessSubstitution":
        state.budget.spend(node.text.length / 32);
        // The parser leaves out a script that is nested too deeply.
        if (!node.script) this.#found.tooLarge = NESTED;
        for (const statement of node.script?.commands ?? []) this.#node(statement, copyOf(state));
        return;
      default:
        this.#children(node, state);
    }
  }

  #pipeline({ commands }: Pipeline, state: State): void {
    let before: Before | undefined;
    for (const node of commands) {
      const own = commands.length === 1 ? state : copyOf(state);
      if (node.type === "Command") before = { node, words: this.#command(node, own, before) };
      else {
        this.#node(node, own);
        before = { node, words: [] };
      }
    }
  }

  /** Reads `a && b || c`, in which a command may not run if the command before it may fail. */
  #andOr({ commands, operators }: AndOr, state: State): void {
    let before: State | null = null;
    for (const [i, command] of commands.entries()) {
      this.#node(command, state);
      if (operators[i] === "||" || !isSure(command)) before ??= copyOf(state);
    }
    if (before !== null) forgetChanges(state, before);
  }

  #loop(node: Extract<CommandNode, { type: "For" | "Select" }>, state: State): void {
    const words = (node.wordlist ?? []).flatMap((word) => {
      this.#node(word, state);
      return expandWord(word, state);
    });
    const left = Math.floor(MAX_ROUNDS / state.rounds);
    const known = words.filter(({ isOpen }) => !isOpen).slice(0, left > 1 ? left : 0);
    const { rounds } = state;
    state.rounds *= Math.max(known.length, 1);
    for (const word of known) {
      setVariable(node.name.value, word, state);
      this.#node(node.body, state);
    }
    state.rounds = rounds;
    setVariable(node.name.value, undefined, state);
    if (known.length < words.length || words.length === 0) this.#node(node.body, state);
  }

  /** Reads a command and returns its words. */
  #command(node: Command, state: State, before?: Before): readonly Argument[] {
    this.#children(node, state);
    const words = wordsOf(node, state);
    const redirects = readRedirects(node.redirects, state);
    if (words.length === 0) {
      assignAll(node.prefix, state);
      const values = node.prefix.flatMap((part) =>
        part.type === "Assignment" && part.value.type === "Word" ? [part.value] : []
      );
      this.#keepBare(redirects, values, state);
      return words;
    }
    // Variables before a command hold only for this command.
    const own = withPrefix(node, state);
    const read = readBy(node, before, state);
    const output = redirects.length === 0 ? undefined : printed(node, words, state)?.text;
    const command = this.#found.keep({ words, redirects, ...read, state: own, output });
    this.#effects(command, node, { state, own });
    return words;
  }

  /** Adds redirections and values without a program, if there are any. */
  #keepBare(redirects: ShellCommand["redirects"], values: readonly Word[], state: State): void {
    const texts = laterRun(values);
    if (redirects.length + texts.length > 0) this.#found.keep({ redirects, texts, state });
  }

  /** Applies a command to the shell's state, and reads, with the state `own`, the commands that it starts. */
  #effects(
    command: ShellCommand,
    node: Assigning,
    { state, own }: { readonly state: State; readonly own: State },
  ): void {
    const { program: name, words, args } = command;
    changeShell(command, node, state);
    const body = state.functions.get(words[0]!.text);
    if (body && state.depth < MAX_DEPTH) {
      const prefixed = node.prefix.flatMap((part) => part.type === "Assignment" ? [part.name] : []);
      const called: State = { ...inner(own, own.startedBy), locals: new Set(prefixed) };
      setParameters(called.variables, args);
      this.#uncalled.delete(body);
      this.#node(body, called);
      returnFrom(called, state);
    }
    const alias = resolveAlias(words, state.aliases);
    if (alias !== null) {
      // Inside the alias, its name means the program.
      const aliases = new Map([...own.aliases].filter(([name]) => name !== alias.name));
      const folder = alias.folder === null ? own.folder : placeOf(alias.folder, own.folder);
      this.#inner(alias.inner, command, { node, around: { ...own, aliases, folder } });
    }
    for (const started of command.starts) {
      if (name === "trap" && started.kind === "script" && !started.text.isOpen) {
        this.#traps.push({ text: started.text.text, command });
      } else this.#inner(started, command, { node, around: own });
    }
    for (const name of own.variables.keys()) {
      const as = RUN_BY_VALUE.get(name);
      const value = as && textIn(own.variables, name);
      if (!as || value === undefined || this.#values.has(`${name}=${value}`)) continue;
      this.#values.add(`${name}=${value}`);
      // A value that is only a name is a program without arguments.
      if (as.startsWith("{}") && /^[\w.-]*$/.test(value)) continue;
      const script = scriptFrom(literal(as.replace("{}", () => value.replace(/^\|+-?/, ""))));
      this.#inner(script, command, { node: NO_NODE, around: own });
    }
  }

  #inner(
    started: Inner,
    command: ShellCommand,
    { node, around }: { readonly node: Assigning; readonly around: State },
  ): void {
    const own = inner(withAssigned(command.words, around), command);
    const found = this.#found;
    if (around.depth > MAX_DEPTH) return void (found.tooLarge = NESTED);
    switch (started.kind) {
      case "command": {
        const next = found.keep({ ...command, words: started.words, redirects: [], state: own });
        return this.#effects(next, node, { state: own, own });
      }
      case "file": {
        const text = found.textOfWritten(started.file, around.folder);
        if (text === undefined) return;
        if (text !== null && isShell(started.program)) {
          return this.source(text, own, dialectOf(command));
        }
        found.unknown.add(`what ${started.file.text} does, which the command writes itself`);
        return;
      }
      case "script":
        setParameters(own.variables, started.parameters);
        if (started.text.isOpen) {
          found.unknown.add("a part of a script is only known when it runs");
        }
        return this.source(started.text.text, own, started.language ?? dialectOf(command));
      case "unknown":
        found.unknown.add(started.why);
    }
  }
}

/** Returns the values of words that contain a quoted substitution, which a later expansion or test may run. */
function laterRun(words: readonly Word[]): string[] {
  return words.flatMap(({ parts = [] }) =>
    parts.flatMap((part) =>
      /Quoted$/.test(part.type) && "value" in part && /\$\(|`/.test(part.value) ? [part.value] : []
    )
  );
}

function wordsIn(node: SyntaxNode): Word[] {
  if (node.type === "Word") return [node];
  const words: Word[] = [];
  forEachChild(node, (child) => words.push(...wordsIn(child)));
  return words;
}

/** Commands that do not fail if they are written correctly. */
const SURE = new Set(
  (": true echo printf export local declare typeset readonly unset set shopt umask alias trap cd pushd popd mkdir")
    .split(" "),
);

function isSure(node: SyntaxNode): boolean {
  return node.type === "Command" &&
    (node.name === undefined ? node.redirects.length === 0 : SURE.has(node.name.text));
}
