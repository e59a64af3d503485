import { resolvePath } from "../base/paths.ts";
import { verb } from "../operations/verb.ts";

export const mcp = verb({
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
