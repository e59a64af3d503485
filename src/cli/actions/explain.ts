import { SHELL_TOOLS } from "../../capture/payload.ts";
import { findRepository, lookUpwards } from "../../git/repository.ts";
import { MAIN_AGENT } from "../../guard/guard_policy.ts";
import type { CliContext } from "../context.ts";
import { transcriptNear } from "../../store/sessions.ts";
import { refuseUnknownTool } from "../known_tools.ts";
import { sessionIdOrNone } from "../requirements_here.ts";
import { explanationText } from "../rule_table.ts";
import { usageError } from "../usage.ts";
import { tryEvent } from "../tried_event.ts";
import type { View } from "../view.ts";

/** The field of a tool's input that a plain text stands for. */
const PLAIN_FIELDS: ReadonlyMap<string, string> = new Map([
  ...[...SHELL_TOOLS].map((tool) => [tool, "command"] as const),
  ["NotebookEdit", "notebook_path"],
]);

/** `conclaude explain TOOL INPUT`: a PreToolUse, made up and tried. */
export async function explainUse(
  context: CliContext,
  { agent, session }: { readonly agent: string; readonly session?: string },
  tool: string,
  input?: string,
): Promise<View> {
  const { madeUp } = await import("../../hook/dry_run.ts");
  const { cwd, environment, locations: { home } } = context;
  const trial = await tryEvent(context, cwd, async (db, policy) => {
    const session_id = await sessionIdOrNone(db, context, session);
    const repository = findRepository(lookUpwards(cwd))?.commonDir ?? null;
    const sent = {
      session_id,
      transcript_path: db && transcriptNear(db, { repository, sessionId: session_id }),
      cwd,
      tool_name: tool,
      tool_input: inputOf(tool, input ?? ""),
      ...(agent === MAIN_AGENT ? {} : { agent_id: agent, agent_type: agent }),
    };
    return madeUp(sent, { home, environment, projectDir: policy?.root ?? cwd });
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
    context.process.stderr.write(
      `The configuration has problems, in ${
        config.problemKeys.join(", ")
      }: run \`conclaude config validate\`.\n`,
    );
  }
  const decision = trial.decision ?? "allow";
  const result = isLifted
    ? "Allowed: a person has lifted the rules."
    : decision === "deny"
    ? "Denied."
    : "Allowed.";
  return {
    json: { decision, blocks, doubts, rules: sayings },
    text: sayings.length === 0
      ? "Allowed: there are no rules here. `conclaude config init` begins some."
      : [result, explanationText(trial, context.globals)].join("\n"),
    exitCode: decision === "deny" ? 1 : 0,
  };
}

function inputOf(tool: string, text: string): unknown {
  if (text.trimStart().startsWith("{")) {
    try {
      return JSON.parse(text);
    } catch {
      // A command may begin like that: `{ echo a; }`.
    }
  }
  return { [PLAIN_FIELDS.get(tool) ?? "file_path"]: text };
}
