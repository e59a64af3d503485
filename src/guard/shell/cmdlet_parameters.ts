/** The parameters of cmdlets, which may be abbreviated, and told by their place. */
import { type Argument, withText } from "./word.ts";

/** The arguments of one cmdlet. */
export interface Given {
  readonly has: (parameter: string) => boolean;
  /** The values of the first of these parameters that is given. */
  readonly values: (...parameters: readonly string[]) => readonly Argument[];
  /** The names of files that come through the pipe; an open word stands for unknown ones. */
  readonly piped: readonly Argument[];
}

/** Parameters that take no value. */
const SWITCHES =
  "recurse force whatif confirm passthru append noclobber nonewline container raw wait nonewwindow file directory hidden verbose debug"
    .split(" ");
/** Those that take one. */
const VALUED =
  ("path literalpath filepath filter include exclude destination destinationpath value name newname itemtype target outfile " +
    "uri method body headers contenttype source argumentlist workingdirectory verb windowstyle command encoding stream credential " +
    "inputobject variable depth delimiter property aclobject erroraction warningaction informationaction errorvariable " +
    "outvariable outbuffer width timeoutsec useragent").split(" ");
const PARAMETERS = [...SWITCHES, ...VALUED];
/** Short names of theirs that begin no longer one. */
const SHORT: Readonly<Record<string, string>> = {
  lp: "literalpath",
  pspath: "literalpath",
  wi: "whatif",
  cf: "confirm",
  args: "argumentlist",
  ea: "erroraction",
  type: "itemtype",
};

/** The parameter that a word names, by its beginning; null for none. @param own Those that are asked first. */
export function parameterOf(
  word: string,
  { least, own = [] }: { readonly least: number; readonly own?: readonly string[] },
): string | null {
  const [, written] = /^-([a-z]+)(?::.*)?$/is.exec(word) ?? [];
  if (written === undefined || written.length < least) return null;
  const lower = written.toLowerCase();
  return SHORT[lower] ?? PARAMETERS.find((name) => name === lower) ??
    [...own, ...PARAMETERS].find((name) => name.startsWith(lower)) ?? null;
}

/** The parameters that a cmdlet has of its own. */
export interface Parameters {
  /** Those that are told by their place. */
  readonly places: readonly string[];
  /** Others that count before those of all cmdlets. */
  readonly others?: readonly string[];
}

/** Tells the parameters of one call apart. */
export function givenTo(
  { places, others = [] }: Parameters,
  rest: readonly Argument[],
): Omit<Given, "piped"> {
  const own = [...places, ...others];
  const switches = new Set<string>();
  const given = new Map<string, Argument[]>();
  const byPlace: Argument[][] = [];
  let into: Argument[] | null = null;
  let isList = false;
  for (const word of rest) {
    const { text, isOpen } = word;
    if (text === "," && !isOpen) {
      isList = true;
      continue;
    }
    const parameter = isOpen && !text.includes(":") ? null : parameterOf(text, { least: 1, own });
    if (isList && into !== null) into.push(word);
    else if (parameter !== null) {
      const at = text.indexOf(":");
      into = null;
      if (SWITCHES.includes(parameter)) {
        const isOn = at < 0 || (parameter === "whatif" ? /:true$/ : /:(?!false$)/).test(text);
        if (isOn) switches.add(parameter);
      } else if (at >= 0) given.set(parameter, into = [withText(word, text.slice(at + 1))]);
      else given.set(parameter, into = []);
    } else if (into?.length === 0) into.push(word);
    else byPlace.push(into = [word]);
    isList = false;
  }
  const free = places.filter((place) =>
    !given.has(place) && !(place === "path" && given.has("literalpath"))
  );
  for (const [i, words] of byPlace.entries()) {
    const place = free[i] ?? free.at(-1);
    if (place !== undefined) given.set(place, [...given.get(place) ?? [], ...words]);
  }
  const values = (...parameters: readonly string[]) =>
    parameters.map((name) =>
      (given.get(name) ?? []).map((word) =>
        name === "literalpath" ? { ...word, isGlob: false } : word
      )
    ).find((words) => words.length > 0) ?? [];
  return { has: (name) => switches.has(name) || given.has(name), values };
}
