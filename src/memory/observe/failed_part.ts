/** Which part of a chain of commands has failed, where its output tells that. */
import { nameOf, withoutLaunchers } from "./launchers.ts";
import { packageScripts } from "./package_echoes.ts";
import { isHarmless } from "./script_words.ts";
import { type ScriptCommand, tellsItsStatus } from "./shell_words.ts";

/** What programs say at the beginning of a line when they fail. */
const SAYS: readonly (readonly [program: RegExp, says: RegExp])[] = [
  [/^p?npm$/, /^(?:npm (?:ERR!|error)| ?(?:ERR_PNPM|ELIFECYCLE))/m],
  [/^yarn$/, /^error Command failed/m],
  [/^g?make$/, /^g?make(?:\[\d+\])?: \*\*\* /m],
  [/^git$/, /^fatal: /m],
  [/^(?:docker|docker-compose)$/, /^(?:docker: |failed to solve|Error response from daemon)/m],
  [/^mvnw?$/, /^\[ERROR\] /m],
  [/^gradlew?$/, /^FAILURE: Build failed/m],
];

/**
 * The part of a chain (`cd web && npm ci && npm test`) that has failed, as it is typed; null where the output is of none of
 * them alone, or of more than one.
 */
export function failedPart(
  { commands, output }: { readonly commands: readonly ScriptCommand[]; readonly output: string },
): string | null {
  if (!tellsItsStatus(commands)) return null;
  const parts = commands.filter((part) => !isHarmless(part) && part.words[0] !== "cd");
  const [part, ...others] = parts.filter(({ words }) => hasFailed(programOf(words), output));
  if (parts.length < 2 || part === undefined) return null;
  if (others.length === 0) return part.source;
  // What a manager ran last is what it has failed with.
  const last = packageScripts(output).at(-1)?.script;
  const ran = [part, ...others].filter(({ words }) => last !== undefined && words.includes(last));
  return ran.length === 1 ? ran[0]!.source : null;
}

function hasFailed(program: string, output: string): boolean {
  return SAYS.some(([of, says]) => of.test(program) && says.test(output));
}

function programOf(words: readonly string[]): string {
  return nameOf(withoutLaunchers(words)[0] ?? "");
}
