import { SHELL_TOOLS } from "../claude/payload.ts";
import { TOOLS } from "../claude/tool_names.ts";
import type { HookConfig } from "../config/hook_config.ts";
import { findRepository, lookUpwards } from "../system/git/repository.ts";
import { MAIN_AGENT } from "../policy/guards/guard_policy.ts";
import { policiesIn } from "../policy/policies.ts";
import { transcriptNear } from "../db/sessions.ts";
import { proposing, switchOn, text, textFlag, usually } from "../operations/flags.ts";
import { heldText, sourcesOfRules } from "../operations/look_as_hook.ts";
import { quietly } from "../base/errors.ts";
import { shortPaths } from "../base/paths.ts";
import { nearestWords } from "../base/likeness.ts";
import { sessionOrNone } from "../operations/requirements_here.ts";
import { decidingOf, eventOf, explanationText, tryEvent } from "./dry_run.ts";
import { usageError } from "../operations/usage.ts";
import { verb } from "../operations/verb.ts";

export const explain = verb({
  args: [
    proposing(TOOLS, text("The tool: Bash, Edit, Write …", "tool")),
    textFlag("The command, the file, or the tool's whole input as JSON", "input"),
  ],
  flags: {
    agent: usually("main", text("As if this agent asked: main, or the type of a subagent", "name")),
    all: switchOn("Also the rules that decide nothing here"),
    session: proposing(
      "session",
      textFlag("As if this session asked, by its id or the beginning of it", "id"),
    ),
  },
  async run(context, { agent, session, all }, tool, input) {
    const { cwd, environment, locations: { home } } = context;
    const trial = await tryEvent(context, cwd, async (db, policy) => {
      const asking = { named: session, command: "explain" };
      const { sessionId: session_id } = await sessionOrNone(db, context, asking);
      const repository = findRepository(lookUpwards(cwd))?.commonDir ?? null;
      const sent = {
        session_id,
        transcript_path: db && transcriptNear(db, { repository, sessionId: session_id }),
        cwd,
        tool_name: tool,
        tool_input: inputOf(tool, input ?? ""),
        ...(agent === MAIN_AGENT ? {} : { agent_id: agent, agent_type: agent }),
      };
      const made = { kind: "event", fields: sent, text: "", cutBytes: 0 } as const;
      return eventOf(made, "PreToolUse", { home, environment, projectDir: policy?.root ?? cwd });
    });
    const { config, sayings, verdict: { blocks, doubts }, isLifted } = trial;
    refuseUnknownTool(tool, config);
    if (input === undefined) {
      throw usageError("Missing argument: input", {
        why: `${tool} is explained with what it would be given`,
        next: "conclaude explain --help",
      });
    }
    if (config.problems > 0) {
      const keys = config.problemKeys.join(", ");
      context.process.stderr.write(
        `The configuration has problems, in ${keys}: run \`conclaude config validate\`.\n`,
      );
    }
    context.process.stderr.write(heldText(config));
    const decision = trial.decision ?? "allow";
    const lifted = isLifted ? "Allowed: a person has lifted the rules." : null;
    const result = lifted ?? (decision === "deny" ? "Denied." : "Allowed.");
    const sourceOf = await sourcesOfRules(context);
    const rules = sayings.map((one) => ({ ...one, source: sourceOf(one.rule) }));
    const placeOf = (rule: string) => {
      const source = sourceOf(rule);
      if (source === "default") return "built in";
      return `set in ${shortPaths(source, { folder: cwd, home })}`;
    };
    return {
      json: { decision, blocks, doubts, deciding: decidingOf(rules), rules },
      text: sayings.length === 0
        ? "Allowed: there are no rules here. `conclaude config init` begins some."
        : [result, explanationText(trial, { all, placeOf })].join("\n"),
      exitCode: decision === "deny" ? 1 : 0,
    };
  },
});

/** Returns a tool's input from JSON, or from a plain text for the command or the file. */
function inputOf(tool: string, text: string): unknown {
  // A text that is not JSON is a command: `{ echo a; }`.
  const value = text.trimStart().startsWith("{") ? quietly(() => JSON.parse(text)) : undefined;
  if (value !== undefined) return value;
  if (SHELL_TOOLS.has(tool)) return { command: text };
  return { [tool === "NotebookEdit" ? "notebook_path" : "file_path"]: text };
}

/** @throws {UserError} When no rule names the tool, and neither Claude Code nor an MCP server has it. */
function refuseUnknownTool(tool: string, config: HookConfig): void {
  const named = namedTools(config);
  if (TOOLS.includes(tool) || tool.startsWith("mcp__") || named.some((is) => is.test(tool))) return;
  const byLetters = new Map(TOOLS.map((name) => [name.toLowerCase(), name]));
  const near = nearestWords(tool, [...byLetters.keys()]).map((name) => byLetters.get(name)!);
  throw usageError(`Unknown tool "${tool}"`, {
    why: near.length > 0
      ? `did you mean ${near.map((name) => `"${name}"`).join(" or ")}?`
      : "no tool of this name is known; there are Bash, Edit, Write, Read, `mcp__SERVER__TOOL`",
    next: near.length === 1 ? `conclaude explain ${near[0]} INPUT` : "conclaude explain --help",
  });
}

/** Returns patterns of the tools that rules and requirements name, without patterns that match every tool. */
function namedTools(config: HookConfig): RegExp[] {
  const { guards: policy, requirements: required } = policiesIn(config);
  const aimed = [
    ...policy?.rules ?? [],
    ...required?.requirements.flatMap(({ triggers }) => triggers) ?? [],
  ].filter(({ tool }) => !/^\*+$/.test(tool))
    .map(({ tool, toolPattern }) => toolPattern ?? `^${RegExp.escape(tool)}$`);
  const permitted = (policy?.permission ?? []).filter(({ glob }) => !/^\**$/.test(glob))
    .map(({ pattern }) => pattern);
  return [...aimed, ...permitted].map((source) => new RegExp(source, "s"));
}
