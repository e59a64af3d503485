import { command, someText } from "../command.ts";

/** `conclaude explain TOOL INPUT` */
export const explain = command<
  { readonly agent: string; readonly session?: string },
  [tool: string, input?: string]
>({
  load: async () => (await import("../actions/explain.ts")).explainUse,
  parameters: {
    positional: {
      kind: "tuple",
      parameters: [
        { parse: someText, brief: "The tool: Bash, Edit, Write …", placeholder: "tool" },
        {
          parse: someText,
          optional: true,
          brief: "The command, the file, or the tool's whole input as JSON",
          placeholder: "input",
        },
      ],
    },
    flags: {
      agent: {
        kind: "parsed",
        parse: someText,
        default: "main",
        brief: "As if this agent asked: main, or the type of a subagent",
        placeholder: "name",
      },
      session: {
        kind: "parsed",
        parse: someText,
        optional: true,
        brief: "As if this session asked, by its id or the beginning of it",
        placeholder: "id",
      },
    },
  },
  brief: "Show what the rules say of a tool use, without doing anything",
  about:
    "Shows every rule and requirement that is asked before this tool use, what it says and why. Nothing is run, and nothing is written.\n" +
    "Exit status 1 when it would be denied, 2 for a tool that neither Claude Code nor a rule knows.",
  examples: [
    "conclaude explain Bash 'git push --force'",
    "conclaude explain Edit src/a.ts --agent reviewer",
    `conclaude explain Write '{"file_path":"new.txt"}' --json`,
  ],
});
