/** Which files a shell command plainly changes: redirections, and the programs whose purpose it is. */
import { resolvePath } from "../../paths.ts";
import type { ShellCommand } from "./command.ts";
import {
  type Change,
  changesOfFind,
  changesOfGit,
  marked,
  placesIn,
  SOMEWHERE,
} from "./changes.ts";
import type { Argument } from "./word.ts";
import { programName } from "./wrappers.ts";

/** A file that a command would change. */
export interface Target {
  /** Absolute, links not followed; null when only the running shell knows it. */
  readonly path: string | null;
  /** True when `path` is a pattern that stands for names of files. */
  readonly isGlob: boolean;
  /** `change` may also make the file; `remove` takes it away, and what lies below it. */
  readonly effect: "change" | "remove";
  /** What does it: `rm`, `>`. */
  readonly by: string;
  /** True when it is so only where the path lies in a folder: `cp a b` makes `b/a` if `b` is one. */
  readonly ifInFolder: boolean;
}

const WRITING_REDIRECTS = new Set([">", ">>", ">|", "&>", "&>>", "<>", ">&"]);

/** Which of a program's arguments are files that it changes. */
interface Writer {
  /** Letters of the short options that take a value. */
  readonly valued?: string;
  /** `all`, all removed, the `last`: the destination, or that and the `moved` sources, which go away. */
  readonly operands: "all" | "removed" | "last" | "moved" | "none";
  /** Operands before the files: the script of `sed`, unless an option gives it. */
  readonly first?: { readonly count: number; readonly unless: RegExp };
  /** It changes files only with this option. */
  readonly onlyWith?: RegExp;
  /** The option whose value is a file that it writes, or the folder that it writes into. */
  readonly output?: { readonly letter: string; readonly long?: string };
  /** What it loads from addresses: `-` is no file, and without a name the address gives it. */
  readonly loads?: { readonly named: RegExp | null };
}

const INTO = { letter: "t", long: "--target-directory" };
const TO_FILE = { letter: "o", long: "--output" };

const WRITERS: ReadonlyMap<string, Writer> = new Map(Object.entries<Writer>({
  rm: { operands: "removed" },
  rmdir: { operands: "removed" },
  unlink: { operands: "removed" },
  shred: { operands: "removed", valued: "ns" },
  truncate: { operands: "all", valued: "sr" },
  touch: { operands: "all", valued: "dtr" },
  tee: { operands: "all" },
  mv: { operands: "moved", valued: "S", output: INTO },
  cp: { operands: "last", valued: "S", output: INTO },
  install: { operands: "last", valued: "Sgmo", output: INTO },
  ln: { operands: "last", valued: "S", output: INTO },
  link: { operands: "last" },
  rsync: { operands: "last", valued: "efB" },
  scp: { operands: "last", valued: "cFiJloPS" },
  sed: {
    operands: "all",
    valued: "efl",
    onlyWith: /^(?:-[a-zA-Z]*i|--in-place)/,
    first: { count: 1, unless: /^(?:-[a-zA-Z]*[ef]|--expression|--file)/ },
  },
  perl: {
    operands: "all",
    valued: "eEIMm",
    onlyWith: /^-[a-zA-Z0-9]*i/,
    first: { count: 1, unless: /^-[a-zA-Z0-9]*[eE]/ },
  },
  sort: { operands: "none", output: TO_FILE },
  curl: {
    operands: "none",
    valued: "AbcCdDeEFhHKmPQrTuUwxXyYz",
    output: TO_FILE,
    loads: { named: /^(?:-[a-zA-Z]*O|--remote-name)/ },
  },
  wget: {
    operands: "none",
    valued: "aABDeiIlPQRtTUwX",
    output: { letter: "O", long: "--output-document" },
    loads: { named: null },
  },
  patch: { operands: "all", valued: "ipdDBzFYV", output: TO_FILE },
  gzip: { operands: "removed", valued: "S" },
  gunzip: { operands: "removed", valued: "S" },
  bzip2: { operands: "removed" },
  xz: { operands: "removed", valued: "TF" },
  zstd: { operands: "none", output: TO_FILE },
  sponge: { operands: "all" },
  split: { operands: "none" },
  awk: {
    operands: "all",
    valued: "fvFi",
    onlyWith: /inplace/,
    first: { count: 1, unless: /^-f/ },
  },
  gawk: {
    operands: "all",
    valued: "fvFi",
    onlyWith: /inplace/,
    first: { count: 1, unless: /^-f/ },
  },
  ed: { operands: "all", valued: "p" },
  ex: { operands: "all", valued: "cs" },
}));

/** Programs that write what they find in their input, and when they do. */
const UNPACKING: ReadonlyMap<string, (rest: readonly Argument[]) => boolean> = new Map([
  ["patch", (rest) => rest.every(({ text }) => text.startsWith("-"))],
  ["tar", ([first, ...rest]) =>
    /^-?[a-zA-Z]*x/.test(first?.text ?? "") ||
    [first, ...rest].some((word) => /^--(?:extract|get)$/.test(word?.text ?? ""))],
  ["unzip", (rest) => !rest.some(({ text }) => /^-[a-zA-Z]*[lptvZ]/.test(text))],
  ["cpio", (rest) => rest.some(({ text }) => /^-[a-zA-Z]*[ip]/.test(text))],
]);

/** The files that one command changes; a command that it starts is asked by itself. */
export function findTargets({ words, redirects, folder }: ShellCommand): Target[] {
  const target = ([word, effect, ifInFolder = false]: Change, by: string): Target => {
    const isKnown = !word.isOpen && (folder !== null || word.text.startsWith("/"));
    const path = isKnown ? resolvePath(word.text, { folder: folder ?? "/" }) : null;
    return { path, isGlob: word.isGlob, effect, by, ifInFolder };
  };
  const redirected = redirects
    .filter(({ operator, target: to }) =>
      WRITING_REDIRECTS.has(operator) && !isDescriptor(operator, to) && !isDevice(to)
    )
    .map(({ operator, target: to }) => target([to, "change"], operator));
  const [program, ...rest] = words;
  if (program === undefined) return redirected;
  const name = programName(program.text);
  return [
    ...redirected,
    ...changesOf(name, rest).filter(([word]) => !isDevice(word))
      .map((change) => target(change, name)),
  ];
}

function changesOf(name: string, rest: readonly Argument[]): Change[] {
  if (name === "dd") {
    return rest.filter(({ text }) => text.startsWith("of="))
      .map((word): Change => [{ ...word, text: word.text.slice(3) }, "change"]);
  }
  if (name === "git") return changesOfGit(rest);
  if (UNPACKING.get(name)?.(rest)) return [[SOMEWHERE, "change"]];
  if (name === "find") return changesOfFind(rest);
  const writer = WRITERS.get(name.replace(/^g(?=sed$|cp$|mv$|rm$)/, ""));
  if (writer === undefined) return [];
  if (writer.onlyWith !== undefined && !rest.some(({ text }) => writer.onlyWith!.test(text))) {
    return [];
  }
  const { operands, outputs } = split(rest, writer);
  const skipped = writer.first && !rest.some(({ text }) => writer.first!.unless.test(text))
    ? writer.first.count
    : 0;
  const named = operands.slice(skipped);
  if (writer.operands === "none") {
    return marked(
      writer.loads === undefined ? outputs : loaded(writer.loads, { rest, operands, outputs }),
      "change",
    );
  }
  if (writer.operands === "all") return marked([...named, ...outputs], "change");
  if (writer.operands === "removed") return marked(named, "remove");
  const sources = outputs.length > 0 ? named : named.slice(0, -1);
  const to = outputs.length > 0 ? outputs : named.slice(1).slice(-1);
  return [
    ...marked(to, "change"),
    ...to.flatMap((word) => placesIn(word, sources)),
    ...marked(writer.operands === "moved" ? sources : [], "remove"),
  ];
}

/** The files that are made of what is loaded: those that are named, else the last part of each address. */
function loaded(
  { named }: NonNullable<Writer["loads"]>,
  { rest, operands, outputs }: {
    readonly rest: readonly Argument[];
    readonly operands: readonly Argument[];
    readonly outputs: readonly Argument[];
  },
): Argument[] {
  if (outputs.length > 0) return outputs.filter(({ text }) => text !== "-");
  if (named !== null && !rest.some(({ text }) => named.test(text))) return [];
  return operands.filter(({ text, isOpen }) => !isOpen && /\/[^/?#]+(?:[?#].*)?$/.test(text))
    .map((word) => ({ ...word, text: /\/([^/?#]+)(?:[?#].*)?$/.exec(word.text)![1]! }));
}

function split(
  rest: readonly Argument[],
  { valued = "", output }: Writer,
): { readonly operands: Argument[]; readonly outputs: Argument[] } {
  const operands: Argument[] = [];
  const outputs: Argument[] = [];
  let onlyOperands = false;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at]!;
    const { text } = word;
    const equals = text.indexOf("=");
    if (onlyOperands || !/^-./.test(text)) operands.push(word);
    else if (text === "--") onlyOperands = true;
    else if (text.startsWith("--")) {
      if (output?.long === undefined || !text.startsWith(output.long)) continue;
      if (text === output.long) outputs.push(...rest.slice(++at, at + 1));
      else if (text[output.long.length] === "=") {
        outputs.push({ ...word, text: text.slice(equals + 1) });
      }
    } else if (output !== undefined && text.includes(output.letter)) {
      const value = text.slice(text.indexOf(output.letter) + 1);
      if (value === "") outputs.push(...rest.slice(++at, at + 1));
      else outputs.push({ ...word, text: value });
    } else if (valued.includes(text.at(-1)!)) at++;
  }
  return { operands, outputs };
}

function isDescriptor(operator: string, { text }: Argument): boolean {
  return operator === ">&" && /^(?:\d+|-)$/.test(text);
}

function isDevice({ text, isOpen }: Argument): boolean {
  return !isOpen && /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+|zero)$/.test(text);
}
