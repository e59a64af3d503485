/**
 * Reads a shell script into its commands, as far as memory needs them: which programs ran with which words. It expands
 * nothing: variables and substitutions stay as they are written.
 */
import { type CommandArgument, forEachChild, parse, type SyntaxNode, type WordPart } from "unbash";

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
  let stops = false;
  let hasPipes = false;
  return commands.every(({ words: [program, ...args], after }, at) => {
    if (program === "set") {
      stops ||= args.some((word) => /^-[a-z]*e|^errexit$/.test(word));
      hasPipes ||= args.includes("pipefail");
      return after !== "|" && after !== "&";
    }
    return at < from || after === "&&" || after === "" || stops && after === ";" ||
      // In `a && b | c` the pipe does not run when `a` fails.
      after === "|" && (hasPipes || at > from);
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
