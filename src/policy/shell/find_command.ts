/** Reads a call of `find` and tells which files each of its actions means. */
import type { Answer, Entry, Search } from "../guards/types.ts";
import { type Change, type Inner, marked } from "./shell_command.ts";
import { type Argument, literal, OPEN, TooMuchWork } from "./word.ts";
import { rowsByName } from "./rows.ts";
import { readWildcard } from "../../base/wildcard.ts";
import ROWS from "./find_words.json" with { type: "json" };

/** Returns the files that `-delete` removes. */
export function changesOfFind(rest: readonly Argument[]): Change[] {
  return marked(findsOf(rest, "delete").map(({ found }) => found), "remove");
}

/** Returns the names that a call prints, as one argument; an unknown argument where it prints something else. */
export function listedBy(rest: readonly Argument[]): Argument {
  const [only, ...others] = findsOf(rest, "list");
  return only === undefined || others.length > 0 || printsOther(rest) ? OPEN : only.found;
}

/** Returns the commands of `find … -exec`, with the found files as their argument. */
export function inFind(rest: readonly Argument[]): Inner[] {
  return findsOf(rest, "exec").filter(({ words }) => words.length > 0).map(({ words, found }) => ({
    kind: "command",
    words: words.map((word) =>
      word.text === "{}" ? { ...found, source: "{}" } : word.text.includes("{}") ? OPEN : word
    ),
  }));
}

/** Returns the actions of a kind, each with the files for which it is done. */
function findsOf(rest: readonly Argument[], kind: Action["kind"]) {
  const call = readFind(rest);
  return call.actions.flatMap((action, i) =>
    action.kind === kind ? [{ words: action.words, found: foundBy(call, i) }] : []
  );
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

function visited({ actions, expression }: FindCall, entry: Omit<Visit, "reached" | "isPruned">) {
  const visit: Visit = { ...entry, reached: actions.map(() => "no"), isPruned: false };
  expression(visit, "yes");
  return visit;
}

/** An entry, and what the expression does with it. */
interface Visit extends Pick<Entry, "kind"> {
  /** The name and the path as `find` writes them; undefined where they are unknown. */
  readonly name?: string | undefined;
  readonly path?: string | undefined;
  /** Set where the visit stands for one of any entry. */
  readonly isAny?: true;
  /** For each action, whether the expression reaches it. */
  readonly reached: Answer[];
  /** Whether `find` does not enter the entry. */
  isPruned: boolean;
}

/** The answer of a test; undefined where only the running `find` knows. */
type Truth = boolean | undefined;

/** A part of the expression; `reach` tells whether the parts before it let the entry through. */
type Expression = (visit: Visit, reach: Answer) => Truth;

interface Action {
  readonly kind: "delete" | "list" | "exec";
  /** The command of `-exec`. */
  readonly words: readonly Argument[];
}

type FindCall = ReturnType<typeof readFind>;

/** How many tests, actions and values of one call are read; every file runs through all of them. */
const MAX_WORDS = 300;

export function readFind(rest: readonly Argument[]) {
  const options = rest.findIndex(({ text, isOpen }) =>
    isOpen || !/^-(?:[EHLPXdsx]+|O\d)$/.test(text)
  );
  const words = options < 0 ? [] : rest.slice(options);
  const end = words.findIndex(({ text, isOpen }) => !isOpen && /^(?:-.|[(),!]$)/s.test(text));
  const roots = end < 0 ? words : words.slice(0, end);
  const tests = end < 0 ? [] : words.slice(end);
  if (tests.length > MAX_WORDS) throw new TooMuchWork();
  const has = (pattern: RegExp) => tests.some(({ text }) => pattern.test(text));
  const depth = (option: string, otherwise: number) => {
    const at = tests.findLastIndex(({ text }) => text === option);
    const value = at < 0 ? "" : tests[at + 1]?.text ?? "";
    return /^\d+$/.test(value) ? Number(value) : otherwise;
  };
  return {
    ...readExpression(tests),
    roots: roots.length === 0 ? [literal(".")] : roots,
    // It also searches elsewhere, since it follows links or reads the folders from a file.
    looksElsewhere: has(/^-(?:follow|files0-from)$/) ||
      rest.slice(0, Math.max(options, 0)).some(({ text }) => text.includes("L")),
    minDepth: depth("-mindepth", 0),
    maxDepth: depth("-maxdepth", Infinity),
    // It visits a folder after its content, so that `-prune` leaves nothing out.
    isDepthFirst: has(/^-(?:d|depth|delete)$/),
  };
}

/** Words with which `find` prints something else than the names of all its finds. */
const PRINTING = /^-(?:ls|printf|quit|f(?:ls|print(?:0|f)?))$/;

function printsOther(words: readonly Argument[]): boolean {
  return words.some(({ text }) => PRINTING.test(text));
}

/** Actions, which are never the value of the word before them. */
const ACTING = /^-(?:delete$|exec|ok)/;
/** Operators between two parts, from the weakest to the strongest; `-a` may be left out. */
const SIGNS = [/^,$/, /^-o(?:r)?$/, /^-a(?:nd)?$/];

/** Reads the tests and actions. An unknown word counts as a test with an unknown answer. */
function readExpression(words: readonly Argument[]) {
  const actions: Action[] = [];
  let at = 0;
  const ahead = () => words[at]?.isOpen === false ? words[at]!.text : "";

  const joined = (level: number): Expression => {
    if (level === SIGNS.length) return part();
    let left = joined(level + 1);
    while (at < words.length && ahead() !== ")") {
      if (SIGNS[level]!.test(ahead())) at++;
      else if (level < 2 || SIGNS.some((sign) => sign.test(ahead()))) break;
      const [first, then] = [left, joined(level + 1)];
      left = level > 0 ? both(first, then, level === 1) : (visit, reach) => {
        first(visit, reach);
        return then(visit, reach);
      };
    }
    return left;
  };

  const part = (): Expression => {
    const word = words[at++];
    if (word === undefined) return always;
    if (word.isOpen) return unknown;
    if (/^(?:!|-not)$/.test(word.text)) return not(part());
    if (word.text === "(") {
      const inside = joined(0);
      if (ahead() === ")") at++;
      return inside;
    }
    const row = WORDS.find(word.text) ?? ANY_TEST;
    const { is, values = 0 } = row;
    if (is === "exec") return execution();
    if (is === "list" || is === "delete") return action({ kind: is, words: [] }, true);
    const value = words[at];
    if (values > 0 && (value === undefined || ACTING.test(value.text))) return unknown;
    at += values;
    // The shell may replace a pattern here by names, which match no more files than the pattern.
    return values > 0 && is !== "plain" && value!.isOpen
      ? unknown
      : TESTS[is]!(row, value?.text ?? "");
  };

  /** Reads a command up to `;`, whose result is unknown, or up to `{} +`. */
  const execution = (): Expression => {
    const left = words.slice(at);
    const end = left.findIndex(({ text }, i) =>
      text === ";" || (text === "+" && left[i - 1]?.text === "{}")
    );
    const command = end < 0 ? left : left.slice(0, end);
    at += command.length + 1;
    return action({ kind: "exec", words: command }, left[end]?.text === "+" || undefined);
  };

  const action = (action: Action, truth: Truth): Expression => {
    const i = actions.push(action) - 1;
    return (visit, reach) => {
      visit.reached[i] = reach;
      return truth;
    };
  };

  const expression = joined(0);
  // Without an action, `find` prints the entries for which the expression is true.
  const isListing = actions.length === 0 && !printsOther(words);
  const list = () => both(expression, action({ kind: "list", words: [] }, true), false);
  return { actions, expression: isListing ? list() : expression };
}

const always: Expression = () => true;
const unknown: Expression = () => undefined;

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

/** A word of an expression. */
interface FindWord {
  /** What it is: an action, or the key of a test below. */
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

const KINDS: Readonly<Record<string, Entry["kind"]>> = { f: "file", d: "folder", l: "link" };

/** The tests of a word with its value. `unknown` is one that only the running `find` answers. */
const TESTS: Readonly<Record<string, (row: FindWord, value: string) => Expression>> = {
  plain: () => always,
  false: () => not(always),
  prune: () => (visit, reach) => {
    visit.isPruned ||= reach === "yes";
    return true;
  },
  like: ({ of = "path", ignoresCase = false }, value) => {
    const matches = readWildcard(value, { ignoresCase });
    const isAny = /^(?:\.\/)?\*+$/.test(value) || undefined;
    return ({ [of]: text }) => text === undefined ? isAny : matches?.(text);
  },
  type: (_, value) => {
    const kinds = value.split(",").map((letter) => KINDS[letter] ?? "other");
    return ({ kind }) => kinds.includes(kind);
  },
  unknown: ({ isBroad = false }) => ({ isAny }) => (isAny && isBroad) || undefined,
};
