import { type CliContext, typedPath } from "../context.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { runTranscripts, transcriptsView } from "../transcript_run.ts";
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
  return transcriptsView(context, outcome, {
    label: "imported",
    again: `conclaude import transcripts ${quoteWord(dir)}`,
    // After the import the sessions have no gaps.
    ...(dryRun ? {} : { named: null }),
  });
}
