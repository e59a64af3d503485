/** The files that Claude Code reads by itself: what stands in them is not told once more. */
import { joinPath, parentOf, withParents } from "../../base/paths.ts";
import type { ObservationKind } from "./observation.ts";
import { contentOf } from "../tell/stale_files.ts";
import { readDirSync } from "../../system/files.ts";

/** The most included files that are read, and the depth of folders with rules. */
const MAX_FILES = 32;
const MAX_DEPTH = 4;
/** Folders that are looked into, the project's own and those around it. */
const MAX_FOLDERS = 12;
/** The files that Claude Code reads in each of them. */
const NAMES = ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"];
/** Code between fences or in a line: a file that it names is not brought in. */
const CODE = /^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|(?![\s\S]))|`[^`\n]+`/gm;
/** A file that another one brings in. */
const BROUGHT_IN = /(?:^|\s)@([\w./~-]+)/g;
/** What makes a text bold. */
const MARKS = /[*_`~]+/g;
/** Splits Markdown into sentences: after a sentence, at a paragraph, at an item of a list. */
const SENTENCES = /(?<=[.!?])\s+|\n\s*\n|\n(?=[ \t]*(?:[-+>#•]+|\d{1,3}[.)])[ \t])/;
const LIST_MARK = /^(?:[-+>#•]+|\d{1,3}[.)]) /;
/** Ends the rule in a sentence: a reason or a rewording follows. */
const REASON = /\s*[,;:(–—]|\s-\s/;

/** Plans and answers to questions are decisions too, and stand in none of these files. */
const NO_RULE = /^Plan(?: refused)?: | → /;
/** Words that introduce a rule and do not change it. */
const FRAME =
  /^(?:(?:from now on|going forward|you (?:must|should)|remember|we|please|always)\b[,:]?\s*)*/;

/** The project and the user whose files say it. */
export interface KnownPlace {
  readonly root: string | null;
  readonly home: string | null;
  /** Claude Code's own folder, where it is not the usual one. */
  readonly configDir?: string | undefined;
}

/** Tells whether a note, or a rule, stands in one of these files. They are read only where there is one. */
export function knownFromFiles(
  facts: readonly KnownFact[],
  place: KnownPlace,
): (fact: KnownFact) => boolean {
  if (!facts.some(mayBeKnown)) return () => false;
  const texts = knownTexts(place).map((text) => text.replace(MARKS, ""));
  const whole = texts.map(onOneLine).join("\n");
  let rules: ReadonlySet<string> | undefined;
  return (fact) => {
    if (texts.length === 0 || !mayBeKnown(fact)) return false;
    const isCut = fact.title.endsWith("…");
    const title = onOneLine((isCut ? fact.title.slice(0, -1) : fact.title).replace(MARKS, ""))
      .trim();
    return fact.kind === "note" || isCut
      ? whole.includes(title)
      : (rules ??= new Set(texts.flatMap(rulesOf))).has(bareRule(title));
  };
}

/** A note or a decision. */
type KnownFact = { readonly kind: ObservationKind; readonly title: string };

function mayBeKnown({ kind, title }: KnownFact): boolean {
  return kind === "note" || kind === "decision" && !NO_RULE.test(title);
}

/** The sentences of a text, and each without the reason behind it, as they are compared. */
function rulesOf(text: string): string[] {
  return text.split(SENTENCES)
    .flatMap((sentence) => [sentence, sentence.split(REASON, 1)[0]!]).map(bareRule);
}

function bareRule(sentence: string): string {
  const plain = onOneLine(sentence).trim().toLowerCase();
  return plain.replace(LIST_MARK, "").replace(/[.!]+$/, "").replace(FRAME, "");
}

function onOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

function knownTexts(
  { root, home, configDir }: KnownPlace,
): string[] {
  const slug = root?.replace(/[^A-Za-z0-9]/g, "-");
  const folders = root === null ? [] : withParents(root).slice(0, MAX_FOLDERS);
  const own = configDir ??
    (home === null ? null : joinPath(home, ".claude"));
  const files = [
    ...folders.flatMap((folder) => NAMES.map((name) => joinPath(folder, name))),
    ...own === null ? [] : [
      joinPath(own, "CLAUDE.md"),
      ...slug === undefined ? [] : [joinPath(own, `projects/${slug}/memory/MEMORY.md`)],
    ],
  ];
  const texts: string[] = [];
  const more = new Set([
    ...folders.map((folder) => joinPath(folder, ".claude")),
    ...own === null ? [] : [own],
  ].flatMap((folder) => rulesIn(joinPath(folder, "rules"), MAX_DEPTH)));
  for (const file of files) {
    const text = contentOf(file);
    if (text === null) continue;
    texts.push(text);
    for (const [, name] of text.replace(CODE, "").matchAll(BROUGHT_IN)) {
      if (name!.startsWith("~/")) {
        if (home !== null) more.add(joinPath(home, name!.slice(2)));
      } else more.add(name!.startsWith("/") ? name! : joinPath(parentOf(file), name!));
    }
  }
  return [...texts, ...[...more].slice(0, MAX_FILES).flatMap((file) => contentOf(file) ?? [])];
}

/** The rules in a folder, and so many folders below it. */
function rulesIn(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  try {
    return Array.from(readDirSync(folder))
      .sort((one, other) => one.name < other.name ? -1 : 1)
      .flatMap(({ name, isDirectory }) =>
        isDirectory
          ? rulesIn(joinPath(folder, name), depth - 1)
          : name.endsWith(".md")
          ? [joinPath(folder, name)]
          : []
      );
  } catch {
    return [];
  }
}
