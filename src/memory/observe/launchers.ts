/** What only starts a command: `npx`, `timeout 60`, `python -m`. */

/** What runs the scripts of a package, and its programs. */
export const PACKAGE_MANAGERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const RUNS_IN_ENVIRONMENT: ReadonlySet<string> = new Set([
  "uv",
  "poetry",
  "pipenv",
  "hatch",
  "rye",
  "pdm",
]);
const MAX_LAUNCHERS = 6;

/** A command without what only starts it: `npx`, `timeout 60`, `python -m`. */
export function withoutLaunchers(words: readonly string[]): readonly string[] {
  let rest = words;
  for (let i = 0; i < MAX_LAUNCHERS; i++) {
    const inner = launched(rest);
    if (inner === null) return rest;
    rest = inner;
  }
  return rest;
}

/** What a launcher starts; null for a command that is none. */
function launched(words: readonly string[]): readonly string[] | null {
  const [first = "", second = "", third = ""] = words;
  const name = nameOf(first);
  if (/^(?:time|command|exec|nohup)$/.test(name)) return words.slice(1);
  if (name === "env" || name === "cross-env") {
    return withoutFirst(words.slice(1), (word, n) => /^-|^\w+=/.test(word) || words[n] === "-u");
  }
  if (name === "timeout") return withoutFlags(words.slice(1)).slice(1);
  if (/^(?:npx|bunx|pnpx)$/.test(name)) return withoutFlags(words.slice(1));
  if (PACKAGE_MANAGERS.has(name)) {
    if (/^(?:exec|dlx|x)$/.test(second)) return withoutFlags(words.slice(2));
    return /^(?:jest|vitest|mocha)$/.test(second) ? words.slice(1) : null;
  }
  if (RUNS_IN_ENVIRONMENT.has(name) && second === "run") return words.slice(2);
  if (name === "bundle" && second === "exec") return words.slice(2);
  if (/^(?:python[\d.]*|py)$/.test(name) && second === "-m") return words.slice(2);
  if (name === "coverage" && second === "run" && third === "-m") return words.slice(3);
  return name === "php" && /(?:^|\/)(?:phpunit|pest)$/.test(second) ? words.slice(1) : null;
}

function withoutFlags(words: readonly string[]): readonly string[] {
  return withoutFirst(words, (word) => word.startsWith("-"));
}

function withoutFirst(
  words: readonly string[],
  isGone: (word: string, at: number) => boolean,
): readonly string[] {
  const at = words.findIndex((word, at) => !isGone(word, at));
  return at < 0 ? [] : words.slice(at);
}

/** A program without its folder: `./node_modules/.bin/jest`. */
export function nameOf(program: string): string {
  return program.slice(program.lastIndexOf("/") + 1).replace(/\.(?:exe|cmd|js)$/, "");
}
