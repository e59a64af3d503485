/** What commands print, and what they read, where the script itself says so. */
import type {
  Command,
  CommandNode,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
  WordPart,
} from "unbash";
import type { ShellCommand } from "./command.ts";
import { knownOutput } from "./known_output.ts";
import type { Budget } from "./budget.ts";
import type { State } from "./state.ts";
import { type Argument, expandToOne, expandWord, literal, type Scope } from "./word.ts";
import { programName } from "./wrappers.ts";

/** Where input and output come from and go to; here-documents are no files, nor is the pipe of `>(…)`. */
export function readRedirects(
  redirections: readonly Redirection[],
  scope: Scope,
): ShellCommand["redirects"] {
  return redirections.flatMap((part) =>
    part.type === "Redirect" && part.target !== undefined && !isPipe(part.target)
      ? [{ operator: part.operator, target: expandToOne(part.target, scope) }]
      : []
  );
}

function isPipe({ parts = [] }: Word): boolean {
  return parts.length === 1 && parts[0]!.type === "ProcessSubstitution";
}

/** What a shell reads that gets no script on its command line. */
export function inputOf(
  node: Command,
  before: CommandNode | undefined,
  scope: Scope,
): string | undefined {
  for (const part of node.redirects.toReversed()) {
    if (part.type === "HereDoc") return part.body.parts === undefined ? part.body.text : undefined;
    if (part.type === "HereString") {
      return part.target && knownText(expandToOne(part.target, scope));
    }
    if (part.operator === "<") return undefined;
  }
  return before === undefined ? undefined : printed(before, scope);
}

/** The words of the command whose output is read, where that lists files. */
export function listingBefore(
  { redirects }: Command,
  before: CommandNode | undefined,
  scope: Scope,
): readonly Argument[] | undefined {
  const lists = before?.type === "Command" &&
    /^(?:find|Get-ChildItem)$/.test(programName(before.name?.value ?? ""));
  if (!lists) {
    return undefined;
  }
  // A here-document, or a file, is read in its place.
  if (redirects.some((part) => part.type !== "Redirect" || part.operator === "<")) return undefined;
  return [before.name!, ...before.args].flatMap((word) =>
    word.type === "Word" ? expandWord(word, scope) : []
  );
}

/** What a command substitution puts in: all output without the last line breaks. */
function outputOf(statements: readonly Statement[], scope: Scope): Argument | undefined {
  const [only, ...others] = statements;
  const command = only && firstOf(only.command);
  if (others.length > 0 || command?.type !== "Command") return undefined;
  const text = printed(command, scope);
  if (text !== undefined) return literal(text.replace(/\n+$/, ""));
  const { name, args } = command;
  if (name === undefined) return undefined;
  const words = [name, ...args].flatMap((word) =>
    word.type === "Word" ? expandWord(word, scope) : []
  );
  return words.length > args.length ? knownOutput(words, scope) : undefined;
}

/** What stands behind `||` only counts where the first command failed: `git rev-parse --show-toplevel || pwd`. */
function firstOf(command: SyntaxNode): SyntaxNode {
  return command.type === "AndOr" && command.operators.every((operator) => operator === "||")
    ? command.commands[0]!
    : command;
}

/** `printf` with nothing but `%s`, `%b` and `%%`; the format is used again while values are left. */
function formatted(format: string, values: readonly string[]): string | undefined {
  if (/%[^sb%]/.test(format)) return undefined;
  const plain = format.replaceAll("\\n", "\n");
  const left = [...values];
  let text = "";
  do {
    const before = left.length;
    text += plain.replace(/%[sb%]/g, (place) => place === "%%" ? "%" : left.shift() ?? "");
    if (left.length === before) break;
  } while (left.length > 0);
  return text;
}

/** What `echo`, `printf` and a `cat` of a here-document print. */
export function printed(node: CommandNode, scope: Scope): string | undefined {
  if (node.type !== "Command" || node.name === undefined) return undefined;
  const name = programName(node.name.value);
  if (name === "cat" && node.args.length === 0) return inputOf(node, undefined, scope);
  if (name !== "echo" && name !== "printf") return undefined;
  const words = node.args.flatMap((arg) => arg.type === "Word" ? expandWord(arg, scope) : []);
  if (words.length < node.args.length || words.some((word) => knownText(word) === undefined)) {
    return undefined;
  }
  const texts = words.map(({ text }) => text);
  if (name === "echo") {
    while (/^-[neE]+$/.test(texts[0] ?? "")) texts.shift();
    return texts.join(" ");
  }
  const [format = "", ...values] = texts[0] === "--" ? texts.slice(1) : texts;
  return formatted(format, values);
}

function knownText({ text, isOpen, isGlob }: Argument): string | undefined {
  return isOpen || isGlob ? undefined : text;
}

/** What words are put in place by: what the shell knows, and what commands print in it. */
export function scopeOf(
  state: State,
  { root, budget }: { readonly root: string | null; readonly budget: Budget },
): Scope {
  // Nested in each other, each would else be looked at twice for every time that the one around it is.
  const outputs = new Map<WordPart, Argument | undefined>();
  const scope: Scope = {
    variables: state.variables,
    lists: state.lists,
    root,
    budget,
    output: (part) => {
      budget.spend(part.text.length / 32);
      if (!outputs.has(part)) outputs.set(part, outputOf(part.script?.commands ?? [], scope));
      return outputs.get(part);
    },
  };
  return scope;
}
