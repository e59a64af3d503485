/**
 * `deno task demo [PROGRAM]`: replays two recorded sessions of Claude Code through the real program in a throw-away
 * home. It installs the hooks into that home's settings, runs the listed hooks for every event, and prints at most 60
 * lines. It touches nothing outside its own folder. `learn.ts` plays it to see which modules a usual session loads.
 */
import { join } from "node:path";
import { cutToColumns, fitToColumns } from "../base/columns.ts";
import { isUserError, messageOf, UserError } from "../base/errors.ts";
import { DRAIN_WORD } from "../claude/settings/lanes.ts";
import { compileRedactPatterns, redactText } from "../secrets/redact.ts";
import { programCommand, surroundings } from "./program.ts";
import {
  changeFile,
  commandsFor,
  type HookRun,
  type Payload,
  readRecording,
  runHookCommand,
  type Settings,
} from "./replay.ts";
import { type Place, run, runTask } from "./run_deno.ts";

const GUARDS = `preToolUse:
  uneditableFiles: ["*.lock"]
  toolUsageValidation:
    - { tool: Bash, commandPattern: "git push --force*", action: block,
        message: "Ask before you rewrite history" }
`;
const REQUIREMENTS = `requirements:
  commit_plan:
    message: Plan the change first.
    autoResolveSkill: arch-review
`;

/** A rule about commits, which many teams have. The demo does not show it; an executable learns from it. */
const ABOUT_COMMITS = `  release_branch:
    type: guard
    guardType: protected_branch
    protectedBranches: [release]
    triggerTools: [{ tool: Bash, commandPattern: 'git\\s+commit' }]
`;

/** Events that the recorded sessions lack. One holds a secret, which is masked, and more output than the limit. */
const MORE_EVENTS: readonly Payload[] = [
  { hook_event_name: "SessionStart", source: "resume" },
  {
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_use_id: "toolu_script",
    tool_input: { command: "cd src && deno lint 2>&1 | tail -5 > lint.txt && git add -A" },
  },
  {
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: "toolu_secret",
    tool_input: { command: "env AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE deno task tides" },
    tool_response: { stdout: "high water at noon\n".repeat(40_000), stderr: "" },
  },
];

/** The verbs that agents and people use between sessions. */
const QUIET_VERBS: readonly (readonly string[])[] = [
  ["task", "create", "--title", "Correct the tide table"],
  ["task", "ready"],
  ["task", "list"],
  ["task", "claim", "--next", "--agent-id", "demo"],
  ["memory", "remember", "The tide table is read from the north"],
  ["status"],
  ["session", "list"],
  ["queue", "list"],
];
const SEARCH = ["memory", "search", "where is the tide table corrected?"];

/** Matches the events that the demo prints: prompts, changes and answers. */
const PRINTED_EVENTS = /^(?:UserPromptSubmit|Stop|PostToolUse(?:Failure)? .*(?:Bash|Edit|Write))/;

const NEXT = [
  "Next:",
  `  npx -y deno@${Deno.version.deno} task install  builds it and puts it into ~/.local/bin`,
  "  conclaude install-hooks            lets Claude Code report to it",
  "  conclaude status                   shows what is known",
];

const COLUMNS = 80;

/** A project in a home where the hooks are installed. */
interface Stage {
  readonly place: Place;
  /** The same place with the token that gives a script the rights of a person. */
  readonly people: Place;
  readonly settings: Settings;
  readonly payloads: readonly Payload[];
}

async function demo(root: string): Promise<void> {
  const stage = await installHooks(root);
  title(`Two sessions of Claude Code: ${stage.payloads.length} events through the real hooks`);
  await replay(stage);
  const [{ session_id }] = stage.payloads as readonly [Payload, ...Payload[]];
  const shown = ["session", "show", String(session_id)];
  for (const words of [...QUIET_VERBS, shown]) await conclaude(stage.people, ...words);
  title(`conclaude memory search "${SEARCH.at(-1)}"`);
  block((await conclaude(stage.people, ...SEARCH)).split("\n").slice(0, 4).join("\n"));
  title("What Claude is told when the next session begins here");
  const first = { ...stage.payloads[0]!, session_id: "0e9b6a44-52f1-4d0b-b7c8-91d25ad3f7e0" };
  const context = (await outputOf(stage, first))["additionalContext"] ?? "";
  // The recording has no commits, so the demo leaves the lines about commits out.
  block(context.split("\nNot in the log", 1)[0]!);
  await check(stage, context);
  await showGates(stage, first);
}

async function installHooks(root: string): Promise<Stage> {
  const [home, project] = [join(root, "home"), join(root, "tides")];
  await Deno.mkdir(home, { recursive: true });
  // The folder looks like a clone on its main branch; git itself does not run.
  await Deno.mkdir(join(project, ".git"), { recursive: true });
  await Deno.writeTextFile(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
  const env = { ...surroundings(join(root, "runtime-cache")), HOME: home };
  const place = { cwd: project, env };
  await conclaude(place, "install-hooks");
  const people = { ...place, env: { ...env, CONCLAUDE_TOKEN: await conclaude(place, "token") } };
  const path = join(home, ".claude", "settings.json");
  const settings: Settings = JSON.parse(await Deno.readTextFile(path));
  const recorded = readRecording(home, project);
  const more = MORE_EVENTS.map((event) => ({ ...recorded[0]!, ...event }));
  return { place, people, settings, payloads: recorded.toSpliced(1, 0, ...more) };
}

async function replay(stage: Stage): Promise<void> {
  const took: number[] = [];
  for (const payload of stage.payloads) {
    await changeFile(payload);
    for (const { command, durationMs } of await runHooks(stage, payload)) {
      // A drain runs in the background, so its time does not count.
      if (command.split(/\W/).includes(DRAIN_WORD)) continue;
      took.push(durationMs);
      const line = `${payload.hook_event_name.padEnd(20)}${subjectOf(payload, stage)}`;
      if (PRINTED_EVENTS.test(line)) block(line);
    }
  }
  const median = took.toSorted((a, b) => a - b)[took.length >> 1] ?? 0;
  block(`A process for each event; the median took ${Math.round(median)} ms.`);
}

async function runHooks(stage: Stage, payload: Payload): Promise<HookRun[]> {
  const { cwd, env: common } = stage.place;
  const session = String(payload["session_id"]);
  const env = { ...common, CLAUDE_PROJECT_DIR: cwd, CLAUDE_CODE_SESSION_ID: session };
  const runs: HookRun[] = [];
  for (const command of commandsFor(stage.settings, payload)) {
    const ran = await runHookCommand(command, { payload, cwd, env });
    if (!ran.success || ran.stderr !== "") {
      throw new Error(`${payload.hook_event_name} left with ${ran.code}: ${ran.stderr.trim()}`);
    }
    runs.push(ran);
  }
  return runs;
}

/** Runs the hooks of an event. @returns The answer of the first hook to Claude. */
async function outputOf(stage: Stage, payload: Payload): Promise<Record<string, string>> {
  const [ran] = await runHooks(stage, payload);
  return JSON.parse(ran?.stdout || "{}").hookSpecificOutput ?? {};
}

/** Describes the subject of an event in a few words, with secrets masked as the program keeps them. */
function subjectOf(payload: Payload, { place }: Stage): string {
  const firstOf = (fields: Readonly<Record<string, unknown>>, names: readonly string[]) =>
    names.map((name) => fields[name]).find((value) => value !== undefined) ?? "";
  const input = (payload["tool_input"] ?? {}) as Readonly<Record<string, unknown>>;
  const tool = payload["tool_name"];
  const words = tool === undefined
    ? firstOf(payload, ["prompt", "source", "agent_type", "reason", "last_assistant_message"])
    : `${tool}  ${firstOf(input, ["file_path", "command", "description"])}`;
  return redactText(String(words).replaceAll(`${place.cwd}/`, ""), compileRedactPatterns([]));
}

/** Checks with the program's own verbs that it stored everything replayed. */
async function check(stage: Stage, context: string): Promise<void> {
  const { payloads, settings } = stage;
  const recorded = new Set(payloads.map((payload) => payload["session_id"]));
  const list = async (noun: string, key: string): Promise<Record<string, unknown>[]> =>
    JSON.parse(await conclaude(stage.people, noun, "list", "--limit", "100", "--json"))[key]
      .filter((it: Record<string, unknown>) => recorded.has(it["sessionId"]));
  const ended = (await list("session", "sessions")).filter((it) => it["status"] === "ended");
  const uses = payloads.filter((one) => one.hook_event_name.startsWith("PostToolUse"));
  // The queue also holds prompts and answers, which are no tool uses.
  const tools = new Set(uses.map((payload) => payload["tool_name"]));
  const items = (await list("queue", "items")).filter(({ toolName }) => tools.has(toolName));
  // No hook runs before a tool that only reads.
  const heard = payloads.filter((payload) => commandsFor(settings, payload).length > 0);
  const missed = payloads.filter((one) =>
    !heard.includes(one) && one.hook_event_name !== "PreToolUse"
  );
  const counts: readonly [what: string, found: number, expected: number][] = [
    ["events that no hook is called for", missed.length, 0],
    ["audit rows", (await list("audit", "executions")).length, heard.length],
    ["captured tool uses", items.length, uses.length],
    ["ended sessions", ended.length, recorded.size],
  ];
  const wrong = counts.find(([, found, expected]) => found !== expected);
  if (wrong !== undefined) throw new Error(`${wrong[0]}: ${wrong[1]}, and not ${wrong[2]}`);
  if (context === "") throw new Error("the next session was told nothing");
}

/** Shows how a team's rules refuse a tool use, and how a person allows it again. */
async function showGates(stage: Stage, first: Payload): Promise<void> {
  const send = (fields: Partial<Payload>) => runHooks(stage, { ...first, ...fields } as Payload);
  const begin = async (about: string, shown: string, rules: string) => {
    title(about);
    block(shown.trimEnd());
    await Deno.writeTextFile(join(stage.place.cwd, ".conclaude.yaml"), rules);
    // While a session is active, changed rules take effect only after a person accepts them.
    await conclaude(stage.people, "config", "accept");
    await send({ source: "startup" });
    await send({ hook_event_name: "UserPromptSubmit", prompt: "Correct the tide table" });
  };
  const tryTool = async (tool_name: string, tool_input: Record<string, string>) => {
    const event = { hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "toolu_01" };
    const reason = (await outputOf(stage, { ...first, ...event }))["permissionDecisionReason"];
    block(`${reason === undefined ? "allowed" : "denied "}  ${subjectOf(event, stage)}`);
    if (reason !== undefined) block(`         ${reason.split("\n", 1)[0]}`);
    return reason;
  };
  const edit = {
    file_path: join(stage.place.cwd, "src", "tide.ts"),
    old_string: "a",
    new_string: "b",
  };
  const stop = { hook_event_name: "Stop", stop_hook_active: false };
  await begin("The same project with rules in .conclaude.yaml", GUARDS, GUARDS);
  const refused = await tryTool("Bash", { command: "git add . && git push --force" });
  if (!refused?.includes("rewrite history")) throw new Error("the command was not refused");
  await tryTool("Bash", { command: "git status" });
  await tryTool("Bash", { command: 'cd src && grep -rn "low" . | sort; deno check *.ts' });
  if (await tryTool("Edit", edit) !== undefined) throw new Error("the edit was refused");
  await send(stop);
  await begin(
    "And with something that has to be done first",
    REQUIREMENTS,
    `${GUARDS}${REQUIREMENTS}${ABOUT_COMMITS}`,
  );
  const committing = {
    tool_name: "Bash",
    tool_use_id: "toolu_commit",
    tool_input: { command: "git add -A && git commit -m tides" },
  };
  await send({ ...committing, hook_event_name: "PreToolUse" });
  await send({ ...committing, hook_event_name: "PostToolUse", tool_response: {} });
  const open = await tryTool("Edit", edit);
  const [, command] = /`conclaude (req satisfy [^`]+)`/.exec(open ?? "") ?? [];
  if (command === undefined) throw new Error("the edit was not refused");
  block(`On a person's terminal: conclaude ${command}`, fitToColumns);
  await conclaude(stage.people, ...command.split(" "));
  if (await tryTool("Edit", edit) !== undefined) throw new Error("the edit was refused once more");
  const tool_input = { skill: "arch-review" };
  await send({ hook_event_name: "PostToolUse", tool_name: "Skill", tool_input, tool_response: {} });
  await send(stop);
}

/** Runs a verb and returns its output. @throws {UserError} With the verb's message when it fails. */
async function conclaude(place: Place, ...args: readonly string[]): Promise<string> {
  const [program, ...before] = Deno.args.length > 0 ? [Deno.args[0]!] : programCommand();
  const { success, stdout, stderr: why } = await run(program, [...before, ...args], place);
  if (success) return stdout.trimEnd();
  // The verb's own error names the next step.
  throw new UserError(`conclaude ${args.join(" ")} failed`, { why: why.trim(), next: "" });
}

const isPlain = Boolean(Deno.env.get("NO_COLOR")) || !Deno.stdout.isTerminal();

function title(text: string): void {
  console.log(isPlain ? `\n${text}` : `\n\x1b[1m${text}\x1b[22m`);
}

/** Prints lines indented. @param fit Cuts or breaks a line that is too long; a command to type is never cut. */
function block(text: string, fit = cutToColumns): void {
  const rows = text.split("\n").flatMap((row) => fit(row, COLUMNS - "  ".length).split("\n"));
  for (const row of rows) console.log(`  ${row}`.trimEnd());
}

async function main(): Promise<void> {
  const started = performance.now();
  // The path is short, since the output shows it often; a second demo at the same time gets a longer one.
  const root = await Deno.mkdir("/tmp/conclaude-demo", { mode: 0o700 }).then(
    () => Deno.realPath("/tmp/conclaude-demo"),
    async () => Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-demo-" })),
  );
  const cleanUp = () => Deno.removeSync(root, { recursive: true });
  Deno.addSignalListener("SIGINT", () => {
    cleanUp();
    Deno.exit(130);
  });
  try {
    await demo(root);
  } catch (cause) {
    if (isUserError(cause)) throw cause;
    const why = messageOf(cause);
    throw new UserError("The demo found something wrong", { why, next: "deno task test", cause });
  } finally {
    cleanUp();
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  title(`All of it is there. Done in ${seconds} s; the throw-away home is removed.`);
  console.log(NEXT.join("\n"));
  Deno.exit(0);
}

if (import.meta.main) await runTask(main);
