/**
 * Recognises commands that destroy what nobody can bring back: folders of the system or the home, the history of a
 * shared branch, uncommitted work, whole tables. A text that only mentions such a command is not dangerous.
 */
import { parentOf } from "../../base/paths.ts";
import { formsOf } from "./command_forms.ts";
import type { Verdict } from "./guard_policy.ts";
import { type ShellCommand, shownCommand } from "../shell/shell_command.ts";
import { meansAll, readFind } from "../shell/find_command.ts";
import { programName, withoutGitOptions } from "../shell/operands.ts";
import { type Argument, literal, placeOf } from "../shell/word.ts";
import { WRITERS } from "../shell/writers.ts";

/** Folders that must stay, beside those of the system. */
export interface Precious {
  readonly home: string | null;
  readonly root: string | null;
  /** Whether a folder is the top of a repository, or of one of its working trees. */
  readonly isRepository: (path: string) => boolean;
}

export const DANGEROUS_RULE = "preToolUse.denyDangerousCommands";

const SQL_CLIENTS = new Set(
  ("psql mysql mariadb sqlite3 sqlcmd duckdb clickhouse clickhouse-client cockroach bq snowsql usql sqlplus d1 " +
    "mongo mongosh redis-cli")
    .split(" "),
);
/** The next word is SQL. */
const SQL_OPTION = /^(?:-[ce]|--command|--execute|--query)$/;
const SQL = new RegExp(
  [
    String.raw`\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA)|TRUNCATE\s+TABLE)\b`,
    String.raw`(?:^|;)\s*TRUNCATE\s+["\`\w]`,
    // Without a condition, for every row.
    String.raw`\bDELETE\s+FROM\s+[\w."\`]+\s*(?:;|$)`,
    String.raw`\bUPDATE\s+[\w."\`]+\s+SET\b(?![^;]*\bWHERE\b)`,
    String.raw`\bdropDatabase\s*\(|\.drop\s*\(\s*\)|\.deleteMany\s*\(\s*\{\s*\}`,
    String.raw`^\s*FLUSH(?:ALL|DB)\b`,
  ].join("|"),
  "i",
);

/** What a command would destroy, and what is unknown. `precious` is null in a container, which is easily made again. */
export function judgeDanger(command: ShellCommand, precious: Precious | null): Verdict {
  const [program, ...rest] = command.words;
  const device = command.redirects.find(({ operator, target }) =>
    operator.includes(">") && isDisk(target.text)
  );
  const found = device ? [`writes over the disk ${device.target.text}`] : [];
  if (precious !== null) found.push(...judgeFound(command, precious));
  const doubts: string[] = [];
  if (program !== undefined && !program.isOpen) {
    const name = programName(program.text);
    if (precious !== null && /^(?:rm|chmod|chown)$/.test(name)) {
      const judged = judgeRecursive(name, rest, command, precious);
      found.push(...judged.found);
      doubts.push(...judged.doubts);
    } else if (name === "git" || name === "gh") {
      const forms = [command.words, ...formsOf(command.words)];
      found.push(
        ...new Set(
          forms.flatMap(([first, ...rest]) =>
            programName(first!.text) === "git" ? judgeGit(rest) : []
          ),
        ),
      );
      if (name === "git") doubts.push(...doubtsOfGit(rest));
    } else if (name === "rsync" && precious !== null) {
      found.push(...judgeSync(rest, command, precious));
    } else if (name === "find" && precious !== null) {
      found.push(...judgeFind(rest, command, precious));
    } else if (/^mkfs(?:\.\w+)?$/.test(name) && !rest.some(({ text }) => text === "--help")) {
      found.push("makes a new file system over an old one");
    } else if (name === "dd" && rest.some(({ text }) => isDisk(text.replace(/^of=/, "")))) {
      if (rest.some(({ text }) => text.startsWith("of="))) found.push("writes over a disk");
    }
    const isSql = [program, ...rest].some(({ text }) => SQL_CLIENTS.has(programName(text)));
    if (
      isSql &&
      [...rest.map(({ text }) => text), command.input ?? ""].some((t) => SQL.test(withoutTexts(t)))
    ) {
      found.push("drops or empties a table");
    }
    if (SQL_CLIENTS.has(name) && command.isFed && command.input === undefined) {
      doubts.push(`what ${name} reads is not known`);
    }
    if (isSql && rest.some(({ isOpen }, i) => isOpen && SQL_OPTION.test(rest[i - 1]?.text ?? ""))) {
      doubts.push(`what ${name} is told is only known when it runs`);
    }
  }
  const shown = shownCommand(command.words);
  return {
    blocks: found.map((what) => ({
      rule: DANGEROUS_RULE,
      reason: `Blocked dangerous command: it ${what}. Command: ${shown}`,
    })),
    doubts,
  };
}

function judgeRecursive(
  name: string,
  rest: readonly Argument[],
  { folder, words }: ShellCommand,
  precious: Precious,
): { readonly found: string[]; readonly doubts: string[] } {
  const dashes = rest.findIndex(({ text }) => text === "--");
  const optionWords = dashes < 0 ? rest : rest.slice(0, dashes);
  const isRecursive = optionWords.some(({ text }) =>
    /^-[a-zA-Z]*[rR]/.test(text) || /^--recursive/.test(text)
  );
  const [unknown] = isRecursive
    ? []
    : optionWords.filter(({ isOpen, found }) => isOpen && found === undefined);
  if (!isRecursive && unknown === undefined) return { found: [], doubts: [] };
  const verb = name === "rm" ? "removes" : "changes all of";
  const found: string[] = [];
  const doubts: string[] = [];
  const operands = rest.filter(({ text, isOpen }, i) =>
    (dashes >= 0 && i > dashes) || isOpen || !text.startsWith("-")
  );
  const isOwner = ({ text, source = text }: Argument) =>
    WRITERS.find(name)?.onlyGives?.test(source) ?? false;
  for (const word of operands.filter((word) => !isOwner(word))) {
    // What `find` finds is judged with `find`.
    if (word.found !== undefined) continue;
    if (word.isOpen) {
      if (!isRecursive) continue;
      doubts.push(`what "${shownCommand(words)}" ${verb} is not known`);
      continue;
    }
    const path = placeOf(word, folder);
    if (path === null) continue;
    const kept = /^[*.]*$/.test(path.slice(path.lastIndexOf("/") + 1)) ? parentOf(path) : path;
    if (!isPrecious(kept, { ...precious, isChanged: name !== "rm" })) continue;
    if (isRecursive) found.push(`${verb} ${kept}`);
    else doubts.push(`whether ${name} ${verb} ${kept} is only known when it runs`);
  }
  return { found, doubts };
}

/** `rsync -a --delete empty/ ~/` */
function judgeSync(
  rest: readonly Argument[],
  { folder }: ShellCommand,
  precious: Precious,
): string[] {
  const has = (option: RegExp) => rest.some(({ text }) => option.test(text));
  const path = placeOf(rest.at(-1) ?? literal(""), folder);
  return path !== null && has(/^--del/) && !has(WRITERS.find("rsync")!.never!) &&
      isPrecious(path, { ...precious, isChanged: false })
    ? [`removes what else lies in ${path}`]
    : [];
}

/** `find ~ -delete`, `find ~ -exec rm -rf {} +`, without a condition. */
function judgeFind(rest: readonly Argument[], command: ShellCommand, precious: Precious): string[] {
  const call = readFind(rest);
  const verbs = call.actions.flatMap((did, action) => {
    const verb = did.kind === "delete" ? "removes" : did.kind === "exec" ? verbOf(did.words) : null;
    return verb !== null && meansAll(call, action) ? [verb] : [];
  });
  return verbs.flatMap((verb) => allOf(call.roots, { verb, command, precious }));
}

/** `find ~ | xargs rm -rf`: what happens to everything that a search finds. */
function judgeFound(command: ShellCommand, precious: Precious): string[] {
  const verb = verbOf(command.words);
  if (verb === null) return [];
  return command.words.flatMap(({ found }) =>
    found?.isAll ? allOf(found.roots, { verb, command, precious }) : []
  );
}

function allOf(
  roots: readonly Argument[],
  { verb, command: { folder }, precious }: {
    readonly verb: string;
    readonly command: ShellCommand;
    readonly precious: Precious;
  },
): string[] {
  return roots.flatMap((root) => placeOf(root, folder) ?? [])
    .filter((path) => isPrecious(path, { ...precious, isChanged: verb === "changes" }))
    .map((path) => `${verb} all of ${path}`);
}

/** What a command does to every file that it is given; null for nothing destructive. */
function verbOf([program, ...rest]: readonly Argument[]): string | null {
  const name = programName(program?.text ?? "");
  if (name === "rm" || name === "shred") return "removes";
  const isRecursive = rest.some(({ text }) => /^(?:-[a-zA-Z]*R|--recursive$)/.test(text));
  return isRecursive && /^ch(?:mod|own)$/.test(name) ? "changes" : null;
}

/**
 * Whether a path is the home, directly in it, of the system, the project, above one of these, or another repository.
 * Permissions may change but for those of the home, the system, and what is above the project.
 */
function isPrecious(
  path: string,
  { home, root, isRepository, isChanged }: Precious & { readonly isChanged: boolean },
): boolean {
  const above = (inner: string | null) =>
    inner !== null && (inner === path || inner.startsWith(path === "/" ? "/" : `${path}/`));
  if (path === "/" || above(home)) return true;
  if (above(root)) return !isChanged || path !== root;
  if (SYSTEM.test(path)) return true;
  const isInProject = root !== null && path.startsWith(`${root}/`);
  if (isChanged || isInProject || MADE_AGAIN.test(path)) return false;
  if (parentOf(path) === home) return true;
  // A project in a temporary folder may have its neighbours there.
  const isTemporary = TEMPORARY.test(path) && !TEMPORARY.test(root ?? "");
  return !isTemporary && isRepository(path);
}

/** Folders of the system, and what lies directly in them. */
const SYSTEM =
  /^\/(?!(?:tmp|home|Users|root|mnt|media|workspace|private)(?:\/|$))[a-zA-Z][\w-]*$|^\/(?:usr|var|etc|boot|opt|s?bin|lib\w*|System|Library|Applications)\/(?!tmp$|folders$|cache$)[^/]+$|^\/(?:usr\/lib|var\/lib|var\/log|usr\/local)\/[^/]+$/;
const TEMPORARY = /^\/(?:private\/)?(?:var\/)?tmp\//;
/** Caches, and what tools build: everything in them is made again. */
const MADE_AGAIN =
  /\/(?:\.cache|\.npm|\.yarn|\.pnpm-store|\.gradle|\.m2|Caches|node_modules|target|dist|build|__pycache__|\.venv|venv|\.next)(?:\/|$)/;

const MAIN = /^(?:refs\/heads\/)?(?:main|master)$/;

function judgeGit(rest: readonly Argument[]): string[] {
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  const texts = after.filter(({ isOpen }) => !isOpen).map(({ text }) => text);
  const has = (letter: string, long: string) =>
    texts.some((text) =>
      text === long || new RegExp(`^-[a-zA-Z0-9]*${letter}[a-zA-Z0-9]*$`).test(text)
    );
  switch (verb?.text) {
    case "push":
      if (has("n", "--dry-run")) return [];
      if (deletesMain(texts)) return ["deletes the main branch of a remote"];
      return has("f", "--force") || texts.includes("--mirror") ||
          after.some(({ text, isOpen }) => text.startsWith("+") && (isOpen || text !== "+"))
        ? ["overwrites the history of a shared branch (--force-with-lease would not)"]
        : [];
    case "reset":
      return texts.includes("--hard") &&
          texts.some((text) => /^origin\/(?:HEAD|main|master)$/.test(text))
        ? ["throws away every commit and change that origin does not have"]
        : [];
    case "branch":
      return has("D", "--delete --force") && texts.some((text) => MAIN.test(text))
        ? ["deletes the main branch"]
        : [];
    case "update-ref":
      return has("d", "--delete") && texts.some((text) => MAIN.test(text))
        ? ["deletes the main branch"]
        : [];
    default:
      return [];
  }
}

/** `git push origin :main`, `git push --delete origin main`. */
function deletesMain(texts: readonly string[]): boolean {
  const deletes = texts.some((text) => /^(?:-[a-zA-Z]*d[a-zA-Z]*|--delete)$/.test(text));
  return texts.some((text) =>
    /^:(?:refs\/heads\/)?(?:main|master)$/.test(deletes ? `:${text}` : text)
  );
}

function doubtsOfGit(rest: readonly Argument[]): string[] {
  const { words: [verb, ...after] } = withoutGitOptions(rest);
  if (verb === undefined) return [];
  const isDestructive = /^(?:push|clean)$/.test(verb.text) ||
    (verb.text === "reset" && after.some(({ text, isOpen }) => isOpen || text === "--hard"));
  const isOpen = verb.isOpen ||
    (isDestructive && after.some((word) => word.isOpen && !word.isName));
  return isOpen
    ? [`what git${verb.isOpen ? "" : ` ${verb.text}`} is told is only known when it runs`]
    : [];
}

/** SQL without comments and quoted texts. */
function withoutTexts(sql: string): string {
  return sql.replace(/--[^\n]*|\/\*[^]*?\*\/|'(?:[^']|'')*'/g, " ");
}

function isDisk(path: string): boolean {
  return /^\/dev\/(?:sd[a-z]|nvme\d|hd[a-z]|vd[a-z]|disk\d|mmcblk\d)/.test(path);
}
