import { resolvePath } from "../base/paths.ts";
import { verb } from "../operations/verb.ts";

export const mcp = verb({
  about:
    "Answers the Model Context Protocol on stdin and stdout until stdin is closed: tools to recall, open and remember " +
    "what is known of the project that it is started in. Claude Code starts it by itself, once it is told to.",
  examples: ["conclaude mcp", "claude mcp add conclaude -- conclaude mcp"],
  async run(context) {
    const projectDir = context.environment.variable("CLAUDE_PROJECT_DIR") ?? context.cwd;
    const { runMcp } = await import("./run.ts");
    const exitCode = await runMcp({
      ...context,
      cwd: resolvePath(projectDir, { folder: context.cwd }),
    });
    return { json: undefined, text: "", exitCode };
  },
});
