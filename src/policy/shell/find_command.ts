/** Reads a call of `find`: which files each of its actions means. */
import type { Answer, Entry, Search } from "../guards/types.ts";
import type { Change, Inner } from "./shell_command.ts";
import { type Argument, literal, OPEN, TooMuchWork } from "./word.ts";
import { readWildcard } from "./wildcard.ts";

/** The files that `-delete` takes away. */
export function changesOfFind(rest: readonly Argument[]): Change[] {
  const call = readFind(rest);
  const changes = call.actions.flatMap(({ kind }, action): Change[] =>
    kind !== "delete" ? [] : call.roots.map((root): Change => ({
      word: root,
      effect: "remove",
      search: searchOf(call, { root, action, takesFolders: "no" }),
    }))
  );
  return changes.length > 0 && call.looksElsewhere
    ? [...changes, { word: OPEN, effect: "remove" }]
    : changes;
}

/** The names that a call prints, as one argument; an unknown one where it prints something else. */
export function listedBy(rest: readonly Argument[]): Argument {
  const call = readFind(rest);
  const [only, ...others] = call.actions.keys().filter((at) => call.actions[at]!.kind === "list");
  const isTold = printsOther(rest);
  return only === undefined || others.length > 0 || isTold ? OPEN : foundBy(call, only);
}

/** The commands of `find … -exec`, with the found files as their argument. */
export function inFind(rest: readonly Argument[]): Inner[] {
  const call = readFind(rest);
  return call.actions.flatMap((did, action): Inner[] => {
    if (did.kind !== "exec" || did.words.length === 0) return [];
    const found = { ...foundBy(call, action), source: "{}" };
    const words = did.words.map((word) =>
      word.text === "{}" ? found : word.text.includes("{}") ? OPEN : word
    );
    return [{ kind: "command", words }];
  });
}

function foundBy(call: FindCall, action: number): Argument {
  if (call.looksElsewhere || call.roots.some(({ isOpen }) => isOpen)) return OPEN;
  const { roots } = call;
  return {
    ...OPEN,
    found: {
      roots,
      isAll: meansAll(call, action),
      searchFrom: (root, { takesFolders }) => searchOf(call, { root, action, takesFolders }),
    },
  };
}

/** Whether an action is done to everything in the folders, since no test leaves anything out. */
export function meansAll(call: FindCall, action: number): boolean {
  const kinds = call.actions[action]?.kind === "delete"
    ? ["file"] as const
    : ["file", "folder"] as const;
  return kinds.some((kind) =>
    judgeEntry(call, { path: null, kind }, null).reached[action] === "yes"
  );
}

function searchOf(
  call: FindCall,
  { root: { text, isGlob }, action, takesFolders }: {
    readonly root: Argument;
    readonly action: number;
    readonly takesFolders: Answer;
  },
): Search {
  return {
    takesFolders,
    judge: (entry) => {
      const depth = entry.path === "" ? 0 : entry.path.split("/").length;
      const isDeep = depth >= call.minDepth && depth <= call.maxDepth;
      const { reached, isPruned } = judgeEntry(call, entry, isGlob ? null : text);
      return {
        isMeant: isDeep ? reached[action] ?? "no" : "no",
        goesOn: depth < call.maxDepth && (!isPruned || call.isDepthFirst || !isDeep),
      };
    },
  };
}

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

type Action =
  | { readonly kind: "delete" | "list" }
  | { readonly kind: "exec"; readonly words: readonly Argument[] };

interface FindCall {
  readonly roots: readonly Argument[];
  readonly actions: readonly Action[];
  /** Whether it also searches elsewhere: it follows links, or reads the folders from a file. */
  readonly looksElsewhere: boolean;
  readonly expression: Expression;
  readonly minDepth: number;
  readonly maxDepth: number;
  /** Whether a folder comes after its content, so that `-prune` leaves nothing out. */
  readonly isDepthFirst: boolean;
}

const TRUE: Expression = { kind: "test", test: () => true };
const UNKNOWN: Expression = { kind: "test", test: () => undefined };

const PLAIN =
  /^-(?:true|daystart|d|depth|follow|mount|xdev|noleaf|(?:no)?ignore_readdir_race|(?:no)?warn|ls|quit)$/;
/** With one of these, `find` prints something else than the names of all that it finds. */
const TELLING = /^-(?:ls|printf|quit|f(?:ls|print(?:0|f)?))$/;
/** Tests without a value that only the running `find` can answer. */
const ASKING = /^-(?:empty|executable|readable|writable|nouser|nogroup)$/;
/** Words with a value that do nothing to what is found. */
const VALUED_PLAIN = /^-(?:f(?:print0?|ls)|regextype|files0-from|maxdepth|mindepth)$/;
/** These words are never the value of the word before them. */
const DOING = /^-(?:delete$|exec|ok)/;

/** The most tests, actions and values of one call; each of them is tried on every file. */
const MAX_WORDS = 300;

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
    roots: roots.length === 0 ? [literal(".")] : roots,
    actions: reader.actions,
    looksElsewhere: has(/^-(?:follow|files0-from)$/) ||
      rest.slice(0, Math.max(options, 0)).some(({ text }) => text.includes("L")),
    expression,
    minDepth: depth("-mindepth", 0),
    maxDepth: depth("-maxdepth", Infinity),
    isDepthFirst: has(/^-(?:d|depth|delete)$/),
  };
}

function printsOther(words: readonly Argument[]): boolean {
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

  /** The whole expression; without an action, `find` prints what it is true for. */
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
    // A pattern that the shell may replace means no more files than it does here.
    return { kind: "test", test: testOf(text, value.text) };
  }

  /** A command up to `;`, whose result is unknown, or up to `{} +`. */
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

interface Outcome {
  readonly reached: Answer[];
  /** Whether nothing below it is looked at. */
  isPruned: boolean;
}

function judgeEntry(
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
        // The right side is tried only where the left one does not decide.
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

/** Where a search begins, as written; null where the shell replaces a pattern there. */
type Start = string | null;

/** An entry; without a path it stands for any entry. */
interface Candidate extends Pick<Entry, "kind"> {
  readonly path: string | null;
}

type Test = (entry: Candidate, start: Start) => Truth;

/** Tests that most files pass. */
const BROAD =
  /^-(?:perm|user|group|uid|gid|links|fstype|executable|readable|writable|nouser|nogroup)$/;

const TYPES: Readonly<Record<string, Entry["kind"]>> = { f: "file", d: "folder", l: "link" };

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

/** Without a path the answer is unknown, unless the pattern fits everything. */
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
