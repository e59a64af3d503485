/** `conclaude memory remember|move`: keep a note; move the memory of a project to the project's new folder. */
import { count, sumOf } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { transaction } from "../../db/transaction.ts";
import { rememberedText, rememberHere } from "../../memory/drain/remember.ts";
import { folderOfProject } from "../../memory/project_paths.ts";
import { knownProjects } from "../../memory/store.ts";
import { realOr } from "../../system/files.ts";
import { isThere } from "../../system/on_disk.ts";
import { countBelow, MOVED_TABLES, moveRows } from "../../upkeep/transfer/store.ts";
import { typedPath } from "../context.ts";
import { proposing, several, SHARED, text, textFlag, toggle } from "../flags.ts";
import { observationNamed } from "../memory_filter.ts";
import { openStore } from "../open_store.ts";
import { sessionFilterOf } from "../session_lookup.ts";
import { takeInSpool } from "../spool_drain.ts";
import { firstLines } from "../table.ts";
import { readStdin } from "../task_text.ts";
import { many, verb } from "../verb.ts";

export const remember = verb({
  args: many(text("What is to be remembered; - reads it from standard input", "text"), 1),
  flags: {
    session: { ...SHARED.session, brief: "Attach the note to this session" },
    file: several(text("A file that it is about; may be given several times", "path")),
    replaces: proposing(
      "observation",
      textFlag("The note or decision that this one corrects, by its number or uid", "id"),
    ),
  },
  async run(context, flags, ...words) {
    const { db, place } = await openStore(context, "write", "remember anything");
    const text = words.length === 1 && words[0] === "-" ? readStdin(context) : words.join(" ");
    const note = rememberHere(db, text, {
      folder: context.cwd,
      redactPatterns: place.config.redactPatterns,
      sessionId: sessionFilterOf(db, flags.session),
      files: flags.file ?? [],
      atMs: Date.now(),
      replaces: flags.replaces === undefined ? null : observationNamed(db, flags.replaces).id,
    });
    return { json: note, text: rememberedText(note) };
  },
});

export const move = verb({
  person: "memory move",
  args: [text("The folder where the project was", "old"), text("Where it is now", "new")],
  flags: { dryRun: toggle("Say what would be moved, and move nothing") },
  async run(context, { dryRun }, oldFolder, newFolder) {
    const typed = folderOfProject(typedPath(context, oldFolder));
    const to = realOr(folderOfProject(typedPath(context, newFolder)));
    const refused = (why: string, next: string) =>
      new UserError("Cannot move what is known", { why: `${why}; nothing was changed`, next });
    if (!isThere(to)) {
      throw refused(`there is no folder ${to}`, "Move the project first, or name where it is now");
    }
    const { db, place: { database } } = await openStore(context, "write", "move what is known");
    // Records that wait in the spool name the old folder, so they must be in the database first.
    if (!dryRun) takeInSpool(db, { database, folders: context.locations.spoolFolders });
    const real = realOr(typed);
    const from = real !== to && sumOf(countBelow(db, real)) > 0 ? real : typed;
    if (from === to || to.startsWith(`${from}/`) || from === "/") {
      const why = from === to ? "both are the same folder" : `${to} is below ${from}`;
      throw refused(why, "Name two folders, of which the new one is not below the old one");
    }
    const moved = countBelow(db, from);
    if (sumOf(moved) === 0) {
      const known = firstLines(knownProjects(db).map(folderOfProject).map(quoteWord), 5);
      throw refused(
        `nothing is known of ${from}`,
        known.length === 0 ? "conclaude status" : `Name one that is known: ${known.join(", ")}`,
      );
    }
    if (!dryRun) transaction(db, () => moveRows(db, { from, to }));
    return {
      json: { from, to, isDryRun: dryRun, moved },
      text: [
        `${dryRun ? "Would move" : "Moved"} ${movedText(moved)} from ${from} to ${to}.`,
        isThere(from) && `${from} is still there; new sessions in it begin anew.`,
      ],
    };
  },
});

/** Formats counts as `12 sessions, 3 tasks, 7 other rows`. */
function movedText(counts: Readonly<Record<string, number>>): string {
  let others = sumOf(counts);
  const named = Object.entries(counts).flatMap(([table, n]) => {
    const [one, many] = MOVED_TABLES[table]?.words ?? [];
    if (one === undefined) return [];
    others -= n;
    return [count(n, one, many)];
  });
  return [...named, ...others === 0 ? [] : [count(others, "other row")]].join(", ");
}
