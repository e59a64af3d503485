/** Builds and checks that pass where their status is another program's: by the line that their tool ends a success with. */
import { builds, QUIET, runsOthers, SAYS_ALL_WELL } from "./builders.ts";
import { nameOf, withoutLaunchers } from "./launchers.ts";
import { isHarmless } from "./script_words.ts";
import { type ScriptCommand, tellsItsStatus } from "./shell_words.ts";

/** What a tool says when all has gone well. */
interface Success {
  /** The tool, with its verb. */
  readonly of: RegExp;
  readonly line: RegExp;
  /** Whether more may come behind it, which may fail. */
  readonly goesOn?: true;
}

const SUCCESSES: readonly Success[] = [
  {
    of: /^cargo (?:\+\S+ )?(?:build|check|clippy|doc|[bcd])(?= |$)/,
    line: /^[ \t]*Finished (?:`|dev\b|debug\b|release\b|test\b|bench\b)/,
  },
  { of: /^vite build\b/, line: /^✓ built in \d/ },
  { of: /^webpack\b/, line: /^webpack \S+ compiled (?:successfully|with \d+ warnings?) in / },
  { of: /^next build\b/, line: /^(?:Route \((?:app|pages)\)|[○●ƒλ] {1,4}\(\w+\))/ },
  { of: /^ng build\b/, line: /^Application bundle generation complete\./ },
  {
    of: /^docker (?:compose (?:-\S+ \S+ )*|buildx )?build\b/,
    line:
      /^(?:[ \t]*(?:✔ )?(?:\S+ +){1,2}Built\b|Successfully built [\da-f]|.* naming to \S+ (?:\S+ )?done$)/,
    goesOn: true,
  },
  { of: /^gradlew?\b/, line: SAYS_ALL_WELL.gradle },
  { of: /^mvnw?\b/, line: SAYS_ALL_WELL.mvn },
  { of: /^dotnet (?:build|publish|pack)\b/, line: /^Build succeeded\b/ },
  { of: /^swift build\b/, line: /^Build complete!/ },
  { of: /^xcodebuild\b/, line: /^\*\* BUILD SUCCEEDED \*\*/ },
  { of: /^(?:cmake --build|g?make)\b/, line: /^\[100%\] Built target /, goesOn: true },
  { of: /^mypy\b/, line: /^Success: no issues found in / },
  { of: /^pyright\b/, line: /^0 errors, / },
  { of: /^ruff check\b/, line: /^All checks passed!$/ },
  { of: /^rubocop\b/, line: /^\d+ files? inspected, no offenses detected/ },
  { of: /^golangci-lint run\b/, line: /^0 issues\.$/ },
  { of: /^svelte-check\b/, line: /^svelte-check found 0 errors\b/ },
];
/** Filters that show the end of what they read. */
const SHOWS_END: ReadonlySet<string> = new Set(["tail", "cat", "tee"]);
const MAX_LINES = 200;
const LOOKED_AT_CHARS = 400;

/**
 * Whether an output shows that the build has passed which a script ran, where its status does not tell: its tool has said
 * the last that it says, and that all has gone well.
 */
export function showsBuildPassed(commands: readonly ScriptCommand[], output: string): boolean {
  const build = tellsItsStatus(commands) ? null : soleBuild(commands);
  if (build === null) return false;
  const own = SUCCESSES.filter(({ of, goesOn }) => goesOn !== true && of.test(callOf(build)));
  return own.length > 0 && hasLine(output, own);
}

/**
 * Whether the end of an output is seen, and a tool says there that all has gone well. A script of a project may call any
 * tool, and others behind it, which may fail.
 */
export function showsSuccess(commands: readonly ScriptCommand[], output: string): boolean {
  const build = soleBuild(commands);
  if (build === null || !showsEnd(commands)) return false;
  const said = runsOthers(build) ? SUCCESSES : SUCCESSES.filter(({ of }) => of.test(callOf(build)));
  return said.length > 0 && hasLine(output, said);
}

function callOf({ words }: ScriptCommand): string {
  const [program = "", ...args] = withoutLaunchers(words);
  return [nameOf(program), ...args].join(" ");
}

function hasLine(output: string, said: readonly Success[]): boolean {
  return output.split("\n").slice(-MAX_LINES).some((line) =>
    said.some((one) => one.line.test(line.slice(0, LOOKED_AT_CHARS)))
  );
}

/** The one build of a script, where nothing else that it did may have failed when that has passed. */
function soleBuild(commands: readonly ScriptCommand[]): ScriptCommand | null {
  const at = commands.findLastIndex(builds);
  const before = commands.slice(0, Math.max(0, at));
  const isReached = before.every((command) =>
    command.after === "&&" || isHarmless(command) || QUIET.has(command.words[0]!)
  );
  const isLast = commands.slice(at + 1).every(isHarmless);
  return at >= 0 && isReached && isLast && commands[at]!.before !== "||" ? commands[at]! : null;
}

function showsEnd(commands: readonly ScriptCommand[]): boolean {
  return commands.every(({ words: [program = "", first = ""], before }) =>
    before !== "|" || SHOWS_END.has(program) && !first.startsWith("+")
  );
}
