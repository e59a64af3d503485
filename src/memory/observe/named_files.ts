/** The files that a failure names: by them it is found where they are worked on. */
import { resolvePath } from "../../paths.ts";
import type { Observed, ObservedFile } from "../observation.ts";
import { pathInProject } from "../paths.ts";

/** As much of what a failure says is looked through; what went wrong stands at its end. */
const MAX_LOOKED_AT = 8_000;
const MAX_FILES = 8;
const MAX_PATH_CHARS = 300;

/** A path with an ending, alone or before a place in it: `src/a.ts`, `src/a.ts:3:5`, `src/a.ts(3,5)`, `a_test.py::test`. */
const PATH =
  /(?<![\w./\\@:%~$+-])(?:\.{0,2}\/)?[\w@+-][\w@.+-]*(?:\/[\w@.+-]+)*\.[A-Za-z][A-Za-z\d]{0,7}(?=[:(]\d|::\w|["'`),;\]]|:?(?:\s|$))/g;
/** Without a folder only what tools call the files of a program: `node.js` and `e.g` are words. */
const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|rs|go|java|kts?|scala|rb|php|cs|fs|swift|c|cc|cpp|h|hpp|m|ex|exs|erl|hs|lua|dart|sql|sh|bats|css|scss|html|json|ya?ml|toml|proto|tf|md)$/;
/** What somebody else has written. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.cargo|\.rustup|vendor|target|\.venv|venv|go\/pkg)\//;
/** Where the shell stood that ran a command. */
const FOLDER = /^cd +(?:"([^"\n]*)"|([^\s"';&|]+)) && /;

/** A failure of a command with the files of the project that it names; anything else as it is. */
export function withNamedFiles(observed: Observed, root: string | null): Observed {
  const { kind, outcome, files, text, facts } = observed;
  const isRun = (kind === "failure" || kind === "test") && outcome === "failure";
  if (!isRun || files.length > 0 || root === null) return observed;
  const said = `${facts.error ?? ""}\n${text.slice(0, MAX_LOOKED_AT)}\n${
    text.slice(-MAX_LOOKED_AT)
  }`;
  const [, quoted, plain] = FOLDER.exec(facts.command ?? "") ?? [];
  const folder = resolvePath(quoted ?? plain ?? "", { folder: root });
  const named = new Map<string, ObservedFile>();
  for (const [found] of said.matchAll(PATH)) {
    if (named.size === MAX_FILES) break;
    if (found.length > MAX_PATH_CHARS || !SOURCE.test(found) || FOREIGN.test(found)) continue;
    const path = pathInProject(resolvePath(found, { folder }), root);
    if (!path.startsWith("/")) named.set(path, { path, digest: null });
  }
  return { ...observed, files: [...named.values()] };
}
