import { plain } from "../../capture/plain.ts";
import { agentFiles } from "../../engine/agent_files.ts";
import { needAgent } from "../../engine/requests.ts";
import { type OutputLine, readOutput, readOutputPage } from "../../engine/output.ts";
import { readAgentLine } from "../../orchestration/agent_text.ts";
import { refusal } from "../../orchestration/refusal.ts";
import { type Agent, listAgents, readAgent } from "../../store/agents.ts";
import { readTask } from "../../store/tasks.ts";
import type { CliContext } from "../context.ts";
import { number, optional, switchOn, text } from "../flags.ts";
import { openStore, type Place } from "../store.ts";
import { verb } from "../verb.ts";
import type { View } from "../view.ts";
import { agentIdOf, taskIdOf } from "../work_lookup.ts";
import type { DatabaseSync } from "node:sqlite";

export const output = verb({
  args: [text("The agent, or a task: then the output of all its agents, the oldest first", "id")],
  flags: {
    since: optional(
      number(0, Number.MAX_SAFE_INTEGER, "Only lines after the one with this number", "seq"),
    ),
    limit: optional(number(1, Number.MAX_SAFE_INTEGER, "How many lines at most")),
    follow: switchOn("Go on until the agent has ended"),
    raw: switchOn("As it was written, instead of what is said in it"),
  },
  about:
    "Shows what an agent has written; of the JSON of Claude Code what a person would read. With --json, and with " +
    "--follow a line of JSON each, every line with its number.",
  examples: [
    "conclaude agent output 1a2b3c4d --follow",
    "conclaude agent output 1a2b3c4d --since 120 --json",
  ],
  async run(context, flags, text) {
    const { db, place } = await openStore(context, "read");
    const task = readAgent(db, agentIdOf(db, text)) === undefined
      ? readTask(db, taskIdOf(db, text))
      : undefined;
    if (task !== undefined) return ofTask(db, { taskId: task.id, flags, place });
    const agent = needAgent(db, agentIdOf(db, text));
    if (flags.follow) return await follow(context, { db, agent, flags, place });
    const { lines, lastSeq } = readOutputPage(pathOf(agent, place), {
      since: flags.since ?? 0,
      limit: flags.limit ?? Infinity,
    });
    return {
      json: { agentId: agent.id, taskId: agent.taskId, lines, lineCount: lines.length, lastSeq },
      text: speaker(flags)(lines).join("\n"),
    };
  },
});

type OutputFlags = {
  readonly since?: number;
  readonly limit?: number;
  readonly follow: boolean;
  readonly raw: boolean;
};

/** How often somebody who follows an agent looks whether it has written more, in milliseconds. */
const LOOK_MS = 200;

type Line = Omit<OutputLine, "next">;

/** The lines of all agents of a task, the oldest agent first; numbers count within each of them. */
function ofTask(
  db: DatabaseSync,
  { taskId, flags, place }: {
    readonly taskId: string;
    readonly flags: OutputFlags;
    readonly place: Place;
  },
): View {
  if (flags.since !== undefined || flags.follow) {
    throw refusal("INVALID_INPUT", {
      what: `Cannot tell which agent of task ${taskId} is meant`,
      why: "lines are numbered for each agent, so --since and --follow need the id of one",
      next: `conclaude agent list --all --task ${taskId}`,
    });
  }
  const limit = flags.limit ?? Infinity;
  const agents = listAgents(db, { taskId, kinds: ["agent", "script"] }).reverse();
  const parts = agents.map((agent) => ({
    agent,
    lines: linesOf(agent, place, { since: 0, limit: Infinity }),
  }));
  const lines = parts
    .flatMap(({ agent, lines }) => lines.map((line) => ({ agentId: agent.id, ...line })))
    .slice(0, limit);
  const shown = parts.flatMap(({ agent, lines }) =>
    flags.raw
      ? speaker(flags)(lines)
      : [plain(`── ${agent.name} (${agent.status})`), ...speaker(flags)(lines)]
  );
  return {
    json: {
      agentId: null,
      taskId,
      lines,
      lineCount: lines.length,
      lastSeq: lines.at(-1)?.seq ?? 0,
    },
    text: shown.slice(0, limit).join("\n"),
  };
}

/** Prints lines as they come, until the agent has ended or there are as many as were wanted. */
async function follow(
  { process, globals }: CliContext,
  { db, agent, flags, place }: {
    readonly db: DatabaseSync;
    readonly agent: Agent;
    readonly flags: OutputFlags;
    readonly place: Place;
  },
): Promise<View> {
  let since = flags.since ?? 0;
  let left = flags.limit ?? Infinity;
  const say = speaker(flags);
  for (let bytes = -1; left > 0;) {
    // Read first: the last output is there before the end is written down.
    const now = needAgent(db, agent.id);
    const size = sizeOf(now, place);
    if (size !== bytes) {
      bytes = size;
      const lines = linesOf(now, place, { since, limit: left });
      const shown = globals.json ? lines.map((line) => JSON.stringify(line)) : say(lines);
      if (shown.length > 0) process.stdout.write(shown.join("\n") + "\n");
      since = lines.at(-1)?.seq ?? since;
      left -= lines.length;
    } else if (now.endedAtMs !== null) break;
    else await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return { json: undefined, text: "" };
}

function pathOf({ outputFile, id }: Agent, { database }: Place): string {
  return outputFile ?? agentFiles(database, id).output;
}

function sizeOf(agent: Agent, place: Place): number {
  try {
    return Deno.statSync(pathOf(agent, place)).size;
  } catch {
    return 0;
  }
}

function linesOf(
  agent: Agent,
  place: Place,
  wanted: { readonly since: number; readonly limit: number },
): Line[] {
  return readOutput(pathOf(agent, place), wanted).map(({ next: _, ...line }) => line);
}

/** Turns pages of output into text for people: each thing that the agent said, once; or the lines as written. */
function speaker({ raw }: Pick<OutputFlags, "raw">): (lines: readonly Line[]) => string[] {
  if (raw) return (lines) => lines.map(({ data }) => data);
  let last: string | null = null;
  return (lines) =>
    lines.flatMap(({ stream, data }) => {
      const { text, isResult } = stream === "stdout"
        ? readAgentLine(data)
        : { text: data, isResult: false };
      // A result repeats the text before it.
      if (text === null || (isResult && text.trim() === last?.trim())) return [];
      last = text;
      return text.split("\n").map(plain);
    });
}
