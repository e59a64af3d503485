/** What Claude is told anyway: the files of its own memory and rules. */
import { once } from "../memory/once.ts";
import { joinPath, parentOf, withParents } from "../paths.ts";
import type { TellableRow } from "../store/memory_context.ts";
import { contentOf } from "./file_state.ts";

/** Files that others bring in, and rules: so many are read, and rules so many folders deep. */
const MAX_FILES = 32;
const MAX_DEPTH = 4;
/** Folders that are looked into, the project's own and those around it. */
const MAX_FOLDERS = 12;
/** What Claude Code reads in each of them. */
const NAMES = ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"];
/** Examples of code, between fences or in a line: what they name is not brought in. */
const CODE = /^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|(?![\s\S]))|`[^`\n]+`/gm;
/** A file that another one brings in. */
const BROUGHT_IN = /(?:^|\s)@([\w./~-]+)/g;
/** What makes a text bold, or a line of a list. */
const MARKS = /[*_`~]+|^[ \t]*(?:[-+>#•]+|\d{1,3}[.)])[ \t]/gm;

/** Decisions of which these files do not tell: plans, and answers to questions. */
const NO_RULE = /^Plan(?: refused)?: | → /;
/** What makes a rule of a sentence, whatever it says; "never" is no such word. */
const ALWAYS =
  "(?:(?:from now on|going forward|in (?:the )?future|you (?:must|should)|we|please|always|ab (?:jetzt|sofort)|bitte|immer)\\b,?\\s*)*";
const BEGINS = new RegExp(`^${ALWAYS}`);
/** A rule stands where its sentence begins, … */
const AT_BEGINNING = new RegExp(`(?:[.!?:;]\\s|\\n)\\s*${ALWAYS}$`);
/** … and where it ends, or a reason follows: any other word makes another rule of it. */
const AT_END = /^\s*(?:[.!](?:\s|$)|[,;:(–—。！\n])|^\s+-\s/;
const END = /[.!。！]+$/;
/** So far before a rule its sentence begins. */
const LOOKED_BACK = 80;

/** The project and the user whose files say it. */
export interface KnownPlace {
  readonly root: string | null;
  readonly home: string | null;
  /** Claude Code's own folder, where it is not the usual one. */
  readonly configDir?: string | undefined;
}

/** Tells whether a note, or a rule, stands in one of these files. They are read only where there is one. */
export function knownFromFiles(
  rows: readonly TellableRow[],
  place: KnownPlace,
): (row: Pick<TellableRow, "kind" | "title">) => boolean {
  if (!rows.some(mayBeKnown)) return () => false;
  const texts = knownTexts(place).map((text) => `\n${text.replace(MARKS, "")}\n`);
  const notes = once(() => texts.map(onOneLine));
  const rules = once(() => texts.map((text) => text.toLowerCase()));
  return (row) => {
    if (texts.length === 0 || !mayBeKnown(row)) return false;
    const isCut = row.title.endsWith("…");
    const title = (isCut ? row.title.slice(0, -1) : row.title).replace(MARKS, "");
    if (row.kind === "note") return notes().some((text) => text.includes(onOneLine(title).trim()));
    return rules().some((text) => holdsRule(text, { rule: title.toLowerCase(), isCut }));
  };
}

function mayBeKnown({ kind, title }: Pick<TellableRow, "kind" | "title">): boolean {
  return kind === "note" || kind === "decision" && !NO_RULE.test(title);
}

/** Whether a sentence of a text is a rule, wherever its lines are broken. */
function holdsRule(
  text: string,
  { rule, isCut }: { readonly rule: string; readonly isCut: boolean },
): boolean {
  const words = rule.replace(BEGINS, "").replace(END, "").trim().split(/\s+/);
  if (words[0] === "") return false;
  const said = new RegExp(words.map(RegExp.escape).join("\\s+"), "g");
  return text.matchAll(said).some(({ 0: found, index }) =>
    AT_BEGINNING.test(text.slice(Math.max(0, index - LOOKED_BACK), index)) &&
    (isCut || AT_END.test(text.slice(index + found.length, index + found.length + 4)))
  );
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
    return Array.from(Deno.readDirSync(folder))
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
