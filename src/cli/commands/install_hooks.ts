import { command, filled } from "../command.ts";

const load = () => import("../actions/install_hooks.ts");

const PLACE_FLAGS = {
  scope: {
    kind: "enum",
    values: ["user", "project", "local"],
    optional: true,
    brief:
      "user (the default): ~/.claude; project: .claude of this folder; local: the same, not committed",
  },
  settings: {
    kind: "parsed",
    parse: filled,
    optional: true,
    brief: "A settings file, instead of one of a scope",
    placeholder: "file",
  },
  command: {
    kind: "parsed",
    parse: filled,
    optional: true,
    brief:
      "The executable that hooks start, or a name to look up on the PATH; this one when not given",
    placeholder: "path|name",
  },
  dryRun: { kind: "boolean", default: false, brief: "Say what would change, and change nothing" },
} as const;

/** `conclaude install-hooks` */
export const installHooks = command({
  load: async () => (await load()).install,
  parameters: {
    flags: {
      ...PLACE_FLAGS,
      events: {
        kind: "parsed",
        parse: filled,
        variadic: ",",
        optional: true,
        brief: "Only these events: A,B",
        placeholder: "events",
      },
      strict: {
        kind: "boolean",
        default: false,
        brief:
          "Let Claude Code block what a hook cannot judge, because it is gone, crashes or hangs",
      },
      mcp: {
        kind: "boolean",
        default: false,
        brief: "Register the MCP server `conclaude` as well, for the same scope",
      },
    },
  },
  brief: "Let Claude Code report to conclaude",
  about:
    "Adds hooks to a settings file of Claude Code, or brings them up to date. Other hooks and settings stay\n" +
    "as they are, to the byte. The file is backed up before the first change. With --strict a tool use or a\n" +
    "prompt is blocked when the hook that judges it cannot run; installing again without it takes that back.\n" +
    "With --mcp Claude asks conclaude itself, as the MCP server `conclaude`.",
  examples: [
    "conclaude install-hooks",
    "conclaude install-hooks --scope local --dry-run",
    "conclaude install-hooks --scope project --command conclaude",
    "conclaude install-hooks --strict",
    "conclaude install-hooks --mcp",
    "conclaude install-hooks --events SessionStart,PostToolUse,Stop",
  ],
});

/** `conclaude uninstall-hooks` */
export const uninstallHooks = command({
  person: "uninstall-hooks",
  load: async () => (await load()).uninstall,
  parameters: { flags: PLACE_FLAGS },
  brief: "Take conclaude's hooks out again, and its MCP server",
  about:
    "Removes conclaude's hooks from a settings file, and nothing else; and the MCP server `conclaude` from\n" +
    "the file of the same scope, where `--mcp` has put it. A settings file that nobody changed since the\n" +
    "installation becomes what it was, byte for byte. With --command also the hooks of a program that does\n" +
    "not say by name or mark that it is conclaude.",
  examples: ["conclaude uninstall-hooks", "conclaude uninstall-hooks --scope local --dry-run"],
});
