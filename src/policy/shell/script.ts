/**
 * Finds every command that a Bash script would start, also commands inside others (`sudo`, `bash -c`, `$(…)`, a pipe
 * to `sh`), with the words that the shell would pass. It runs nothing. Both sides of each condition count; the body of
 * a loop is read once for each word, the body of a function at its calls.
 */
import { quietly } from "../../base/errors.ts";
import type { GitAliases } from "./git_verbs.ts";
import { configuredAliases, learnAliases, resolveAlias } from "./aliases.ts";
import { type Inner, type Language, scriptFrom, type ShellCommand } from "./shell_command.ts";
import { type Disk, Findings } from "./findings.ts";
import {
  type AndOr,
  type Command,
  type CommandNode,
  forEachChild,
  parse,
  type Pipeline,
  type PipelineNode,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from "unbash";
import {
  type Argument,
  Budget,
  expandWord,
  literal,
  placeOf,
  type Scope,
  stepsToParse,
  textIn,
  TooMuchWork,
} from "./word.ts";
import {
  assignAll,
  calledIn,
  changeShell,
  copyOf,
  forgetChanges,
  inner,
  returnFrom,
  setParameters,
  setVariable,
  sizeOf,
  type State,
  withAssigned,
  withPrefix,
} from "./state.ts";
import { printed, readBy, readRedirects, scopeOf, wordsOf } from "./shell_output.ts";
import { isShell } from "./interpreters.ts";
import type { Ground } from "./powershell.ts";
import VARIABLES from "./variables.json" with { type: "json" };
import { dialectOf, findInner, powerShell } from "./wrappers.ts";

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
  const { folder, home, root = null, disk = NO_DISK, gitAliases = new Map(), language } = around;
  const reader = new Reader(root, disk, home);
  const { found } = reader;
  const variables = new Map<string, readonly Argument[]>();
  if (home !== null) variables.set("HOME", [literal(home)]);
  if (folder !== null) variables.set("PWD", [literal(folder)]);
  try {
    if (source.length > MAX_CHARS) throw new TooMuchWork();
    reader.source(source, {
      variables,
      folder,
      left: [],
      functions: new Map(),
      aliases: configuredAliases(gitAliases),
      startedBy: null,
      depth: 0,
      rounds: 1,
      locals: null,
    }, language);
  } catch {
    // The script costs too much to read, or is nested too deeply for the engine.
    found.tooLarge = TOO_LARGE;
  }
  const { commands, tooLarge, leavesRunning } = found;
  const unknown = [...found.unknown, ...tooLarge === null ? [] : [tooLarge]];
  return { commands, unknown, tooLarge, leavesRunning };
}

const NO_DISK: Disk = {
  isTop: () => false,
  readText: () => null,
  topOf: (folder) => folder,
};

const MAX_DEPTH = 16;
const TOO_DEEP = /^maximum .* depth exceeded$/;
/** The cost of a part besides its words, in steps: the shell's variables may be copied for it. */
const STEPS_OF_NODE = 4;
/** How often the body of a loop is read at most, counting the rounds of the loops around it. */
const MAX_ROUNDS = 100;
const NESTED = "it is nested too deeply to be read";

/** Variables whose values programs run, each with the command that stands for that run. */
const RUN_BY_VALUE = VARIABLES.flatMap(({ names, as }) =>
  names.split(" ").map((name) => ({ name, as }))
);

/** The parts of a command that set variables. */
type Assigning = Pick<Command, "args" | "prefix">;
/** The shell's state, the state that a started command gets, and the scope for expanding words. */
interface Place {
  readonly state: State;
  readonly own: State;
  readonly scope: Scope;
}

const NO_NODE: Assigning = { args: [], prefix: [] };

class Reader {
  readonly found: Findings;
  readonly #root: string | null;
  /** Scripts that run when the shell ends or gets a signal. */
  readonly #traps: { readonly text: string; readonly command: ShellCommand }[] = [];
  /** Functions that nothing has called yet, each with the shell that defined it. */
  readonly #uncalled = new Map<SyntaxNode, State>();
  /** Values of variables that were already read as commands. */
  readonly #values = new Set<string>();
  readonly #budget = new Budget();

  constructor(root: string | null, disk: Disk, home: string | null) {
    this.found = new Findings({ disk, budget: this.#budget, home });
    this.#root = root;
  }

  source(written: string, state: State, language?: Language): void {
    if (state.depth > MAX_DEPTH) return void (this.found.tooLarge = NESTED);
    if (language === "powershell") return this.#powerShell(written, state);
    // A shell without Bash's `((…))` reads it as two subshells.
    const text = language === "posix"
      ? written.replace(/(?<![$(])\(\(+/g, (all) => all.split("").join(" "))
      : written;
    this.#budget.spend(stepsToParse(text));
    const script = quietly(() => parse(text));
    if (script === undefined) {
      return void this.found.unknown.add("it cannot be read as a shell script");
    }
    for (const { message } of script.errors ?? []) {
      if (TOO_DEEP.test(message)) this.found.tooLarge = NESTED;
      this.found.unknown.add(`it cannot be read as a shell script: ${message}`);
    }
    for (const statement of script.commands) this.#statement(statement, state);
    if (state.depth > 0) return;
    for (const { text, command } of this.#traps) this.source(text, inner(state, command));
    // Unknown code may call these functions. The map may grow during the loop.
    for (const [body, defined] of this.#uncalled) this.#node(body, defined);
  }

  #powerShell(source: string, state: State): void {
    const { unknown } = this.found;
    const reader = powerShell();
    if (reader === null) {
      unknown.add("the name of the program hides a script of PowerShell, which is not read");
      return;
    }
    const run: Ground["run"] = (given, state) => {
      const command = this.found.keep({ ...given, state });
      if (command.words.length > 0) {
        this.#effects(command, NO_NODE, { state, own: state, scope: this.#scope(state) });
      }
    };
    reader.readPowerShell(source, state, { unknown, budget: this.#budget, run });
  }

  #statement({ command, background }: Statement, state: State): void {
    // A command in the background runs in a shell of its own.
    this.found.leavesRunning ||= background === true;
    this.#node(command, background ? copyOf(state) : state);
  }

  #node(node: PipelineNode | SyntaxNode, state: State): void {
    this.#budget.spend(STEPS_OF_NODE + sizeOf(state) / 8);
    switch (node.type) {
      case "Statement":
        return this.#statement(node, state);
      case "Pipeline":
        return this.#pipeline(node, state);
      case "Command":
        return this.#command(node, state, undefined);
      case "Subshell":
        return this.#node(node.body, copyOf(state));
      case "Function":
        state.functions.set(node.name.value, node.body);
        this.#uncalled.set(node.body, inner(copyOf(state), state.startedBy));
        return;
      case "AndOr":
        return this.#andOr(node, state);
      case "If":
      case "Case":
      case "While": {
        const before = copyOf(state);
        forEachChild(node, (child) => this.#node(child, state));
        return forgetChanges(state, before);
      }
      case "For":
      case "Select":
        return this.#loop(node, state);
      case "Redirected":
        this.#redirects(node.redirects, state);
        return this.#node(node.command, state);
      case "Coproc":
        return this.#node(node.body, copyOf(state));
      case "TestCommand": {
        this.#keepBare({ redirects: [], texts: laterRun(wordsIn(node)), state });
        return forEachChild(node, (child) => this.#node(child, state));
      }
      case "CommandExpansion":
      case "ArithmeticCommandExpansion":
      case "ProcessSubstitution":
        this.#budget.spend(node.text.length / 32);
        // The parser leaves out a script that is nested too deeply.
        if (!node.script) this.found.tooLarge = NESTED;
        for (const s of node.script?.commands ?? []) this.#statement(s, copyOf(state));
        return;
      default:
        forEachChild(node, (child) => this.#node(child, state));
    }
  }

  #pipeline(node: Pipeline, state: State): void {
    const { commands } = node;
    for (const [i, command] of commands.entries()) {
      const own = commands.length === 1 ? state : copyOf(state);
      const before = i === 0 ? undefined : commands[i - 1];
      if (command.type === "Command") this.#command(command, own, before);
      else this.#node(command, own);
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
    const scope = this.#scope(state);
    const words = (node.wordlist ?? []).flatMap((word) => {
      this.#substitutions(word, state);
      return expandWord(word, scope);
    });
    const left = Math.floor(MAX_ROUNDS / state.rounds);
    const known = words.filter(({ isOpen }) => !isOpen)
      .slice(0, left > 1 ? left : 0);
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

  #command(node: Command, state: State, before: CommandNode | undefined): void {
    const scope = this.#scope(state);
    for (const part of node.prefix) this.#substitutions(part, state);
    if (node.name !== undefined) this.#substitutions(node.name, state);
    for (const part of node.suffix) this.#substitutions(part, state);
    const words = wordsOf(node, scope);
    const redirects = readRedirects(node.redirects, scope);
    if (words.length === 0) {
      assignAll(node.prefix, state, scope);
      const values = node.prefix.flatMap((part) =>
        part.type === "Assignment" && part.value.type === "Word" ? [part.value] : []
      );
      return this.#keepBare({ redirects, texts: laterRun(values), state });
    }
    // Variables before a command hold only for this command.
    const own = withPrefix(node.prefix, state, scope);
    const read = readBy(node, before, scope);
    const output = redirects.length === 0 ? undefined : printed(node, scope);
    const command = this.found.keep({ words, redirects, ...read, state: own, output });
    this.#effects(command, node, { state, own, scope });
  }

  #redirects(redirections: readonly Redirection[], state: State): void {
    for (const part of redirections) this.#substitutions(part, state);
    this.#keepBare({
      redirects: readRedirects(redirections, this.#scope(state)),
      texts: [],
      state,
    });
  }

  /** Adds redirections and values without a program, if there are any. */
  #keepBare(
    bare: Pick<ShellCommand, "redirects"> & { readonly texts: string[]; readonly state: State },
  ): void {
    if (bare.redirects.length + bare.texts.length > 0) this.found.keep(bare);
  }

  /** Applies a command to the shell's state, and reads the commands that it starts with the state `own`. */
  #effects(command: ShellCommand, node: Assigning, at: Place): void {
    const { state, own } = at;
    const { program: name, words, args: rest } = command;
    const [program] = words;
    changeShell(name, node, { ...at, words: rest });
    learnAliases(command, state.aliases);
    const body = state.functions.get(program!.text);
    if (body && state.depth < MAX_DEPTH) {
      const prefixed = node.prefix.flatMap((part) => part.type === "Assignment" ? [part.name] : []);
      const called = calledIn(own, prefixed);
      setParameters(called.variables, rest);
      this.#uncalled.delete(body);
      this.#node(body, called);
      returnFrom(called, state);
    }
    const alias = resolveAlias(words, state.aliases);
    if (alias !== null) {
      // Inside the alias, its name means the program.
      const aliases = new Map([...own.aliases].filter(([name]) => name !== alias.name));
      const folder = alias.folder === null ? own.folder : placeOf(alias.folder, own.folder);
      this.#inner(alias.inner, command, { ...at, own: { ...own, aliases, folder }, node });
    }
    for (const started of findInner(command)) {
      if (name === "trap" && started.kind === "script" && !started.text.isOpen) {
        this.#traps.push({ text: started.text.text, command });
      } else this.#inner(started, command, { ...at, node });
    }
    for (const { name, as } of RUN_BY_VALUE) {
      const value = textIn(own.variables, name);
      if (value === undefined || this.#values.has(`${name}=${value}`)) continue;
      this.#values.add(`${name}=${value}`);
      // A value that is only a name is a program without arguments.
      if (as.startsWith("{}") && /^[\w.-]*$/.test(value)) continue;
      const script = scriptFrom(literal(as.replace("{}", () => value.replace(/^\|+-?/, ""))));
      this.#inner(script, command, { ...at, node: NO_NODE });
    }
  }

  #inner(
    started: Inner,
    command: ShellCommand,
    { own: around, scope, node }: Place & { readonly node: Assigning },
  ): void {
    const own = inner(withAssigned(command.words, around), command);
    const { found } = this;
    if (around.depth > MAX_DEPTH) return void (found.tooLarge = NESTED);
    switch (started.kind) {
      case "command": {
        const next = found.keep({ ...command, words: started.words, redirects: [], state: own });
        const nextOwn = withPrefix(node.prefix, own, scope);
        return this.#effects(next, node, { state: own, own: nextOwn, scope });
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

  #scope(state: State): Scope {
    return scopeOf(state, { root: this.#root, budget: this.#budget });
  }

  #substitutions(node: SyntaxNode, state: State): void {
    this.#budget.spend(1);
    if (node.type === "Word" && node.parts === undefined) return;
    if (/^(?:Arithmetic)?CommandExpansion$|^ProcessSubstitution$/.test(node.type)) {
      this.#node(node, state);
    } else forEachChild(node, (child) => this.#substitutions(child, state));
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
