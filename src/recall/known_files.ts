/** What Claude is told anyway: the files of its own memory and rules. */
import { joinPath, parentOf } from "../paths.ts";
import type { TellableRow } from "../store/memory_context.ts";
import { contentOf } from "./file_state.ts";

/** Files that others bring in, and rules: so many are read. */
const MAX_FILES = 12;
/** A file that another one brings in, but for one in an example. */
const BROUGHT_IN = /(?:^|\s)@([\w./~-]+)/g;
const MARKS = /[*_`~]+|^[ \t]*(?:[-+>#•]+|\d{1,3}[.)])[ \t]/gm;

/** Tells whether a note stands in one of these files. They are read only where there is a note. */
export function knownFromFiles(
  rows: readonly TellableRow[],
  place: { readonly root: string | null; readonly home: string | null },
): (note: string) => boolean {
  if (!rows.some(({ kind }) => kind === "note")) return () => false;
  const texts = knownTexts(place).map(withoutMarks);
  return (note) => {
    const words = withoutMarks(note).replace(/…$/, "").trim();
    return texts.some((text) => text.includes(words));
  };
}

/** How something is said, without what makes it bold or a line of a list. */
function withoutMarks(text: string): string {
  return text.replace(MARKS, "").replace(/\s+/g, " ");
}

function knownTexts(
  { root, home }: { readonly root: string | null; readonly home: string | null },
): string[] {
  const slug = root?.replace(/[^A-Za-z0-9]/g, "-");
  const files = [
    ...root === null
      ? []
      : ["CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"].map((name) => joinPath(root, name)),
    ...home === null ? [] : [
      joinPath(home, ".claude/CLAUDE.md"),
      ...slug === undefined ? [] : [joinPath(home, `.claude/projects/${slug}/memory/MEMORY.md`)],
    ],
  ];
  const texts: string[] = [];
  const more = new Set(root === null ? [] : rulesIn(joinPath(root, ".claude/rules")));
  for (const file of files) {
    const text = contentOf(file);
    if (text === null) continue;
    texts.push(text);
    for (const [, name] of text.matchAll(BROUGHT_IN)) {
      if (name!.startsWith("~/")) {
        if (home !== null) more.add(joinPath(home, name!.slice(2)));
      } else more.add(name!.startsWith("/") ? name! : joinPath(parentOf(file), name!));
    }
  }
  return [...texts, ...[...more].slice(0, MAX_FILES).flatMap((file) => contentOf(file) ?? [])];
}

function rulesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => name)
      .filter((name) => name.endsWith(".md")).sort().map((name) => joinPath(folder, name));
  } catch {
    return [];
  }
}
