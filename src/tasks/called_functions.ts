/** Which functions of a bundle a usual session calls, seen by running one event after the other. */
import { fileURLToPath } from "node:url";
import { thisSystem } from "../cli/permissions.ts";
import { runFlags } from "./flags.ts";
import { surroundings } from "./program.ts";

const NEXT_SESSION = "5e55107e-0000-4000-8000-000000000002";

/** A session in a few events. The first one of all makes the database, so it comes twice. */
const EVENTS: readonly Readonly<Record<string, unknown>>[] = [
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
  { hook_event_name: "Stop", stop_hook_active: false },
  { hook_event_name: "SessionEnd", reason: "other" },
  // The next session is told of this one; the first of the two works it into memory.
  { hook_event_name: "SessionStart", source: "startup", session_id: NEXT_SESSION },
  { hook_event_name: "SessionStart", source: "startup", session_id: NEXT_SESSION },
];

/** The same in a project with guards and requirements. The first one only fills the cache of the configuration. */
const GUARDED_EVENTS: readonly Readonly<Record<string, unknown>>[] = [
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

/** What the engine writes of one script that it ran. */
interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number }[];
  }[];
}

/**
 * Runs the events through a bundle, each in a process of its own, in a home and a project that are thrown away.
 *
 * @param main The bundle's `main.js`.
 * @returns Names of functions by the absolute path of their file.
 * @throws {Error} When an event is not answered with status 0, or nothing was seen.
 */
export async function calledFunctions(main: string): Promise<ReadonlyMap<string, Set<string>>> {
  const home = await Deno.makeTempDir({ prefix: "conclaude-bundle-" });
  try {
    const project = `${home}/tides`;
    await Deno.mkdir(`${project}/.git`, { recursive: true });
    await Deno.writeTextFile(`${project}/.git/HEAD`, "ref: refs/heads/main\n");
    const called = new Map<string, Set<string>>();
    for (const [index, event] of [...EVENTS, ...GUARDED_EVENTS].entries()) {
      if (index === EVENTS.length) await Deno.writeTextFile(`${project}/.conclaude.yaml`, GUARDS);
      const coverage = `${home}/coverage-${index}`;
      const payload = {
        session_id: "5e55107e-0000-4000-8000-000000000001",
        cwd: project,
        ...event,
      };
      await runEvent(main, { payload, coverage, home, project });
      // What only the first events do, to make the database and to read the configuration, is not usual.
      if (index > 0 && index !== EVENTS.length) await addCalled(called, coverage);
    }
    if (called.size === 0) throw new Error("no function of the bundle was seen to be called");
    return called;
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

async function runEvent(
  main: string,
  run: {
    readonly payload: Readonly<Record<string, unknown>>;
    readonly coverage: string;
    readonly home: string;
    readonly project: string;
  },
): Promise<void> {
  const { payload, coverage, home, project } = run;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", ...runFlags(thisSystem()), `--coverage=${coverage}`, main, "hook"],
    env: { ...surroundings(`${home}/cache`), HOME: home, CLAUDE_PROJECT_DIR: project },
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(payload)));
  await writer.close();
  const { success, stderr } = await child.output();
  if (!success) throw new Error(`the bundle cannot run:\n${new TextDecoder().decode(stderr)}`);
}

async function addCalled(called: Map<string, Set<string>>, coverage: string): Promise<void> {
  for await (const { name } of Deno.readDir(coverage)) {
    if (!name.endsWith(".json")) continue;
    const script: ScriptCoverage = JSON.parse(await Deno.readTextFile(`${coverage}/${name}`));
    if (!script.url.startsWith("file:")) continue; // was packed, so it is no part of a usual start
    const file = fileURLToPath(script.url);
    const names = called.get(file) ?? new Set();
    called.set(file, names);
    for (const { functionName, ranges } of script.functions) {
      if ((ranges[0]?.count ?? 0) > 0) names.add(functionName);
    }
  }
}
