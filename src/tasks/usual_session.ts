/** What a usual session asks of the program, one run after the other: what the bundle is made quick for is seen by it. */
import { DRAIN_WORD } from "../settings/hooks.ts";
import { surroundings } from "./program.ts";

const SESSION = "5e55107e-0000-4000-8000-000000000001";
const NEXT_SESSION = "5e55107e-0000-4000-8000-000000000002";

type Event = Readonly<Record<string, unknown>>;

/** What is started beside a Stop. */
const DRAIN: Event = { hook_event_name: "Stop", stop_hook_active: false };

/** A session in a few events. The first one of all makes the database, so it comes twice. */
const EVENTS: readonly Event[] = [
  { hook_event_name: "SessionStart", source: "startup" },
  { hook_event_name: "SessionStart", source: "resume" },
  { hook_event_name: "UserPromptSubmit", prompt: "Correct the tide table" },
  ...["PreToolUse", "PostToolUse"].map((name) => ({
    hook_event_name: name,
    tool_name: "Edit",
    tool_use_id: "toolu_01",
    tool_input: { file_path: "/work/tides/src/tide.ts", old_string: "low", new_string: "high" },
    tool_response: { filePath: "/work/tides/src/tide.ts" },
  })),
  {
    hook_event_name: "PostToolUseFailure",
    tool_name: "Bash",
    tool_use_id: "toolu_04",
    tool_input: { command: "deno test" },
    error: "Exit code 1\nerror: the tide is too high",
  },
  // Something that must not be kept, and more than is kept.
  {
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: "toolu_05",
    tool_input: { command: "env AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE deno task tides" },
    tool_response: { stdout: "high water at noon\n".repeat(40_000), stderr: "" },
  },
  { hook_event_name: "SubagentStart", agent_id: "a1", agent_type: "Explore" },
  { hook_event_name: "SubagentStop", agent_id: "a1", agent_type: "Explore" },
  { hook_event_name: "PreCompact", trigger: "auto" },
  { hook_event_name: "Stop", stop_hook_active: false, last_assistant_message: "It is corrected." },
  DRAIN,
  { hook_event_name: "SessionEnd", reason: "other" },
  // The next session is told of this one; the first of the two works it into memory.
  { hook_event_name: "SessionStart", source: "startup", session_id: NEXT_SESSION },
  { hook_event_name: "SessionStart", source: "startup", session_id: NEXT_SESSION },
];

/** The same in a project with guards and requirements. The first one only fills the cache of the configuration. */
const GUARDED_EVENTS: readonly Event[] = [
  { hook_event_name: "SessionStart", source: "startup" },
  { hook_event_name: "SessionStart", source: "resume" },
  ...[
    { tool_name: "Edit", tool_input: { file_path: "src/tide.ts" } },
    { tool_name: "NotebookEdit", tool_input: { notebook_path: "src/a.ipynb" } },
    { tool_name: "Bash", tool_input: { command: "git status" } },
    {
      tool_name: "Bash",
      tool_input: {
        command:
          `cd src && grep -rn "low" . | sort > '/tmp/found.txt'; for f in *.ts; do deno check "$f"; done`,
      },
    },
  ].map((use) => ({ hook_event_name: "PreToolUse", tool_use_id: "toolu_02", ...use })),
  {
    hook_event_name: "PostToolUse",
    tool_name: "Skill",
    tool_use_id: "toolu_03",
    tool_input: { skill: "review" },
    tool_response: {},
  },
  { hook_event_name: "UserPromptSubmit", prompt: "Correct the tide table" },
  { hook_event_name: "Stop", stop_hook_active: false },
];

const GUARDS = `preToolUse:
  uneditableFiles: ["*.lock", src/generated/**]
  toolUsageValidation:
    - {tool: Bash, commandPattern: "deno publish*", action: block}
requirements:
  reviewed: {satisfiedBySkill: [review], triggerTools: [NotebookEdit]}
  released: {triggerTools: [{tool: Bash, commandPattern: 'deno\\s+publish'}]}
`;

/** The verbs that are called in loops, and what they find something with. */
const VERBS: readonly (readonly string[])[] = [
  ["task", "create", "--title", "Correct the tide table"],
  ["task", "ready"],
  ["task", "list"],
  ["task", "claim", "--next", "--agent-id", "usual"],
  ["memory", "remember", "The tide table is read from the north"],
  ["memory", "search", "where is the tide table corrected?"],
];

/** Starts the program once. */
export interface Start {
  readonly args: readonly string[];
  /** What it reads. */
  readonly stdin: string;
  readonly cwd: string;
  /** All of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** False for what a first start has to do and a usual one has not. */
  readonly isUsual: boolean;
}

/**
 * Goes through a session, in a home and a project that are thrown away.
 *
 * @param start Runs the program to its end, and throws when it cannot.
 */
export async function playUsualSession(start: (run: Start) => Promise<void>): Promise<void> {
  const home = await Deno.makeTempDir({ prefix: "conclaude-bundle-" });
  try {
    const project = `${home}/tides`;
    await Deno.mkdir(`${project}/.git`, { recursive: true });
    await Deno.writeTextFile(`${project}/.git/HEAD`, "ref: refs/heads/main\n");
    const env = { ...surroundings(`${home}/cache`), HOME: home, CLAUDE_PROJECT_DIR: project };
    const hooks = async (events: readonly Event[]) => {
      for (const [index, event] of events.entries()) {
        const stdin = JSON.stringify({ session_id: SESSION, cwd: project, ...event });
        // The first one makes the database, or reads the configuration.
        const args = event === DRAIN ? ["hook", DRAIN_WORD] : ["hook"];
        await start({ args, stdin, cwd: project, env, isUsual: index > 0 });
      }
    };
    await hooks(EVENTS);
    for (const args of VERBS) {
      await start({ args, stdin: "", cwd: project, env, isUsual: true });
    }
    await Deno.writeTextFile(`${project}/.conclaude.yaml`, GUARDS);
    await hooks(GUARDED_EVENTS);
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** A program that is started with what a {@linkcode Start} says. @throws {Error} When it leaves with another status than 0. */
export async function runToEnd(
  [command, ...before]: readonly [string, ...string[]],
  { args, stdin, cwd, env }: Start,
): Promise<void> {
  const child = new Deno.Command(command, {
    args: [...before, ...args],
    cwd,
    env,
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin));
  await writer.close();
  const { success, stderr } = await child.output();
  if (!success) throw new Error(`the bundle cannot run:\n${new TextDecoder().decode(stderr)}`);
}
