/**
 * `deno task demo`: a recorded session of Claude Code, replayed through the real program in a throw-away home. It
 * installs the hooks into that home's settings, runs for every event what the settings list, and shows what is known
 * afterwards. Nothing outside its own temporary folder is touched.
 */
import { join } from "node:path";
import { messageOf, UserError } from "../errors.ts";
import { programCommand, surroundings } from "./program.ts";
import {
  changeFile,
  commandsFor,
  type HookRun,
  type Payload,
  runHookCommand,
  type Settings,
} from "./replay.ts";
import { REPOSITORY } from "./run_deno.ts";
import { runTask } from "./run_task.ts";

const RECORDING = new URL("tests/testdata/recorded_session.jsonl", REPOSITORY);

/** A session that begins after the recorded ones, to see what it is told. */
const NEXT_SESSION_ID = "0e9b6a44-52f1-4d0b-b7c8-91d25ad3f7e0";

/** The folders of one demonstration. */
interface Stage {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly settings: string;
  /** Shows that the person at the demonstration runs its verbs, which has no terminal of its own. */
  token?: string;
}

async function demo(stage: Stage): Promise<void> {
  title("Installing the hooks");
  await makeProject(stage);
  await conclaude(stage, ["install-hooks"]);
  // A person's scripts get one on a terminal; before the first session anywhere.
  stage.token = await conclaude(stage, ["token"]);
  const settings: Settings = JSON.parse(await Deno.readTextFile(stage.settings));
  const events = Object.keys(settings.hooks ?? {});
  line(`${events.length} events in ${stage.settings}`);
  line(fit(commandsFor(settings, { hook_event_name: "Stop" })[0] ?? "", 96).trimEnd());

  const payloads = readRecording(stage);
  title(`Replaying ${payloads.length} events of two sessions, a process for each`);
  await replay(stage, settings, payloads);

  title("conclaude status");
  block(await conclaude(stage, ["status"]));
  title("conclaude session list");
  block(await conclaude(stage, ["session", "list"]));
  title("conclaude queue list");
  block(await conclaude(stage, ["queue", "list"]));

  title("What Claude is told when the next session begins here");
  const told = await contextOfNextSession(stage, settings);
  block(told);

  await check(stage, { settings, payloads, told });
  await showGates(stage, settings);
}

/** A folder with a short name, since it is seen a lot; a longer one where that is taken. */
async function makeRoot(): Promise<string> {
  if (Deno.build.os === "linux") {
    const path = "/tmp/conclaude-demo";
    const made = await Deno.mkdir(path, { mode: 0o700 }).then(() => true, () => false);
    if (made) return path;
  }
  return await Deno.realPath(await Deno.makeTempDir({ prefix: "conclaude-demo-" }));
}

/** A folder that looks like a clone on its main branch; git itself is not needed. */
async function makeProject({ project, home }: Stage): Promise<void> {
  await Deno.mkdir(home, { recursive: true });
  await Deno.mkdir(join(project, ".git"), { recursive: true });
  await Deno.writeTextFile(join(project, ".git", "HEAD"), "ref: refs/heads/main\n");
}

function readRecording({ home, project }: Stage): Payload[] {
  const places: Readonly<Record<string, string>> = {
    HOME: home,
    PROJECT: project,
    PROJECT_SLUG: "tides",
  };
  return Deno.readTextFileSync(RECORDING).trimEnd().split("\n").map((text) =>
    JSON.parse(
      text,
      (_key, value) =>
        typeof value === "string"
          ? value.replace(/<([A-Z_]+)>/g, (whole, name: string) => places[name] ?? whole)
          : value,
    )
  );
}

async function replay(
  stage: Stage,
  settings: Settings,
  payloads: readonly Payload[],
): Promise<void> {
  for (const payload of payloads) {
    if (payload.hook_event_name === "SessionStart") line("");
    await changeFile(payload);
    for (const run of await runHooks(stage, settings, payload)) {
      const event = DRAIN.test(run.command) ? "  its drain" : payload.hook_event_name;
      const took = milliseconds(run.durationMs);
      line(`${event.padEnd(20)}${fit(subjectOf(payload, stage), 54)}${took}`);
    }
  }
}

/** The command that works captures into memory after a stop, while the session goes on. */
const DRAIN = /\bDrain\b/;

async function runHooks(stage: Stage, settings: Settings, payload: Payload): Promise<HookRun[]> {
  const env = {
    ...surroundings(join(stage.root, "runtime-cache")),
    HOME: stage.home,
    CLAUDE_PROJECT_DIR: stage.project,
    CLAUDE_CODE_SESSION_ID: String(payload["session_id"]),
  };
  const runs: HookRun[] = [];
  for (const command of commandsFor(settings, payload)) {
    const run = await runHookCommand(command, { payload, env, cwd: stage.project });
    if (run.code !== 0 || run.stderr !== "") {
      throw new Error(
        `the hook ${payload.hook_event_name} left with ${run.code}: ${run.stderr.trim()}`,
      );
    }
    runs.push(run);
  }
  return runs;
}

/** In a few words: what the event is about. */
function subjectOf(payload: Payload, { project }: Stage): string {
  const input = (payload["tool_input"] ?? {}) as Readonly<Record<string, unknown>>;
  const about = input["file_path"] ?? input["command"] ?? input["description"] ?? "";
  const words = payload["tool_name"] === undefined
    ? payload["prompt"] ?? payload["source"] ?? payload["agent_type"] ?? payload["reason"] ??
      payload["last_assistant_message"] ?? ""
    : `${payload["tool_name"]}  ${about}`;
  return String(words).replaceAll(`${project}/`, "");
}

async function contextOfNextSession(stage: Stage, settings: Settings): Promise<string> {
  const [first] = readRecording(stage);
  const [run] = await runHooks(stage, settings, { ...first!, session_id: NEXT_SESSION_ID });
  const answer = JSON.parse(run?.stdout || "{}");
  return String(answer.hookSpecificOutput?.additionalContext ?? "");
}

/** A team's rules, as they would stand in its project. */
const RULES = `preToolUse:
  toolUsageValidation:
    - { tool: Bash, commandPattern: "git push --force*", action: block, message: "Ask before you rewrite history" }
requirements:
  commit_plan:
    message: Plan the change first.
    autoResolveSkill: arch-review
`;

/** What is refused under rules of a team, what Claude is told then, and how a person lifts it. */
async function showGates(stage: Stage, settings: Settings): Promise<void> {
  title("The same project with rules: .conclaude.yaml");
  block(RULES.trimEnd());
  await Deno.writeTextFile(join(stage.project, ".conclaude.yaml"), RULES);
  const [first] = readRecording(stage);
  const ask = async (tool_name: string, tool_input: Record<string, unknown>) => {
    const asked = { hook_event_name: "PreToolUse", tool_name, tool_input, tool_use_id: "toolu_01" };
    const payload = { ...first!, ...asked, session_id: NEXT_SESSION_ID };
    const [run] = await runHooks(stage, settings, payload);
    const output = JSON.parse(run?.stdout || "{}").hookSpecificOutput;
    const reason: string | undefined = output?.permissionDecisionReason;
    line("");
    line(`${tool_name}  ${Object.values(tool_input)[0]}`.replaceAll(`${stage.project}/`, ""));
    block(reason ?? "allowed");
    return reason;
  };
  const edit = {
    file_path: join(stage.project, "src", "tide.ts"),
    old_string: "a",
    new_string: "b",
  };
  const refused = await ask("Bash", { command: "git add . && git push --force" });
  if (!refused?.includes("rewrite history")) {
    throw new Error("the forbidden command was not refused");
  }
  const open = await ask("Edit", edit);
  const [, command] = /`conclaude (req satisfy [^`]+)`/.exec(open ?? "") ?? [];
  if (command === undefined) throw new Error("the edit was not refused");
  line("");
  line(`A person, on another terminal: conclaude ${command}`);
  block(await conclaude(stage, command.split(" ")));
  if (await ask("Edit", edit) !== undefined) throw new Error("the edit was refused once more");
}

/** What must be known now, asked of the program itself. */
async function check(
  stage: Stage,
  seen: {
    readonly payloads: readonly Payload[];
    readonly settings: Settings;
    readonly told: string;
  },
): Promise<void> {
  const { payloads, settings, told } = seen;
  const list = async (noun: string, key: string): Promise<Record<string, unknown>[]> =>
    JSON.parse(await conclaude(stage, [noun, "list", "--limit", "100", "--json"]))[key];
  const toolUses = payloads.filter((one) => one.hook_event_name.startsWith("PostToolUse"));
  const recorded = new Set(payloads.map((payload) => payload["session_id"]));
  const sessions = (await list("session", "sessions"))
    .filter(({ sessionId }) => recorded.has(sessionId));
  const ended = sessions.filter(({ status }) => status === "ended");
  const executions = (await list("audit", "executions"))
    .filter(({ sessionId }) => recorded.has(sessionId));
  // Beside them what was said is kept.
  const tools = new Set(toolUses.map((payload) => payload["tool_name"]));
  const items = (await list("queue", "items")).filter(({ toolName }) => tools.has(toolName));

  const unheard = payloads.filter((payload) => commandsFor(settings, payload).length === 0);
  expect("events that no hook is called for", unheard.length, 0);
  expect("audit rows", executions.length, payloads.length);
  expect("captured tool uses", items.length, toolUses.length);
  expect("ended sessions", ended.length, recorded.size);
  if (told === "") throw new Error("the next session was told nothing");
}

function expect(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found}, and it should be ${expected}`);
}

/** What the command line answers; @throws {Error} when it fails. */
async function conclaude(stage: Stage, args: readonly string[]): Promise<string> {
  const [command, ...first] = programCommand();
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...first, ...args],
    clearEnv: true,
    env: {
      ...surroundings(join(stage.root, "runtime-cache")),
      HOME: stage.home,
      ...stage.token === undefined ? {} : { CONCLAUDE_TOKEN: stage.token },
    },
    cwd: stage.project,
    stdin: "null",
    signal: AbortSignal.timeout(10_000),
  }).output();
  const decoder = new TextDecoder();
  if (code === 0) return decoder.decode(stdout).trimEnd();
  throw new Error(`conclaude ${args.join(" ")} left with ${code}:\n${decoder.decode(stderr)}`);
}

const isPlain = Boolean(Deno.env.get("NO_COLOR")) || !Deno.stdout.isTerminal();

function title(text: string): void {
  console.log(isPlain ? `\n${text}` : `\n\x1b[1m${text}\x1b[22m`);
}

function line(text: string): void {
  console.log(text === "" ? "" : `  ${text}`);
}

function block(text: string): void {
  for (const row of text.split("\n")) line(row.trimEnd());
}

function milliseconds(value: number): string {
  const text = `${Math.round(value)} ms`.padStart(8);
  return isPlain ? text : `\x1b[2m${text}\x1b[22m`;
}

/** The beginning of a text, padded to a width. */
function fit(text: string, width: number): string {
  return (text.length < width ? text : `${text.slice(0, width - 2)}…`).padEnd(width);
}

async function main(): Promise<void> {
  const started = performance.now();
  const root = await makeRoot();
  const home = join(root, "home");
  const settings = join(home, ".claude", "settings.json");
  const cleanUp = () => Deno.removeSync(root, { recursive: true });
  const interrupted = () => {
    cleanUp();
    Deno.exit(130);
  };
  Deno.addSignalListener("SIGINT", interrupted);
  try {
    await demo({ root, home, project: join(root, "tides"), settings });
  } catch (thrown) {
    throw new UserError("The demo found something wrong", {
      why: messageOf(thrown),
      next: "deno task test",
      cause: thrown,
    });
  } finally {
    cleanUp();
    Deno.removeSignalListener("SIGINT", interrupted);
  }
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  title(`All of it is there. Done in ${seconds} s; the throw-away home is removed.`);
}

if (import.meta.main) await runTask(main);
