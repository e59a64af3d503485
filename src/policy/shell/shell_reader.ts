/** Follows a script as the shell would, without running anything. */
import {
  type AndOr,
  type Command,
  type CommandNode,
  forEachChild,
  parse,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  type Redirection,
  type Statement,
  type SyntaxNode,
} from "unbash";
import { Budget, stepsToParse } from "./budget.ts";
import { learnAliases, resolveAlias } from "./aliases.ts";
import {
  assignAll,
  assignmentWord,
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
import type { ShellCommand } from "./shell_command.ts";
import { type Disk, Findings } from "./findings.ts";
import type { Inner, Language } from "./inner.ts";
import { inputOf, listingBefore, printed, readRedirects, scopeOf } from "./shell_output.ts";
import { expandWord, placeOf, type Scope } from "./word.ts";
import { dialectOf, findInner, isShell } from "./wrappers.ts";
import { programName } from "./operands.ts";

const MAX_DEPTH = 16;
/** The parser's message for a script that is nested too deeply. */
const TOO_DEEP = /^maximum .* depth exceeded$/;
/** The cost of a part of a script beside its words: the shell's variables may be copied for it. */
const STEPS_OF_NODE = 4;
/** Rounds in which a loop's body is read, with those of the loops around it. */
const MAX_ROUNDS = 100;
const NESTED = "it is nested too deeply to be read";

export interface ReaderOptions {
  readonly root: string | null;
  readonly disk: Disk;
}

/** Reads a script statement by statement, and keeps what it starts. */
export class Reader {
  readonly found: Findings;
  readonly #root: string | null;
  /** What is to be done when the shell ends, or gets a signal. */
  readonly #traps: { readonly text: string; readonly command: ShellCommand }[] = [];
  /** The functions that nothing has called yet, each with the shell in which it was defined. */
  readonly #uncalled = new Map<SyntaxNode, State>();
  readonly #budget = new Budget();

  constructor({ root, disk }: ReaderOptions) {
    this.found = new Findings(disk, this.#budget);
    this.#root = root;
  }

  source(written: string, state: State, language?: Language): void {
    if (state.depth > MAX_DEPTH) return void (this.found.tooLarge = NESTED);
    const text = this.found.inShell(written, language);
    this.#budget.spend(stepsToParse(text));
    let script: ParsedScript;
    try {
      script = parse(text);
    } catch {
      return void this.found.unknown.add("it cannot be read as a shell script");
    }
    for (const { message } of script.errors ?? []) {
      if (TOO_DEEP.test(message)) this.found.tooLarge = NESTED;
      this.found.unknown.add(`it cannot be read as a shell script: ${message}`);
    }
    for (const statement of script.commands) this.#statement(statement, state);
    if (state.depth > 0) return;
    for (const { text, command } of this.#traps) this.source(text, inner(state, command));
    // They may be called from where it cannot be seen. The map may grow while it is gone through.
    for (const [body, defined] of this.#uncalled) this.#node(body, defined);
  }

  #statement({ command, background }: Statement, state: State): void {
    // A command in the background has a shell of its own, as each part of a pipeline has.
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
      case "CommandExpansion":
      case "ProcessSubstitution":
        // It is parsed only now.
        this.#budget.spend(node.text.length / 32);
        // The parser leaves out what is nested too deeply.
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

  /** `a && b || c`: what stands behind a command that may fail may not happen. */
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
    for (const part of [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix]) {
      this.#substitutions(part, state);
    }
    const words = [
      ...(node.name ? expandWord(node.name, scope) : []),
      ...node.args.flatMap((arg) =>
        arg.type === "Word" ? expandWord(arg, scope) : [assignmentWord(arg, scope)]
      ),
    ];
    const redirects = readRedirects(node.redirects, scope);
    if (words.length === 0) {
      assignAll(node.prefix, state, scope);
      if (redirects.length > 0) this.found.keep({ words: [], redirects, input: undefined, state });
      return;
    }
    const input = inputOf(node, before, scope);
    const listing = listingBefore(node, before, scope);
    // What stands before a command holds for this one alone.
    const own = withPrefix(node.prefix, state, scope);
    const output = printed(node, scope);
    const command = this.found.keep({ words, redirects, input, listing, state: own, output });
    this.#effects(command, node, { state, scope });
  }

  #redirects(redirections: readonly Redirection[], state: State): void {
    for (const part of redirections) this.#substitutions(part, state);
    const redirects = readRedirects(redirections, this.#scope(state));
    if (redirects.length > 0) this.found.keep({ words: [], redirects, input: undefined, state });
  }

  /** What the command does to the shell that reads on, and what it starts. */
  #effects(
    command: ShellCommand,
    node: Command,
    at: { readonly state: State; readonly scope: Scope },
  ): void {
    const { state } = at;
    const { words } = command;
    const name = programName(words[0]!.text);
    changeShell(name, node, { ...at, words: words.slice(1) });
    learnAliases(name, words.slice(1), state.aliases);
    const own = withPrefix(node.prefix, state, at.scope);
    const body = state.functions.get(words[0]!.text);
    if (body !== undefined && state.depth < MAX_DEPTH) {
      const prefixed = node.prefix.flatMap((part) => part.type === "Assignment" ? [part.name] : []);
      const called = calledIn(own, prefixed);
      setParameters(called.variables, words.slice(1));
      this.#uncalled.delete(body);
      this.#node(body, called);
      returnFrom(called, state);
    }
    const alias = resolveAlias(name, words, state.aliases);
    if (alias !== null) {
      // In what it stands for its name is a program again.
      const aliases = new Map([...own.aliases].filter(([name]) => name !== alias.name));
      const folder = alias.folder === null ? own.folder : placeOf(alias.folder, own.folder);
      this.#inner(alias.inner, command, { ...at, state: { ...own, aliases, folder }, node });
    }
    for (const started of findInner(command)) {
      if (name === "trap" && started.kind === "script" && !started.text.isOpen) {
        this.#traps.push({ text: started.text.text, command });
      } else this.#inner(started, command, { ...at, state: own, node });
    }
  }

  #inner(
    started: Inner,
    command: ShellCommand,
    at: { readonly node: Command; readonly state: State; readonly scope: Scope },
  ): void {
    const { state, scope, node } = at;
    const own = inner(withAssigned(command.words, state), command);
    if (state.depth > MAX_DEPTH) return void (this.found.tooLarge = NESTED);
    const dialect = dialectOf(command);
    if (started.kind === "command") {
      const next = this.found.keep({ ...command, words: started.words, redirects: [], state: own });
      this.#effects(next, node, { state: own, scope });
    } else if (started.kind === "file") {
      const text = this.found.written.textOf(started.file, state.folder);
      if (text === undefined) return;
      if (text === null || !isShell(started.program)) {
        this.found.unknown.add(`what ${started.file.text} does, which the command writes itself`);
      } else this.source(text, own, dialect);
    } else if (started.kind === "code") {
      this.found.unknown.add(`what the code given to ${started.program} does`);
    } else if (started.kind === "script") {
      setParameters(own.variables, started.parameters);
      if (started.text.isOpen) {
        this.found.unknown.add("a part of a script is only known when it runs");
      }
      this.source(started.text.text, own, started.language ?? dialect);
    } else if (started.kind === "stdin") {
      if (command.input === undefined) this.found.unknown.add("what a shell reads is not known");
      else this.source(command.input, own, dialect);
    }
  }

  #scope(state: State): Scope {
    return scopeOf(state, { root: this.#root, budget: this.#budget });
  }

  #substitutions(node: SyntaxNode, state: State): void {
    this.#budget.spend(1);
    if (node.type === "CommandExpansion" || node.type === "ProcessSubstitution") {
      this.#node(node, state);
    } else if (node.type === "ArithmeticExpansion") {
      // The parser reads numbers; what stands among them is found as in double quotes.
      const body = /^\$(?:\(\(|\[)([^]*?)(?:\)\)|\])$/.exec(node.text)?.[1] ?? "";
      if (/[$`]/.test(body)) this.source(`: "${body}"`, inner(copyOf(state), state.startedBy));
    } else forEachChild(node, (child) => this.#substitutions(child, state));
  }
}

/** Commands that do not fail, in so far as they are written rightly. */
const SURE = new Set(
  (": true echo printf export local declare typeset readonly unset set shopt umask alias trap cd pushd popd mkdir")
    .split(" "),
);

function isSure(node: SyntaxNode): boolean {
  return node.type === "Command" &&
    (node.name === undefined ? node.redirects.length === 0 : SURE.has(node.name.text));
}
