/** Which of the changes between a failure and its success may be what mended it. */
import { baseName, isAbsolutePath } from "../paths.ts";
import type { ObservedFacts } from "./observation.ts";

/** Texts for people, but for those that programs are built or tested with. */
const PROSE = /\.(?:md|markdown|rst|adoc|txt)$|^(?:README|LICENSE|CHANGELOG|NOTICE)$/i;
const NO_PROSE =
  /(?:^|\/)(?:(?:constraints|requirements)[^/]*|CMakeLists)\.txt$|(?:^|\/)(?:tests?|__tests__|specs?|testdata|fixtures?|__?snapshots?_*|golden)\//i;
/** Tools that look after prose, and tests that do. */
const OF_PROSE =
  /markdown|prettier|dprint|deno fmt|pre-commit|vale\b|textlint|remark|spell|alex\b|mdbook|mkdocs|sphinx|docusaurus|vitepress|hugo|jekyll|lychee|link-?check|readme|changelog|(?<![a-z])docs?(?![a-z])|(?<![a-z])mdx?(?![a-z])/i;

/** A failure, as far as it tells what it is about. */
interface Failure {
  readonly title: string;
  readonly text: string;
  readonly facts: ObservedFacts;
}

/**
 * The edits that a fix may name: those of files in the project, and prose beside others, or alone where the failure is of
 * a tool for prose or names the file.
 */
export function creditedChanges<Change extends { readonly files: readonly string[] }>(
  failure: Failure,
  edits: readonly Change[],
): Change[] {
  const inside = edits.filter(({ files }) => !files.every(isAbsolutePath));
  const files = inside.flatMap((edit) => edit.files);
  return files.every(isProse) && !isAbout(failure, files) ? [] : inside;
}

function isProse(path: string): boolean {
  return PROSE.test(baseName(path)) && !NO_PROSE.test(path);
}

function isAbout({ title, text, facts }: Failure, prose: readonly string[]): boolean {
  const { command = "", failing = [] } = facts;
  if (OF_PROSE.test([command, title, ...failing].join("\n"))) return true;
  return prose.some((path) => text.includes(baseName(path)));
}
