import { normalizeSessionId } from "../base/ids.ts";
import { resolvePath } from "../base/paths.ts";
import { nextHere } from "../operations/next_command.ts";
import { openKeptStore, openStoreIfThere } from "../operations/open_store.ts";
import { verb } from "../operations/verb.ts";
import { asUserError, errorText } from "../operations/view.ts";

export const mcp = verb({
  about: [
    "Answers the Model Context Protocol on stdin and stdout until stdin is closed: tools to recall, open and remember",
    "what is known of the project that it is started in. Claude Code starts it by itself, once it is told to.",
  ].join("\n"),
  examples: ["conclaude mcp", "claude mcp add conclaude -- conclaude mcp"],
  async run(context) {
    const { variable } = context.environment;
    const projectDir = variable("CLAUDE_PROJECT_DIR") ?? context.cwd;
    const here = { ...context, cwd: resolvePath(projectDir, { folder: context.cwd }) };
    const { runMcp } = await import("./run.ts");
    const exitCode = await runMcp({
      folder: here.cwd,
      home: context.locations.home,
      sessionId: normalizeSessionId(variable("CLAUDE_CODE_SESSION_ID")) ?? null,
      openToRead: (what) => openStoreIfThere(here, what),
      openToWrite: (what) => openKeptStore(here, what),
      errorText: (thrown, what) => {
        const error = asUserError(thrown, `Cannot ${what}`);
        const next = nextHere(error.next, context.globals);
        return errorText({ what: error.what, why: error.why, next });
      },
    });
    return { json: undefined, text: "", exitCode };
  },
});
