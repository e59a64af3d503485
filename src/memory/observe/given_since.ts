/** What a failure says it lacks, and a later call of the same command gives: a variable, or an environment for packages. */
import type { ObservedFacts } from "../observation.ts";
import { commandKey } from "./command_key.ts";
import { onlyInstalls } from "./writing_commands.ts";
import { scriptCommands } from "./shell_words.ts";

/** A failure, as far as it says what it lacks. */
interface Failure {
  readonly title: string;
  readonly facts: ObservedFacts;
}

const VARIABLE = /(?<![\w.-])[A-Z][A-Z\d_]{2,}(?![\w-])/g;
const IS_LACKING =
  /\b(?:not (?:set|defined|found|provided|configured|specified)|(?:isn|wasn)['’]t set|unset|undefined|missing|requires?|required|must be|set the|please set|KeyError)\b/i;
const OF_SYSTEM = /\bexternally[- ]managed\b/;
const PIP = /(?<![\w./~-])(?:[\w./~-]*\/)?(?:python[\d.]* -m )?pip[\d.]*(?= install\b)/;
/** The folder of an environment that is the project's own. */
const OWN_PIP = /^(?!\/(?:usr|bin|opt)\/)[\w./~-]*\/bin\/(?:python[\d.]* -m )?pip[\d.]* install\b/;
/** Scripts in which nothing like it stands are not taken apart. */
const MAY_GIVE = /(?:^|[\s;&(])[A-Z][A-Z\d_]{2,}=\S|\/bin\/\S{1,20} (?:-m pip\S? )?install\b/;

/** Of a script the part that matters; null where it has none. */
type PartOf = (script: string) => string | null;

/** Tells of a script its part that gives what a failure says it lacks, where the rest is the same command; null where it lacks nothing. */
export function givenPart({ title, facts }: Failure): PartOf | null {
  const { command = "", error = title, errors = [] } = facts;
  if (OF_SYSTEM.test(error) && onlyInstalls(command)) return ownPip(command);
  // Of several errors it is one.
  const names = IS_LACKING.test(error) && errors.length < 2 ? error.match(VARIABLE) ?? [] : [];
  return names.length === 0 ? null : withVariable(command, new Set(names));
}

/** Whether a script may give anything. */
export function mayGive(script: string): boolean {
  return MAY_GIVE.test(script);
}

function ownPip(failed: string): PartOf {
  const plain = (text: string) => commandKey(text.replace(PIP, "pip"));
  const key = plain(failed);
  return (script) =>
    scriptCommands(script).find(({ source }) => OWN_PIP.test(source) && key === plain(source))
      ?.source ?? null;
}

function withVariable(failed: string, names: ReadonlySet<string>): PartOf {
  const key = commandKey(failed);
  const given = new RegExp(
    `(?<=^|[\\s;&(])(?:env |export )?(?:${[...names].join("|")})=` +
      `(?:"[^"]*"|'[^']*'|[^\\s"';&|])+\\s*(?:(?:&&|;)\\s*)?`,
    "g",
  );
  return (script) => {
    const [first] = script.match(given) ?? [];
    if (first === undefined || commandKey(script.replace(given, "")) !== key) return null;
    const [part] = scriptCommands(script.slice(script.indexOf(first)));
    return part === undefined ? null : part.source.split("\n", 1)[0]!.trim();
  };
}
