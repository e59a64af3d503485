import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { joinPath } from "../../base/paths.ts";
import type { TranscriptProject } from "../../upkeep/transfer/project.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { MIN_ID_BEGINNING } from "../../db/sessions.ts";
import { type CliContext, typedPath } from "../context.ts";
import { SESSION_FLAG, SINCE_FLAG, textFlag, toggle } from "../flags.ts";
import { nextHere } from "../next_command.ts";
import { isBareName, isCalled } from "../project_filter.ts";
import { isThere } from "../../upkeep/care/whole_file.ts";
import { endLines, gapsOf, outcomeJson, outcomeLines, runTranscripts } from "../transcript_run.ts";
import { verb } from "../verb.ts";

export const reconcile = verb({
  flags: {
    session: SESSION_FLAG,
    project: textFlag(
      "Only sessions that began in this folder, below it, or in the same repository",
      "dir",
    ),
    since: SINCE_FLAG,
    transcripts: textFlag("Where the transcripts are, instead of ~/.claude/projects", "dir"),
    backfill: toggle("Fill in what is missing"),
  },
  about:
    "Reads Claude Code's transcripts, those of sub-agents too, and names everything in them that hooks would have kept\n" +
    "and that is not there: tool uses, prompts, Claude's last messages, summaries of compactions; also of sessions from\n" +
    "before the hooks were installed. What the configuration of a session's project keeps out is no gap, nor is what a\n" +
    "person or a rule has refused. The last minute is left to the hooks. Lines that cannot be read are named.\n\n" +
    "With --backfill the same captures are written that hooks would have written, secrets masked and private parts\n" +
    "dropped, at their time in the transcript. It may be stopped at any time, and run again or beside itself: nothing\n" +
    "comes twice. Counters and the audit trail stay as they are, since no hook ran.\n\n" +
    "Exit status: 0 when nothing is missing, 1 when something is left.",
  examples: [
    "conclaude reconcile",
    "conclaude reconcile --session 01980c5e",
    "conclaude reconcile --since 7d --backfill",
    "conclaude reconcile --project . --json",
  ],
  async run(context, flags) {
    const { session, project, since } = flags;
    const key = session === undefined ? null : idKey(session);
    const outcome = await runTranscripts(context, {
      root: transcriptsFolder(context, flags.transcripts),
      fills: flags.backfill,
      what: flags.backfill ? "fill in what is missing" : "compare transcripts",
      next: "Use `--transcripts DIR` to name the folder",
      needs: flags.transcripts === undefined ? "nothing" : "folder",
      isWhole: key === null && project === undefined && since === undefined,
      sinceMs: since ?? 0,
      wantedFile: ({ path }) =>
        key === null || path.split(/[\\/]/).some((part) => idOf(part).startsWith(key)),
      wanted: wantedOf(context, { key, project }),
    });
    const isUnknown = project !== undefined && outcome.sessions.length === 0;
    if (isUnknown && session === undefined && since === undefined) {
      requireFolder(context, project, outcome.transcripts);
    }
    if (session !== undefined) requireOne(session, outcome.sessions.map((one) => one.session));
    const { gaps, left } = gapsOf(outcome);
    const lines = outcomeLines(outcome, { all: session !== undefined });
    if (isUnknown && session === undefined) {
      lines.unshift(`project     no transcript that was looked at is of "${plain(project)}"`);
    }
    const { filled } = outcome;
    const next = filled !== null && filled.written > 0
      ? "conclaude queue drain"
      : filled === null && gaps > 0
      ? `conclaude reconcile${spellOutFlags(flags)} --backfill`
      : null;
    lines.push(
      ...endLines(outcome, { label: "filled", next: next && nextHere(next, context.globals) }),
    );
    return {
      json: { ...outcomeJson(outcome), next },
      text: lines.join("\n"),
      exitCode: left > 0 ? 1 : 0,
    };
  },
});

function transcriptsFolder(context: CliContext, named: string | undefined): string {
  if (named !== undefined) return typedPath(context, named);
  const { home } = context.locations;
  const folder = context.environment.variable("CLAUDE_CONFIG_DIR") ??
    (home && joinPath(home, ".claude"));
  if (folder) return joinPath(typedPath(context, folder), "projects");
  throw new UserError("Cannot find the transcripts of Claude Code", {
    why: "neither CLAUDE_CONFIG_DIR nor HOME is set",
    next: "Use `--transcripts DIR` to name the folder",
  });
}

function wantedOf(
  context: CliContext,
  { key, project }: { readonly key: string | null; readonly project: string | undefined },
): (sessionId: string, of: TranscriptProject) => boolean {
  const dir = project === undefined ? null : typedPath(context, project);
  const isFolder = dir !== null && isThere(dir);
  const repository = isFolder ? findRepository(lookUpwards(dir))?.commonDir : undefined;
  // A bare word that is no folder is the name of a project.
  const name = project !== undefined && !isFolder && isBareName(project) ? project : null;
  return (sessionId, of) =>
    (key === null || idOf(sessionId).startsWith(key)) &&
    (dir === null || of.dir === dir || (of.dir?.startsWith(`${dir}/`) ?? false) ||
      (repository !== undefined && of.repository === repository) ||
      (name !== null && isCalled(of.repository ?? of.dir ?? "", name)));
}

/** Refuses a project that is no folder and that no transcript names. */
function requireFolder(context: CliContext, project: string, transcripts: number): void {
  if (isThere(typedPath(context, project))) return;
  throw new UserError(`Cannot find a transcript of the project "${project}"`, {
    why: `there is no such folder, and of ${
      count(transcripts, "transcript")
    } none is of a project that ${isBareName(project) ? "is called so" : "lay there"}`,
    next: nextHere("conclaude reconcile", context.globals),
  });
}

function idOf(text: string): string {
  return text.replaceAll("-", "").toLowerCase();
}

function idKey(session: string): string {
  const key = idOf(session.trim());
  if (key.length >= MIN_ID_BEGINNING) return key;
  throw new UserError(`Cannot find the session "${session}"`, {
    why: `the beginning of an id must have at least ${MIN_ID_BEGINNING} characters`,
    next: "conclaude session list",
  });
}

function requireOne(text: string, found: readonly { readonly sessionId: string }[]): void {
  if (found.length === 1) return;
  const ids = found.map(({ sessionId }) => sessionId);
  if (found.length === 0) {
    throw new UserError(`Cannot find a transcript of the session "${text}"`, {
      why: "no transcript that was looked at is of a session with such an id",
      next: "conclaude reconcile",
    });
  }
  throw new UserError(`Cannot tell which session "${text}" is`, {
    why: `${found.length} sessions begin like this: ${ids.slice(0, 5).join(", ")}`,
    next: `conclaude reconcile --session ${ids[0]}`,
  });
}

/** Spells the flags that chose the transcripts as a person types them, each with a space before it. */
function spellOutFlags({ session, project, since, transcripts }: {
  readonly session?: string;
  readonly project?: string;
  readonly since?: number;
  readonly transcripts?: string;
}): string {
  const time = since === undefined ? undefined : new Date(since).toISOString();
  return Object.entries({ session, project, since: time, transcripts })
    .map(([name, value]) => value === undefined ? "" : ` --${name} ${quoteWord(value)}`)
    .join("");
}
