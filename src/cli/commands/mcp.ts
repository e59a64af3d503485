import { command } from "../command.ts";

/** `conclaude mcp` */
export const mcp = command({
  load: async () => (await import("../actions/mcp.ts")).serveMcp,
  parameters: { flags: {} },
  brief: "Serve memory to Claude as tools: an MCP server on stdin and stdout",
  about: [
    "Answers the Model Context Protocol on stdin and stdout until stdin is closed: tools to recall, open and remember",
    "what is known of the project that it is started in. Claude Code starts it by itself, once it is told to.",
  ].join("\n"),
  examples: ["conclaude mcp", "claude mcp add conclaude -- conclaude mcp"],
});
