/** What programs print of which that much is known: where one is, a file for a while, a number, a branch. */
import { baseName, parentOf } from "../../paths.ts";
import { SOME_NUMBER, steps } from "./expansion.ts";
import { split } from "./operands.ts";
import { type Argument, literal, type Scope } from "./word.ts";

/** The name of a branch: which one only git knows. */
const BRANCH: Argument = { text: "", isOpen: true, isGlob: false, isName: true };

/** What commands print, by all their words. */
const PRINTED: readonly (readonly [RegExp, (scope: Scope) => Argument | undefined])[] = [
  [/^pwd(?: -[LP])?$/, ({ variables }) => known(variables.get("PWD"))],
  [/^git rev-parse --show-toplevel$/, (scope) => known(topOf(scope))],
  [/^git (?:branch --show-current|rev-parse --abbrev-ref HEAD)$/, () => BRANCH],
  [/^git symbolic-ref (?:-q )?--short (?:-q )?HEAD$/, () => BRANCH],
  [/^date (?:-u )?\+(?:%[sNYymdHMSjFT]|[-_.:T])+$/, () => SOME_NUMBER],
  [/^(?:nproc|id -[ug])$/, () => SOME_NUMBER],
];

/** What a command prints, without the last line break; undefined when that cannot be told. */
export function knownOutput(words: readonly Argument[], scope: Scope): Argument | undefined {
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
    case "ls":
      return listed(rest);
    case "seq":
      return counted(rest);
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

/** The top of the repository: taken for the project's folder where the script is in that. */
function topOf({ variables, root }: Scope): string | null {
  const folder = variables.get("PWD");
  return root !== null && (folder === root || folder?.startsWith(`${root}/`)) ? root : null;
}

/** Wherever a program lies, its name tells which one it is. */
function place({ text }: Argument): Argument | undefined {
  return /^[\w.+-]+$/.test(text) ? literal(`/usr/bin/${text}`) : undefined;
}

/** `seq 5`, `seq 2 9`, `seq 1 2 9`: a line for each number. */
function counted(rest: readonly Argument[]): Argument | undefined {
  const ends = rest.map(({ text }) => /^-?\d{1,9}$/.test(text) ? Number(text) : NaN);
  const last = ends.at(-1) ?? NaN;
  const first = ends.length > 1 ? ends[0]! : 1;
  const step = ends.length > 2 ? ends[1]! : 1;
  if (ends.length > 3 || ends.some(Number.isNaN) || step === 0) return undefined;
  if (last !== first && (last < first) !== (step < 0)) return literal("");
  return known(steps(first, last, step)?.join("\n"));
}

/** `ls *.ts` lists what the pattern stands for. */
function listed(rest: readonly Argument[]): Argument | undefined {
  const { operands, options } = split(rest, {});
  const [pattern, ...others] = operands;
  const isPlain = others.length === 0 && options.every((text) => /^-[1trSAU]+$/.test(text));
  return isPlain && pattern?.isGlob ? pattern : undefined;
}

function nameOf([path, end]: readonly Argument[]): Argument | undefined {
  if (path === undefined || path.text.startsWith("-")) return undefined;
  const name = baseName(path.text);
  return { ...path, text: end && name.endsWith(end.text) ? name.slice(0, -end.text.length) : name };
}

/** A file or folder that `mktemp` makes: the letters that it chooses stay `X`. */
function temporary(rest: readonly Argument[], { variables }: Scope): Argument | undefined {
  const { operands: [template], options } = split(rest, {});
  if (!options.every((text) => /^-[dqut]+$|^--(?:directory|quiet|suffix=.*)$/.test(text))) {
    return undefined;
  }
  const suffix = options.find((text) => text.startsWith("--suffix="))?.slice(9) ?? "";
  const isElsewhere = template === undefined || options.some((text) => /^-\w*t/.test(text));
  const folder = isElsewhere ? `${variables.get("TMPDIR") ?? "/tmp"}/` : "";
  return literal(folder + (template?.text ?? "tmp.XXXXXXXXXX") + suffix);
}
