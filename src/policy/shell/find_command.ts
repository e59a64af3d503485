/** Reads a call of `find` and tells which files each of its actions means. */
import type { Answer, Entry, Search } from "../guards/types.ts";
import type { Change, Inner } from "./shell_command.ts";
import { type Argument, literal, OPEN, TooMuchWork } from "./word.ts";
import { rowsByName } from "./rows.ts";
import { readWildcard } from "../../base/wildcard.ts";
import ROWS from "./find_words.json" with { type: "json" };

/** Returns the files that `-delete` removes. */
export function changesOfFind(rest: readonly Argument[]): Change[] {
  const call = readFind(rest);
  return call.actions.flatMap(({ kind }, action): Change[] =>
    kind === "delete" ? [{ word: foundBy(call, action), effect: "remove" }] : []
  );
}

/** Returns the names that a call prints, as one argument; an unknown argument where it prints something else. */
export function listedBy(rest: readonly Argument[]): Argument {
  const call = readFind(rest);
  const [only, ...others] = call.actions.keys().filter((at) => call.actions[at]!.kind === "list");
  return only === undefined || others.length > 0 || printsOther(rest) ? OPEN : foundBy(call, only);
}

/** Returns the commands of `find … -exec`, with the found files as their argument. */
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
  const searchFrom = (
    { text, isGlob }: Argument,
    { takesFolders }: Pick<Search, "takesFolders">,
  ): Search => ({
    takesFolders,
    judge: ({ path, kind }) => {
      const depth = path === "" ? 0 : path.split("/").length;
      const isDeep = depth >= call.minDepth && depth <= call.maxDepth;
      // The shell replaces a pattern at the start of the search, so only entries below have a known name.
      const whole = path === "" ? text : text.endsWith("/") ? text + path : `${text}/${path}`;
      const named = isGlob ? path : whole;
      const { reached, isPruned } = visited(call, {
        kind,
        name: named === "" ? undefined : named.replace(/(?<=.)\/+$/, "").replace(/^.*\/(?=.)/s, ""),
        path: isGlob ? undefined : whole,
      });
      return {
        isMeant: isDeep ? reached[action] ?? "no" : "no",
        goesOn: depth < call.maxDepth && (!isPruned || call.isDepthFirst || !isDeep),
      };
    },
  });
  return { ...OPEN, found: { roots: call.roots, isAll: meansAll(call, action), searchFrom } };
}

/** Tells whether no test keeps an action from anything in the folders. */
export function meansAll(call: FindCall, action: number): boolean {
  const kinds = call.actions[action]?.kind === "delete"
    ? ["file"] as const
    : ["file", "folder"] as const;
  return kinds.some((kind) => visited(call, { kind, isAny: true }).reached[action] === "yes");
}

function visited(call: FindCall, entry: Candidate): Visit {
  const visit: Visit = { entry, reached: call.actions.map(() => "no"), isPruned: false };
  call.expression(visit, "yes");
  return visit;
}

/** The answer of a test; undefined where only the running `find` knows. */
type Truth = boolean | undefined;

/** An entry, with its name and its path as `find` writes them; undefined where they are unknown. */
interface Candidate extends Pick<Entry, "kind"> {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  /** Set where the candidate stands for any entry. */
  readonly isAny?: true;
}

/** One entry, and what the expression does with it. */
interface Visit {
  readonly entry: Candidate;
  /** For each action, whether the expression reaches it. */
  readonly reached: Answer[];
  /** Whether `find` does not enter the entry. */
  isPruned: boolean;
}

/** A part of the expression; `reach` tells whether the parts before it let the entry through. */
type Expression = (visit: Visit, reach: Answer) => Truth;

type Action =
  | { readonly kind: "delete" | "list" }
  | { readonly kind: "exec"; readonly words: readonly Argument[] };

interface FindCall {
  readonly roots: readonly Argument[];
  readonly actions: readonly Action[];
  /** Whether the call also searches elsewhere, since it follows links or reads the folders from a file. */
  readonly looksElsewhere: boolean;
  readonly expression: Expression;
  readonly minDepth: number;
  readonly maxDepth: number;
  /** Whether `find` visits a folder after its content, so that `-prune` leaves nothing out. */
  readonly isDepthFirst: boolean;
}

/** A word of an expression. */
interface FindWord {
  /** Its kind: `plain` is always true and does nothing, `unknown` is a test that only the running `find` answers. */
  readonly is: string;
  /** How many words follow as its value. */
  readonly values?: number;
  /** Which text a `like` test compares with the pattern. */
  readonly of?: "name" | "path";
  readonly ignoresCase?: boolean;
  /** Whether most files pass the test. */
  readonly isBroad?: boolean;
}

const WORDS = rowsByName<FindWord>(ROWS);
/** Stands for an unknown test, which is assumed to have a value. */
const ANY_TEST: FindWord = { is: "unknown", values: 1 };

const always: Expression = () => true;
const unknown: Expression = () => undefined;

/** Words with which `find` prints something else than the names of all its finds. */
const PRINTING = /^-(?:ls|printf|quit|f(?:ls|print(?:0|f)?))$/;
/** Actions, which are never the value of the word before them. */
const ACTING = /^-(?:delete$|exec|ok)/;
/** Operators between two parts, from the weakest to the strongest; `-a` may be left out. */
const SIGNS = [/^,$/, /^-o(?:r)?$/, /^-a(?:nd)?$/];

/** How many tests, actions and values of one call are read; every file runs through all of them. */
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
  const has = (pattern: RegExp) => tests.some(({ text }) => pattern.test(text));
  const depth = (option: string, otherwise: number) => {
    const at = tests.findLastIndex(({ text }) => text === option);
    const value = at < 0 ? "" : tests[at + 1]?.text ?? "";
    return /^\d+$/.test(value) ? Number(value) : otherwise;
  };
  return {
    roots: roots.length === 0 ? [literal(".")] : roots,
    expression: reader.whole(),
    actions: reader.actions,
    looksElsewhere: has(/^-(?:follow|files0-from)$/) ||
      rest.slice(0, Math.max(options, 0)).some(({ text }) => text.includes("L")),
    minDepth: depth("-mindepth", 0),
    maxDepth: depth("-maxdepth", Infinity),
    isDepthFirst: has(/^-(?:d|depth|delete)$/),
  };
}

function printsOther(words: readonly Argument[]): boolean {
  return words.some(({ text }) => PRINTING.test(text));
}

/** Parses the tests and actions. An unknown word counts as a test with an unknown answer. */
class Reader {
  readonly actions: Action[] = [];
  readonly #words: readonly Argument[];
  #at = 0;

  constructor(words: readonly Argument[]) {
    this.#words = words;
  }

  /** Parses the whole expression; without an action, `find` prints the entries for which it is true. */
  whole(): Expression {
    const expression = this.#joined(0);
    if (this.actions.length > 0 || printsOther(this.#words)) return expression;
    return both(expression, this.#action({ kind: "list" }, true), false);
  }

  #joined(level: number): Expression {
    if (level === SIGNS.length) return this.#part();
    let left = this.#joined(level + 1);
    while (this.#at < this.#words.length && this.#word() !== ")") {
      const isSign = SIGNS[level]!.test(this.#word());
      if (isSign) this.#at++;
      else if (level < 2 || SIGNS.some((sign) => sign.test(this.#word()))) break;
      const [first, then] = [left, this.#joined(level + 1)];
      left = level > 0 ? both(first, then, level === 1) : (visit, reach) => {
        first(visit, reach);
        return then(visit, reach);
      };
    }
    return left;
  }

  #part(): Expression {
    const word = this.#words[this.#at++];
    if (word === undefined) return always;
    if (word.isOpen) return unknown;
    const { text } = word;
    if (/^(?:!|-not)$/.test(text)) return not(this.#part());
    if (text === "(") {
      const inside = this.#joined(0);
      if (this.#word() === ")") this.#at++;
      return inside;
    }
    const means = WORDS.find(text) ?? ANY_TEST;
    const { is, values = 0 } = means;
    if (is === "exec") return this.#exec();
    if (is === "list" || is === "delete") return this.#action({ kind: is }, true);
    const value = this.#words[this.#at];
    if (values > 0 && (value === undefined || ACTING.test(value.text))) return unknown;
    this.#at += values;
    // The shell may replace a pattern here by names, which match no more files than the pattern.
    return values > 0 && is !== "plain" && value!.isOpen
      ? unknown
      : testOf(means, value?.text ?? "");
  }

  /** Parses a command up to `;`, whose result is unknown, or up to `{} +`. */
  #exec(): Expression {
    const words = this.#words.slice(this.#at);
    const end = words.findIndex(({ text }, i) =>
      text === ";" || (text === "+" && words[i - 1]?.text === "{}")
    );
    const command = end < 0 ? words : words.slice(0, end);
    this.#at += command.length + 1;
    return this.#action({ kind: "exec", words: command }, words[end]?.text === "+" || undefined);
  }

  #action(action: Action, truth: Truth): Expression {
    const at = this.actions.push(action) - 1;
    return (visit, reach) => {
      visit.reached[at] = reach;
      return truth;
    };
  }

  #word(): string {
    const word = this.#words[this.#at];
    return word === undefined || word.isOpen ? "" : word.text;
  }
}

/** Joins two parts; the second part counts only where the first is not `deciding`. */
function both(left: Expression, right: Expression, deciding: boolean): Expression {
  return (visit, reach) => {
    const first = left(visit, reach);
    if (first === deciding) return first;
    const second = right(visit, first === undefined ? "maybe" : reach);
    return first === undefined && second !== deciding ? undefined : second;
  };
}

function not(part: Expression): Expression {
  return (visit, reach) => {
    const truth = part(visit, reach);
    return truth === undefined ? undefined : !truth;
  };
}

const TYPES: Readonly<Record<string, Entry["kind"]>> = { f: "file", d: "folder", l: "link" };

function testOf(
  { is, of, ignoresCase = false, isBroad = false }: FindWord,
  value: string,
): Expression {
  switch (is) {
    case "plain":
      return always;
    case "false":
      return not(always);
    case "prune":
      return (visit, reach) => {
        visit.isPruned ||= reach === "yes";
        return true;
      };
    case "like": {
      const matches = readWildcard(value, { ignoresCase });
      const isAny = /^(?:\.\/)?\*+$/.test(value) || undefined;
      return ({ entry }) => {
        const text = entry[of ?? "path"];
        return text === undefined ? isAny : matches?.(text);
      };
    }
    case "type": {
      const kinds = value.split(",").map((letter) => TYPES[letter] ?? "other");
      return ({ entry }) => kinds.includes(entry.kind);
    }
    default:
      return ({ entry }) => (entry.isAny && isBroad) || undefined;
  }
}
