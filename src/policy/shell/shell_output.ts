/** What commands print and read, where the script itself tells. */
import type {
  Command,
  CommandNode,
  Redirection,
  Statement,
  SyntaxNode,
  Word,
  WordPart,
} from "unbash";
import type { ShellCommand } from "./shell_command.ts";
import {
  type Argument,
  type Budget,
  expandToOne,
  expandWord,
  literal,
  type Scope,
  SOME_NUMBER,
  textIn,
} from "./word.ts";
import type { State } from "./state.ts";
import { programName, split } from "./operands.ts";
import { baseName, parentOf } from "../../base/paths.ts";

/** The files that input and output come from and go to; here-documents and the pipe of `>(…)` are none. */
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

/** The words of the command before the pipe, if that lists files. */
export function listingBefore(
  { redirects }: Command,
  before: CommandNode | undefined,
  scope: Scope,
): readonly Argument[] | undefined {
  if (before?.type !== "Command" || programName(before.name?.value ?? "") !== "find") {
    return undefined;
  }
  // A here-document or a file replaces the pipe.
  if (redirects.some((part) => part.type !== "Redirect" || part.operator === "<")) return undefined;
  return [before.name!, ...before.args].flatMap((word) =>
    word.type === "Word" ? expandWord(word, scope) : []
  );
}

/** The output that a command substitution puts in, without the last line breaks. */
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

/** The first command of `a || b`: the second one counts only where the first fails. */
function firstOf(command: SyntaxNode): SyntaxNode {
  return command.type === "AndOr" && command.operators.every((operator) => operator === "||")
    ? command.commands[0]!
    : command;
}

/** `printf` with `%s`, `%b` and `%%` alone. The format is used again while values are left. */
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

/** What the commands of a group before the pipe print, as far as that is known. */
export function toldIn(before: CommandNode | undefined, scope: Scope): string[] {
  if (before?.type !== "Subshell" && before?.type !== "BraceGroup") return [];
  return before.body.commands.flatMap(({ command }) =>
    command.type === "Command" ? printed(command, scope) ?? [] : []
  );
}

function knownText({ text, isOpen, isGlob }: Argument): string | undefined {
  return isOpen || isGlob ? undefined : text;
}

/** What is known for expanding words: the shell's variables, and what commands print. */
export function scopeOf(
  state: State,
  { root, budget }: { readonly root: string | null; readonly budget: Budget },
): Scope {
  // An output is kept, so that nested ones are not read twice at each level.
  const outputs = new Map<WordPart, Argument | undefined>();
  const scope: Scope = {
    variables: state.variables,
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

/** The name of a branch; only git knows which. */
const BRANCH: Argument = { text: "", isOpen: true, isGlob: false, isName: true };

/** What commands print, by their text. */
const PRINTED: readonly (readonly [RegExp, (scope: Scope) => Argument | undefined])[] = [
  [/^pwd(?: -[LP])?$/, ({ variables }) => known(textIn(variables, "PWD"))],
  [/^git rev-parse --show-toplevel$/, (scope) => known(topOf(scope))],
  [/^git (?:branch --show-current|rev-parse --abbrev-ref HEAD)$/, () => BRANCH],
  [/^git symbolic-ref (?:-q )?--short (?:-q )?HEAD$/, () => BRANCH],
  [/^date (?:-u )?\+(?:%[sNYymdHMSjFT]|[-_.:T])+$/, () => SOME_NUMBER],
  [/^(?:nproc|id -[ug]|seq(?: .*)?)$/, () => SOME_NUMBER],
];

/** What a command prints, without the last line break; undefined when nobody can tell. */
function knownOutput(words: readonly Argument[], scope: Scope): Argument | undefined {
  if (words.some(({ isOpen }) => isOpen)) return undefined;
  const [program, ...rest] = words;
  const text = words.map((word) => word.text).join(" ");
  for (const [pattern, print] of PRINTED) if (pattern.test(text)) return print(scope);
  switch (program?.text) {
    case "mktemp":
      return temporary(rest, scope);
    case "which":
      return rest.length === 1 ? place(rest[0]!) : undefined;
    case "command":
    case "type":
      return rest.length === 2 && /^-[vpP]$/.test(rest[0]!.text) ? place(rest[1]!) : undefined;
    case "dirname":
      return rest.length === 1 ? { ...rest[0]!, text: parentOf(rest[0]!.text) } : undefined;
    case "basename":
      return rest.length <= 2 ? nameOf(rest) : undefined;
    default:
      return undefined;
  }
}

function known(text: string | null | undefined): Argument | undefined {
  return text === undefined || text === null ? undefined : literal(text);
}

/** The top of the repository: the project's folder, if the script is in that. */
function topOf({ variables, root }: Scope): string | null {
  const folder = textIn(variables, "PWD");
  return root !== null && (folder === root || folder?.startsWith(`${root}/`)) ? root : null;
}

/** The path of a program; only its name counts. */
function place({ text }: Argument): Argument | undefined {
  return /^[\w.+-]+$/.test(text) ? literal(`/usr/bin/${text}`) : undefined;
}

function nameOf([path, end]: readonly Argument[]): Argument | undefined {
  if (path === undefined || path.text.startsWith("-")) return undefined;
  const name = baseName(path.text);
  return { ...path, text: end && name.endsWith(end.text) ? name.slice(0, -end.text.length) : name };
}

/** The path that `mktemp` makes; the letters that it chooses stay `X`. */
function temporary(rest: readonly Argument[], { variables }: Scope): Argument | undefined {
  const { operands: [template], options } = split(rest, {});
  if (!options.every((text) => /^-[dqut]+$|^--(?:directory|quiet|suffix=.*)$/.test(text))) {
    return undefined;
  }
  const suffix = options.find((text) => text.startsWith("--suffix="))?.slice(9) ?? "";
  const isElsewhere = template === undefined || options.some((text) => /^-\w*t/.test(text));
  const folder = isElsewhere ? `${textIn(variables, "TMPDIR") ?? "/tmp"}/` : "";
  return literal(folder + (template?.text ?? "tmp.XXXXXXXXXX") + suffix);
}
