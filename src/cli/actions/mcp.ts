import { plain } from "../../capture/plain.ts";
import { normalizeSessionId } from "../../ids.ts";
import { resolvePath } from "../../paths.ts";
import type { CliContext } from "../context.ts";
import { nextHere } from "../next_command.ts";
import { openKeptStore, openStoreIfThere } from "../store.ts";
import { asUserError, errorText, type View } from "../view.ts";

/** `conclaude mcp`: the project is the one that Claude Code names, else the one of this folder. */
export async function serveMcp(context: CliContext): Promise<View> {
  const { variable } = context.environment;
  const projectDir = variable("CLAUDE_PROJECT_DIR") ?? context.cwd;
  const here = { ...context, cwd: resolvePath(projectDir, { folder: context.cwd }) };
  const { runMcp } = await import("../../mcp/run.ts");
  const exitCode = await runMcp({
    folder: here.cwd,
    sessionId: normalizeSessionId(variable("CLAUDE_CODE_SESSION_ID")) ?? null,
    openToRead: (what) => openStoreIfThere(here, what),
    openToWrite: (what) => openKeptStore(here, what),
    errorText: (thrown, what) => {
      const { next, ...error } = asUserError(thrown, `Cannot ${what}`);
      return errorText({ what: error.what, why: error.why, next: nextHere(next, context.globals) });
    },
    say: (line) => context.process.stderr.write(`conclaude mcp: ${plain(line)}\n`),
  });
  return { json: undefined, text: "", exitCode };
}
