import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { joinPath } from "../../base/paths.ts";
import type { TranscriptProject } from "../../upkeep/transfer/capture_of.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { MIN_ID_BEGINNING } from "../../db/sessions.ts";
import { type CliContext, typedPath } from "../context.ts";
import { SHARED, text, textFlag, toggle } from "../flags.ts";
import { onlySession } from "../session_lookup.ts";
import { flagsAgain } from "../next_command.ts";
import { isBareName, isCalled } from "../memory_filter.ts";
import { isThere } from "../../system/on_disk.ts";
import { runTranscripts, transcriptsView } from "../transcript_run.ts";
import { verb } from "../verb.ts";

export const reconcile = verb({
  flags: {
    session: SHARED.session,
    project: textFlag(
      "Only sessions that began in this folder, below it, or in the same repository",
      "dir",
    ),
    since: SHARED.since,
    transcripts: textFlag("Where the transcripts are, instead of ~/.claude/projects", "dir"),
    backfill: toggle("Fill in what is missing"),
  },
  async run(context, flags) {
    const { session, project, since } = flags;
    const key = session === undefined ? null : idOf(session.trim());
    if (key !== null && key.length < MIN_ID_BEGINNING) onlySession(session!, [], String);
    const outcome = await runTranscripts(context, {
      root: transcriptsFolder(context, flags.transcripts),
      fills: flags.backfill,
      what: flags.backfill ? "fill in what is missing" : "compare transcripts",
      next: NAME_THE_FOLDER,
      needs: flags.transcripts === undefined ? "nothing" : "folder",
      isWhole: key === null && project === undefined && since === undefined,
      sinceMs: since ?? 0,
      wantedFile: ({ path }) =>
        key === null || path.split(/[\\/]/).some((part) => idOf(part).startsWith(key)),
      wanted: wantedOf(context, { key, project }),
    });
    const { sessions, transcripts } = outcome;
    const isUnknown = project !== undefined && session === undefined && sessions.length === 0;
    const isNoFolder = isUnknown && since === undefined && !isThere(typedPath(context, project));
    if (isNoFolder || session !== undefined && sessions.length === 0) {
      const noun = isNoFolder ? `project "${project}"` : `session "${session}"`;
      const none = `of ${count(transcripts, "transcript")} none is of it`;
      throw new UserError(`Cannot find a transcript of the ${noun}`, {
        why: isNoFolder ? `there is no such folder, and ${none}` : none,
        next: "conclaude reconcile",
      });
    }
    if (session !== undefined) {
      onlySession(session, sessions, ({ sessionId }) => sessionId, "reconcile --session");
    }
    const time = since === undefined ? undefined : new Date(since).toISOString();
    const chosen = { session, project, since: time, transcripts: flags.transcripts };
    return transcriptsView(context, outcome, {
      label: "filled",
      again: `conclaude reconcile${flagsAgain(chosen)} --backfill`,
      // A filled gap is no gap any more.
      names: session !== undefined ? "gaps" : flags.backfill ? "nothing" : "sessions",
      ...(isUnknown
        ? { first: `project     no transcript that was looked at is of "${plain(project)}"` }
        : {}),
    });
  },
});

export const importTranscripts = verb({
  person: "import transcripts",
  args: [text("A folder with transcripts, at any depth, or one of them", "dir")],
  flags: { dryRun: toggle("Only say what would be taken over") },
  async run(context, { dryRun }, dir) {
    const outcome = await runTranscripts(context, {
      root: typedPath(context, dir),
      fills: !dryRun,
      what: "import transcripts",
      next: "Name a folder that has transcripts of Claude Code (*.jsonl)",
      needs: "session",
      isWhole: false,
      sinceMs: 0,
      wantedFile: () => true,
      wanted: () => true,
    });
    return transcriptsView(context, outcome, {
      label: "imported",
      again: `conclaude import transcripts ${quoteWord(dir)}`,
      // After the import the sessions have no gaps.
      ...(dryRun ? {} : { names: "nothing" }),
    });
  },
});

const NAME_THE_FOLDER = "Use `--transcripts DIR` to name the folder";

function transcriptsFolder(context: CliContext, named: string | undefined): string {
  if (named !== undefined) return typedPath(context, named);
  const { home } = context.locations;
  const folder = context.environment.variable("CLAUDE_CONFIG_DIR") ??
    (home && joinPath(home, ".claude"));
  if (folder) return joinPath(typedPath(context, folder), "projects");
  throw new UserError("Cannot find the transcripts of Claude Code", {
    why: "neither CLAUDE_CONFIG_DIR nor HOME is set",
    next: NAME_THE_FOLDER,
  });
}

/** Returns a function that tells whether the flags choose a session. */
function wantedOf(
  context: CliContext,
  { key, project }: { readonly key: string | null; readonly project: string | undefined },
): (sessionId: string, of: TranscriptProject) => boolean {
  const dir = project === undefined ? null : typedPath(context, project);
  const isFolder = dir !== null && isThere(dir);
  const repository = isFolder ? findRepository(lookUpwards(dir))?.commonDir : undefined;
  // A bare word that is not a folder is the name of a project.
  const name = project !== undefined && !isFolder && isBareName(project) ? project : null;
  return (sessionId, of) =>
    (key === null || idOf(sessionId).startsWith(key)) &&
    (dir === null || of.dir === dir || (of.dir?.startsWith(`${dir}/`) ?? false) ||
      (repository !== undefined && of.repository === repository) ||
      (name !== null && isCalled(of.repository ?? of.dir ?? "", name)));
}

function idOf(text: string): string {
  return text.replaceAll("-", "").toLowerCase();
}
