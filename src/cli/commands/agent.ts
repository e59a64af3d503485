import type { ListFlags } from "../actions/agent.ts";
import type { OutputFlags } from "../actions/agent_output.ts";
import { command, group, someText, wholeNumber } from "../command.ts";
import type { ByFlag } from "../task_lookup.ts";
import { AGENT_FLAG, LIMIT_FLAG, switchFlag, textFlag, wordsFlag } from "./task_flags.ts";

type Id = [id: string];

const load = () => import("../actions/agent.ts");

const ONE_AGENT = {
  kind: "tuple",
  parameters: [{
    parse: someText,
    brief: "The agent, by its id, or 4 or more characters of its beginning or end",
    placeholder: "id",
  }],
} as const;

/** `conclaude agent …` */
export const agent = group({
  verbs: {
    list: command<ListFlags>({
      load: async () => (await load()).listAll,
      parameters: {
        flags: {
          status: wordsFlag(
            "Only with this status: starting, running, completed, failed, killed; a comma is or",
            "status",
          ),
          kind: wordsFlag("Only of this kind: agent, script, subagent; a comma is or", "kind"),
          task: textFlag("Only of this task", "id"),
          session: textFlag("Only of this session, by its id", "id"),
          all: switchFlag("Also those that have ended"),
          limit: LIMIT_FLAG,
        },
      },
      brief: "List agents",
      about:
        "Lists the agents and scripts that work for tasks, and the sub-agents of sessions, the newest first.",
      examples: ["conclaude agent list", "conclaude agent list --all --task 1a2b3c4d --json"],
    }),
    show: command<Readonly<Record<never, never>>, Id>({
      load: async () => (await load()).showAgent,
      parameters: { positional: ONE_AGENT, flags: {} },
      brief: "Show an agent",
      about: "Shows an agent: what it works for, its process, and how it ended.",
      examples: ["conclaude agent show 1a2b3c4d"],
    }),
    output: command<OutputFlags, Id>({
      load: async () => (await import("../actions/agent_output.ts")).showOutput,
      parameters: {
        positional: {
          kind: "tuple",
          parameters: [{
            ...ONE_AGENT.parameters[0],
            brief: "The agent, or a task: then the output of all its agents, the oldest first",
          }],
        },
        flags: {
          since: {
            kind: "parsed",
            parse: wholeNumber(0, Number.MAX_SAFE_INTEGER),
            optional: true,
            brief: "Only lines after the one with this number",
            placeholder: "seq",
          },
          limit: {
            kind: "parsed",
            parse: wholeNumber(1, Number.MAX_SAFE_INTEGER),
            optional: true,
            brief: "How many lines at most",
            placeholder: "n",
          },
          follow: switchFlag("Go on until the agent has ended"),
          raw: switchFlag("As it was written, instead of what is said in it"),
        },
      },
      brief: "Show what an agent has written",
      about:
        "Shows what an agent has written; of the JSON of Claude Code what a person would read. With --json, and with " +
        "--follow a line of JSON each, every line with its number.",
      examples: [
        "conclaude agent output 1a2b3c4d --follow",
        "conclaude agent output 1a2b3c4d --since 120 --json",
      ],
    }),
    kill: command<ByFlag & { readonly reason?: string }, Id>({
      load: async () => (await load()).kill,
      parameters: {
        positional: ONE_AGENT,
        flags: { reason: textFlag("Why"), agentId: AGENT_FLAG },
      },
      brief: "End an agent",
      about: "Ends an agent with all processes that it has started; those that do not leave in " +
        "`orchestration.killGraceSeconds` are made to. Its workflow is blocked then: " +
        "`conclaude workflow retry` runs the step again.",
      examples: ["conclaude agent kill 1a2b3c4d --reason 'it runs in circles'"],
    }),
  },
  brief: "Processes that work for tasks, and sub-agents of sessions",
  examples: ["conclaude agent list", "conclaude agent output 1a2b3c4d --follow"],
});
