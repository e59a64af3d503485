/** What `find` looks for, read from its words. */
import type { Answer, Entry } from "../guards/types.ts";
import { TooMuchWork } from "./budget.ts";
import type { Argument } from "./word.ts";
import { readWildcard } from "./wildcard.ts";

type Expression =
  | { readonly kind: "test"; readonly test: Test }
  | { readonly kind: "action"; readonly action: number; readonly truth: Truth }
  | { readonly kind: "prune" }
  | { readonly kind: "not"; readonly of: Expression }
  | {
    readonly kind: "and" | "or" | "list";
    readonly left: Expression;
    readonly right: Expression;
  };

/** What is done with what is found: it is deleted, listed, or handed to a command. */
type Action =
  | { readonly kind: "delete" | "list" }
  | { readonly kind: "exec"; readonly words: readonly Argument[] };

export interface FindCall {
  readonly roots: readonly Argument[];
  readonly actions: readonly Action[];
  /** True where it looks at more than lies in its folders: links are followed, folders come from a file. */
  readonly looksElsewhere: boolean;
  readonly expression: Expression;
  readonly minDepth: number;
  readonly maxDepth: number;
  /** A folder comes after what lies in it: nothing is left out then. */
  readonly isDepthFirst: boolean;
}

const HERE: Argument = { text: ".", isOpen: false, isGlob: false };
const TRUE: Expression = { kind: "test", test: () => true };
const UNKNOWN: Expression = { kind: "test", test: () => undefined };

/** Words without a value that are always true. */
const PLAIN =
  /^-(?:true|daystart|d|depth|follow|mount|xdev|noleaf|(?:no)?ignore_readdir_race|(?:no)?warn|ls|quit)$/;
/** With one of them `find` does not print the names of everything that it finds. */
const TELLING = /^-(?:ls|printf|quit|f(?:ls|print(?:0|f)?))$/;
/** Tests without a value that only the running `find` can answer. */
const ASKING = /^-(?:empty|executable|readable|writable|nouser|nogroup)$/;
/** Words with a value that do nothing to what is found. */
const VALUED_PLAIN = /^-(?:f(?:print0?|ls)|regextype|files0-from|maxdepth|mindepth)$/;
/** These words are never the value of the word before them. */
const DOING = /^-(?:delete$|exec|ok)/;

/** Tests, actions and their values of one call: each is tried on every file that is looked through. */
const MAX_WORDS = 300;

/** Takes the arguments of `find` apart. @throws {TooMuchWork} */
export function readFind(rest: readonly Argument[]): FindCall {
  const options = rest.findIndex(({ text, isOpen }) =>
    isOpen || !/^-(?:[EHLPXdsx]+|O\d)$/.test(text)
  );
  const words = options < 0 ? [] : rest.slice(options);
  const end = words.findIndex(({ text, isOpen }) => !isOpen && /^(?:-.|[(),!]$)/s.test(text));
  const roots = end < 0 ? words : words.slice(0, end);
  const tests = end < 0 ? [] : words.slice(end);
  if (tests.length > MAX_WORDS) throw new TooMuchWork();
  const reader = new Reader(tests);
  const expression = reader.whole();
  const has = (pattern: RegExp) => tests.some(({ text }) => pattern.test(text));
  const depth = (option: string, otherwise: number) => {
    const at = tests.findLastIndex(({ text }) => text === option);
    const value = Number(at < 0 ? Number.NaN : tests[at + 1]?.text || Number.NaN);
    return Number.isNaN(value) ? otherwise : value;
  };
  return {
    roots: roots.length === 0 ? [HERE] : roots,
    actions: reader.actions,
    looksElsewhere: has(/^-(?:follow|files0-from)$/) ||
      rest.slice(0, Math.max(options, 0)).some(({ text }) => text.includes("L")),
    expression,
    minDepth: depth("-mindepth", 0),
    maxDepth: depth("-maxdepth", Infinity),
    isDepthFirst: has(/^-(?:d|depth|delete)$/),
  };
}

/** Whether something else is printed than the names of all that is found. */
export function printsOther(words: readonly Argument[]): boolean {
  return words.some(({ text }) => TELLING.test(text));
}

/** Reads the tests and actions. An unknown word counts as a test with an unknown answer. */
class Reader {
  readonly actions: Action[] = [];
  readonly #words: readonly Argument[];
  #at = 0;

  constructor(words: readonly Argument[]) {
    this.#words = words;
  }

  /** All of it; without an action, what it is true of is listed. */
  whole(): Expression {
    const expression = this.list();
    return this.actions.length > 0 || printsOther(this.#words)
      ? expression
      : { kind: "and", left: expression, right: this.#action({ kind: "list" }, true) };
  }

  list(): Expression {
    return this.#joined("list", /^,$/, () => this.#or());
  }

  #or(): Expression {
    return this.#joined("or", /^-o(?:r)?$/, () => this.#and());
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#at < this.#words.length && !/^(?:-o(?:r)?|,|\))$/.test(this.#word())) {
      if (/^-a(?:nd)?$/.test(this.#word())) this.#at++;
      left = { kind: "and", left, right: this.#not() };
    }
    return left;
  }

  #joined(kind: "list" | "or", sign: RegExp, part: () => Expression): Expression {
    let left = part();
    while (this.#at < this.#words.length && sign.test(this.#word())) {
      this.#at++;
      left = { kind, left, right: part() };
    }
    return left;
  }

  #not(): Expression {
    if (!/^(?:!|-not)$/.test(this.#word())) return this.#primary();
    this.#at++;
    return { kind: "not", of: this.#not() };
  }

  #primary(): Expression {
    const word = this.#words[this.#at];
    if (word === undefined) return TRUE;
    this.#at++;
    if (word.isOpen) return UNKNOWN;
    const { text } = word;
    if (text === "(") {
      const inside = this.list();
      if (this.#word() === ")") this.#at++;
      return inside;
    }
    if (PLAIN.test(text)) return TRUE;
    if (text === "-false") return { kind: "not", of: TRUE };
    if (text === "-prune") return { kind: "prune" };
    if (/^-print0?$/.test(text)) return this.#action({ kind: "list" }, true);
    if (text === "-delete") return this.#action({ kind: "delete" }, true);
    if (/^-(?:exec|ok)(?:dir)?$/.test(text)) return this.#exec();
    if (ASKING.test(text)) return { kind: "test", test: testOf(text, "") };
    const value = this.#words[this.#at];
    if (value === undefined || DOING.test(value.text)) return UNKNOWN;
    this.#at++;
    if (text === "-fprintf") this.#at++;
    if (text === "-fprintf" || text === "-printf" || VALUED_PLAIN.test(text)) return TRUE;
    if (value.isOpen) return UNKNOWN;
    // What the shell makes of a pattern is no more than that stands for.
    return { kind: "test", test: testOf(text, value.text) };
  }

  /** A command up to `;`, of which the result is not known, or up to `{} +`. */
  #exec(): Expression {
    const words = this.#words.slice(this.#at);
    const end = words.findIndex(({ text }, i) =>
      text === ";" || (text === "+" && words[i - 1]?.text === "{}")
    );
    this.#at = end < 0 ? this.#words.length : this.#at + end + 1;
    const command = end < 0 ? words : words.slice(0, end);
    return this.#action({ kind: "exec", words: command }, words[end]?.text === "+" || undefined);
  }

  #action(action: Action, truth: Truth): Expression {
    return { kind: "action", action: this.actions.push(action) - 1, truth };
  }

  #word(): string {
    const word = this.#words[this.#at];
    return word === undefined || word.isOpen ? "" : word.text;
  }
}

export interface Outcome {
  readonly reached: Answer[];
  /** Whether nothing below it is looked at. */
  isPruned: boolean;
}

/** Tries the conditions on one entry; `start` is where the search begins. */
export function judgeEntry(
  { expression, actions }: FindCall,
  entry: Candidate,
  start: Start,
): Outcome {
  const outcome: Outcome = { reached: actions.map(() => "no"), isPruned: false };
  const evaluate = (part: Expression, reach: Answer): Truth => {
    switch (part.kind) {
      case "test":
        return part.test(entry, start);
      case "action":
        outcome.reached[part.action] = reach;
        return part.truth;
      case "prune":
        outcome.isPruned ||= reach === "yes";
        return true;
      case "not": {
        const truth = evaluate(part.of, reach);
        return truth === undefined ? undefined : !truth;
      }
      case "list":
        evaluate(part.left, reach);
        return evaluate(part.right, reach);
      default: {
        // The right side is only asked when the left one does not decide.
        const deciding = part.kind === "or";
        const left = evaluate(part.left, reach);
        if (left === deciding) return left;
        const right = evaluate(part.right, left === undefined ? "maybe" : reach);
        return left === undefined && right !== deciding ? undefined : right;
      }
    }
  };
  evaluate(expression, "yes");
  return outcome;
}

/** The answer of a test; undefined where only the running `find` knows. */
type Truth = boolean | undefined;

/** Where a search begins, as it is written; null where the shell puts names in. */
type Start = string | null;

/** An entry; without a path, any entry that could exist. */
interface Candidate extends Pick<Entry, "kind"> {
  readonly path: string | null;
}

type Test = (entry: Candidate, start: Start) => Truth;

/** Tests that most files pass. */
const BROAD =
  /^-(?:perm|user|group|uid|gid|links|fstype|executable|readable|writable|nouser|nogroup)$/;

const TYPES: Readonly<Record<string, Entry["kind"]>> = { f: "file", d: "folder", l: "link" };
/** A test that has a value, or asks for what only the running `find` knows. */
function testOf(name: string, value: string): Test {
  const ignoresCase = name.startsWith("-i");
  switch (name.replace(/^-i?/, "")) {
    case "name":
      return likeWildcard(value, { ignoresCase, of: nameOf });
    case "path":
    case "wholename":
      return likeWildcard(value, { ignoresCase, of: pathOf });
    case "type": {
      const kinds = value.split(",").map((letter) => TYPES[letter] ?? "other");
      return ({ kind }) => kinds.includes(kind);
    }
    case "lname":
      return ({ kind }) => kind === "link" ? undefined : false;
    default:
      return ({ path }) => (path === null && BROAD.test(name)) || undefined;
  }
}

/** Undefined where there is no path: then only a pattern for everything is sure to fit. */
function likeWildcard(
  pattern: string,
  { ignoresCase, of }: {
    readonly ignoresCase: boolean;
    readonly of: (entry: Candidate, start: Start) => string | undefined;
  },
): Test {
  const matches = readWildcard(pattern, { ignoresCase });
  return (entry, start) => {
    const text = of(entry, start);
    return text === undefined ? /^(?:\.\/)?\*+$/.test(pattern) || undefined : matches?.(text);
  };
}

/** The path as `find` writes it: from where the search begins. */
function pathOf({ path }: Candidate, start: Start): string | undefined {
  if (path === null || start === null) return undefined;
  if (path === "") return start;
  return start.endsWith("/") ? start + path : `${start}/${path}`;
}

function nameOf({ path }: Candidate, start: Start): string | undefined {
  const whole = path === "" ? start : path;
  return whole === null ? undefined : whole.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/s, "");
}
