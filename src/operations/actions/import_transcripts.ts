import { type CliContext, typedPath } from "../context.ts";
import { nextHere } from "../next_command.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { endLines, gapsOf, outcomeJson, outcomeLines, runTranscripts } from "../transcript_run.ts";
import type { View } from "../view.ts";

/** `conclaude import transcripts DIR` */
export async function importTranscripts(
  context: CliContext,
  { dryRun }: { readonly dryRun: boolean },
  dir: string,
): Promise<View> {
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
  const { filled } = outcome;
  const { gaps } = gapsOf(outcome);
  const next = filled !== null && filled.written > 0
    ? "conclaude queue drain"
    : dryRun && gaps > 0
    ? `conclaude import transcripts ${quoteWord(dir)}`
    : null;
  return {
    json: { ...outcomeJson(outcome), next },
    text: [
      ...dryRun
        ? outcomeLines(outcome, { all: false })
        // After the import the sessions have no gaps.
        : outcomeLines({ ...outcome, sessions: outcome.sessions.map(withoutGaps) }, { all: false })
          .filter((line) => !line.startsWith("gaps ")),
      ...endLines(outcome, { label: "imported", next: next && nextHere(next, context.globals) }),
    ].join("\n"),
  };
}

function withoutGaps<Compared extends { readonly missing: readonly unknown[] }>(
  compared: Compared,
): Compared {
  return { ...compared, missing: [] };
}
