/** What commands have done that one speaks of by a word of its own: a commit, a push, a run of the tests. */
import type { ObservationKind, ObservedFacts } from "./observation.ts";
import { isOnlyLooking } from "./looking_commands.ts";
import { gitArguments } from "./observe/git_words.ts";
import { isHarmless } from "./observe/script_words.ts";
import { type ScriptCommand, scriptCommands, tellsItsStatus } from "./observe/shell_words.ts";
import { runsTests } from "./observe/test_commands.ts";

/** What has to be known of an observation. */
interface Part {
  readonly kind: ObservationKind;
  readonly outcome: "success" | "failure" | null;
  readonly text: string;
  readonly facts: ObservedFacts;
}

/** By a command of git, in words behind its name. */
const GIT_DEEDS: ReadonlySet<string> = new Set(["push", "merge", "tag"]);
const HAS_DEED = /\bgit\b|\b(?:pr|mr) create\b/;
/** Programs that open a request to merge, with the word for it. */
const REQUESTS: ReadonlyMap<string, string> = new Map([["gh", "pr"], ["glab", "mr"]]);
/** What such a command is told that makes it another. */
const NOT_THAT = /^(?:-n|--dry-run|-d|--delete|-l|--list|--abort|--quit)$/;
/** What is said where the shell hides that it failed. */
const SHOWS_FAILURE = /\brejected\b|^(?:error|fatal|CONFLICT)\b/m;
const CHANGES: ReadonlySet<ObservationKind> = new Set(["edit", "fix"]);

/** What a command has done, by name. */
export function deedsByCommand(part: Part): string[] {
  const { kind, outcome, facts } = part;
  if (outcome === "failure" || facts.isElsewhere === true) return [];
  // Few commands are such: taking one apart costs more.
  if (kind === "command" && !HAS_DEED.test(facts.command ?? "")) return [];
  const commands = commandsOf(part);
  const isSure = tellsItsStatus(commands) || !SHOWS_FAILURE.test(part.text);
  const byCommand = kind !== "commit" && kind !== "command" || !isSure ? [] : commands.map(deedOf);
  return [
    ...kind === "commit" ? ["commit"] : [],
    ...byCommand.filter((one) => one !== null),
    ...kind === "test" && outcome === "success" ||
        kind === "commit" && tellsItsStatus(commands) && commands.some(runsTests)
      ? ["test"]
      : [],
  ];
}

function deedOf({ words }: ScriptCommand): string | null {
  const [program = "", thing, deed] = words;
  if (REQUESTS.has(program)) {
    return thing === REQUESTS.get(program) && deed === "create" && !words.includes("--dry-run")
      ? "request"
      : null;
  }
  const [verb = "", ...args] = gitArguments(words) ?? [];
  return GIT_DEEDS.has(verb) && !args.some((word) => NOT_THAT.test(word)) ? verb : null;
}

/** Whether something was changed: by an edit, or by a command that does more than to look, to test or to call git. */
export function isWork(part: Part): boolean {
  if (CHANGES.has(part.kind)) return true;
  if (part.kind !== "command" || part.outcome === "failure") return false;
  return !isOnlyLooking(part.facts.command ?? "") &&
    commandsOf(part).some((one) =>
      !isHarmless(one) && !runsTests(one) && gitArguments(one.words) === null &&
      !isOnlyLooking(one.source)
    );
}

function commandsOf({ facts }: Part): readonly ScriptCommand[] {
  return facts.command === undefined ? [] : scriptCommands(facts.command);
}
