/** Which of the changes between a failure and its success may be what mended it. */
import { baseName, isAbsolutePath } from "../paths.ts";
import type { ObservedFacts } from "./observation.ts";
import { wordsOf } from "./terms.ts";

/** Files of a kind that tests and compilers do not read, and the words of what does: tools, tests, messages. */
interface UnreadKind {
  readonly files: RegExp;
  readonly readBy: RegExp;
}

/** What looks after files of any kind. */
const OF_ANY = /prettier|dprint|deno fmt|biome|pre-commit|pre_commit|lint-staged|editorconfig/i;
const UNREAD: readonly UnreadKind[] = [
  {
    // Texts for people.
    files: /\.(?:md|markdown|rst|adoc|txt)$|(?:^|\/)(?:README|LICENSE|CHANGELOG|NOTICE|AUTHORS)$/i,
    readBy:
      /markdown|vale\b|textlint|remark|spell|alex\b|mdbook|mkdocs|sphinx|docusaurus|vitepress|hugo|jekyll|lychee|link-?check|readme|changelog|(?<![a-z])docs?(?![a-z])|(?<![a-z])mdx?(?![a-z])/i,
  },
  {
    files: /\.(?:css|scss|sass|less|styl|pcss)$/i,
    readBy:
      /css|sass|lessc|\.less(?![a-z])|stylus|style|tailwind|theme|visual|screenshot|snapshot|playwright|cypress|percy|chromatic|storybook|lighthouse|axe\b|a11y|webpack|parcel|vite(?!st)|rollup|esbuild|(?:npm|pnpm|yarn|bun|next|nuxt|astro|gatsby|ng)\b.*\bbuild/i,
  },
  {
    files: /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|woff2?|ttf|otf|eot|mp[34]|webm|wav|pdf)$/i,
    readBy:
      /image|icon|logo|svg|png|jpe?g|picture|photo|avatar|favicon|sprite|font|asset|media|audio|video|pdf|visual|screenshot|snapshot|playwright|cypress|percy|chromatic|storybook|webpack|parcel|vite(?!st)|rollup|esbuild|(?:npm|pnpm|yarn|bun|next|nuxt|astro|gatsby|ng)\b.*\bbuild/i,
  },
  {
    // What a server for builds is told.
    files:
      /(?:^|\/)(?:\.github|\.circleci|\.gitlab|\.buildkite)\/|(?:^|\/)(?:\.gitlab-ci|\.travis|\.drone|azure-pipelines|bitbucket-pipelines|appveyor)\.ya?ml$|(?:^|\/)(?:Jenkinsfile|CODEOWNERS)$/,
    readBy:
      /actionlint|zizmor|yaml|workflow|github|gitlab|circleci|travis|jenkins|(?<![\w-])(?:act|gh)(?![\w-])|renovate|dependabot|codeowners/i,
  },
];
/** What programs are built or tested with, whatever its ending. */
const READ =
  /(?:^|\/)(?:(?:constraints|requirements)[^/]*|CMakeLists)\.txt$|(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures?|__?snapshots?_*|golden)\//i;

/** What only looks through the code of one language, and the code of others, which it does not read. */
interface Linter {
  readonly of: RegExp;
  readonly never: RegExp;
}

const LINTERS: readonly Linter[] = [
  {
    of:
      /^(?:npx |bunx |(?:npm|pnpm|yarn|bun) (?:run |exec )?)?(?:eslint|stylelint|(?:vue-)?tsc|oxlint|lint|type-?check)(?![\w-])/,
    never: /\.(?:py|go|rs|rb|java|kt|php|cs|swift|c|cc|cpp|h|hpp|sh)$/,
  },
  {
    of:
      /^(?:(?:uv|poetry|pdm) run |python3? -m )?(?:ruff|flake8|pylint|mypy|pyright|black|isort)(?![\w-])/,
    never: /\.(?:[cm]?[jt]sx?|vue|svelte|go|rs|rb|java|kt|php|cs|swift|sh)$/,
  },
];
/** The step of a command into a folder of the project. */
const INTO_FOLDER = /^cd ([^\s'"/][^\s'"]*) && /;

const IN_NAME = /[\w.-]/;

/** A failure, as far as it tells what it is about. */
interface Failure {
  readonly title: string;
  readonly text: string;
  readonly facts: ObservedFacts;
}

/**
 * The edits that a fix may name: those of files in the project, and of files that no test and no compiler reads only where
 * the failure names them or is about their kind.
 */
export function creditedChanges<Change extends { readonly files: readonly string[] }>(
  failure: Failure,
  edits: readonly Change[],
): Change[] {
  return edits.filter(({ files }) =>
    !files.every((path) => isAbsolutePath(path) || isUnread(path, failure))
  );
}

/** Whether nothing that failed has read a file. */
function isUnread(path: string, failure: Failure): boolean {
  const { title, text, facts } = failure;
  if (isOutOfSight(path, failure)) return true;
  const kind = READ.test(path) ? undefined : UNREAD.find(({ files }) => files.test(path));
  if (kind === undefined || isNamedIn(text, path)) return false;
  const { command = "", error = "", failing = [] } = facts;
  const about = [command, title, error, ...failing].join("\n");
  return !OF_ANY.test(about) && !kind.readBy.test(about);
}

/** Whether a linter that works in a folder has never seen a file: it lies outside of that, and is in another language. */
function isOutOfSight(path: string, { text, facts: { command = "" } }: Failure): boolean {
  const [step = "", folder = ""] = INTO_FOLDER.exec(command) ?? [];
  if (step === "" || path.startsWith(`${folder.replace(/\/+$/, "")}/`)) return false;
  const linter = LINTERS.find(({ of }) => of.test(command.slice(step.length)));
  return linter !== undefined && linter.never.test(path) && !isNamedIn(text, path);
}

/** Whether a text names a file, in whichever folder. */
export function isNamedIn(text: string, path: string): boolean {
  return standsIn(text, baseName(path));
}

/** Whether a text has a name, or the end of a path, that is no end of a longer name. */
export function standsIn(text: string, name: string): boolean {
  let at = text.indexOf(name);
  while (at > 0 && IN_NAME.test(text[at - 1]!)) at = text.indexOf(name, at + 1);
  return at >= 0;
}

/** A failure that was there at the same time. */
export interface Beside extends Failure {
  readonly fromMs: number;
  /** Null while it is there. */
  readonly untilMs: number | null;
}

/**
 * Whether a failure is of a linter or a compiler that names one of the edited files and no other one: what another such
 * failure names is likelier edited for that, {@linkcode withoutThoseOfOthers}.
 */
export function namesOneOf(
  failure: Failure,
  edits: readonly { readonly files: readonly string[] }[],
): boolean {
  const files = new Set(edits.flatMap((one) => one.files));
  return files.size > 1 && isOfLinter(failure) && namedAmong(failure, files).length === 1;
}

/** The edits without those of a file that only another failure names, and that alone, which was there when it was edited. */
export function withoutThoseOfOthers<
  Change extends { readonly files: readonly string[]; readonly createdAtMs: number },
>(
  failure: Failure,
  { edits, beside }: { readonly edits: readonly Change[]; readonly beside: readonly Beside[] },
): Change[] {
  const files = new Set(edits.flatMap((one) => one.files));
  const others = beside.filter(isOfLinter)
    .map((other) => ({ ...other, named: namedAmong(other, files) }))
    .filter(({ named }) => named.length === 1);
  return edits.filter((edit) =>
    edit.files.some((path) => isNamedIn(failure.text, path)) ||
    !others.some(({ fromMs, untilMs, named }) =>
      edit.createdAtMs >= fromMs && edit.createdAtMs <= (untilMs ?? Infinity) &&
      edit.files.every((path) => named.includes(path))
    )
  );
}

function isOfLinter({ facts: { command = "" } }: Failure): boolean {
  const [step = ""] = INTO_FOLDER.exec(command) ?? [];
  return LINTERS.some(({ of }) => of.test(command.slice(step.length)));
}

function namedAmong({ text }: Failure, files: ReadonlySet<string>): string[] {
  return [...files].filter((path) => isNamedIn(text, path));
}

/** What a test is called by besides the name of what it tests. */
const OF_TESTS: ReadonlySet<string> = new Set(["test", "tests", "spec", "it", "e2e"]);

/** Tells of a file whether a failure speaks of it: it names it, or a file, a test or a thing that is called as it is. */
export function speaksOf({ title, text, facts }: Failure): (path: string) => boolean {
  const { command = "", failing = [] } = facts;
  const told = [command, title, text, ...failing].join("\n");
  const all = new Set(wordsOf(told));
  return (path) => {
    if (isNamedIn(told, path)) return true;
    const words = wordsOf(stemOf(path)).filter((word) => !OF_TESTS.has(word));
    return words.length > 0 && words.every((word) => all.has(word) || all.has(`${word}s`));
  };
}

/** The changes that a failure is the likeliest mended by, in their order: those of what it speaks of, then the newest. */
export function likeliestChanges<Change extends { readonly files: readonly string[] }>(
  failure: Failure,
  { changes, most }: { readonly changes: readonly Change[]; readonly most: number },
): readonly Change[] {
  if (changes.length <= most) return changes;
  const isAbout = speaksOf(failure);
  const { about = [], beside = [] } = Object.groupBy(
    changes,
    ({ files }) => files.some(isAbout) ? "about" : "beside",
  );
  const likeliest = new Set([...beside, ...about].slice(-most));
  return changes.filter((change) => likeliest.has(change));
}

function stemOf(path: string): string {
  const name = baseName(path);
  return name.slice(0, name.indexOf(".", 1) < 0 ? undefined : name.indexOf(".", 1));
}
