/** The tests of `find`: what each of them says of an entry. */
import type { Entry } from "../types.ts";
import { readWildcard } from "./wildcard.ts";

/** What a test says of an entry; undefined where only the running `find` knows. */
export type Truth = boolean | undefined;

/** Where a search begins, as it is written; null where the shell puts names in. */
export type Start = string | null;

/** What is asked about: an entry, or any there could be: one without a path. */
export interface Candidate extends Pick<Entry, "kind"> {
  readonly path: string | null;
  readonly size: () => number | null;
}

/** What a test asks. */
export type Test = (entry: Candidate, start: Start) => Truth;

/** They narrow nothing down to what somebody made on purpose. */
const BROAD =
  /^-(?:perm|user|group|uid|gid|links|fstype|executable|readable|writable|nouser|nogroup)$/;

const TYPES: Readonly<Record<string, Entry["kind"]>> = { f: "file", d: "folder", l: "link" };
/** What `-size` counts in: blocks of 512 bytes unless it says otherwise. */
const UNITS: Readonly<Record<string, number>> = {
  "": 512,
  b: 512,
  c: 1,
  w: 2,
  k: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
};

/** Repetitions of a regular expression that are tried. */
const MAX_REPEATED = 4;

/** `-empty`; a folder that holds something stays whatever is done to it. */
export function isEmpty({ kind, size }: Candidate): Truth {
  if (kind !== "file") return kind === "folder" ? undefined : false;
  const bytes = size();
  return bytes === null ? undefined : bytes === 0;
}

/** A test that has a value, or asks for what only the running `find` knows. */
export function testOf(
  name: string,
  value: string,
  { isExtended }: { readonly isExtended: boolean },
): Test {
  const ignoresCase = name.startsWith("-i");
  switch (name.replace(/^-i?/, "")) {
    case "name":
      return likeWildcard(value, { ignoresCase, of: nameOf });
    case "path":
    case "wholename":
      return likeWildcard(value, { ignoresCase, of: pathOf });
    case "regex": {
      const regex = readRegex(value, { ignoresCase, isExtended });
      return (entry, start) => {
        const path = pathOf(entry, start);
        return path === undefined ? value === ".*" || undefined : regex?.test(path);
      };
    }
    case "type": {
      const kinds = value.split(",").map((letter) => TYPES[letter] ?? "other");
      return ({ kind }) => kinds.includes(kind);
    }
    case "lname":
      return ({ kind }) => kind === "link" ? undefined : false;
    case "size":
      return ({ kind, size }) => kind === "folder" ? undefined : hasSize(value, size());
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

/** Only what means the same in JavaScript; null for the rest. By default `find` groups with `\(`, `\|` and `\)`. */
function readRegex(
  value: string,
  { ignoresCase, isExtended }: { readonly ignoresCase: boolean; readonly isExtended: boolean },
): RegExp | null {
  if (!isExtended && /(?<!\\)[(){}|]/.test(value)) return null;
  const source = isExtended ? value : value.replace(/\\([(|)])/g, "$1");
  if (!/^(?:[^\\]|\\[^\w{}`'<>])*$/s.test(source)) return null;
  // Repetitions within repetitions, and many of them, may take exponentially long.
  if (/\)[*+?{]/.test(source) || source.split(/[*+{]/).length > MAX_REPEATED) return null;
  try {
    return new RegExp(`^(?:${source})$`, ignoresCase ? "is" : "s");
  } catch {
    return null;
  }
}

/** `+10M`, `-1k`, `0`: a size counts in whole units, rounded up. */
function hasSize(value: string, bytes: number | null): Truth {
  const [, sign, number, unit = ""] = /^([-+]?)(\d+)([bcwkMG]?)$/.exec(value) ?? [];
  if (number === undefined || bytes === null) return undefined;
  const units = Math.ceil(bytes / UNITS[unit]!);
  if (sign === "+") return units > Number(number);
  return sign === "-" ? units < Number(number) : units === Number(number);
}
