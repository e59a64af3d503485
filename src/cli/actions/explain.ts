import type { CliContext } from "../context.ts";
import { policyOf } from "../policy.ts";
import { explainRules, explanationText } from "../rule_table.ts";
import type { View } from "../view.ts";

/** The field of a tool's input that a plain text stands for. */
const PLAIN_FIELDS: ReadonlyMap<string, string> = new Map([
  ["Bash", "command"],
  ["NotebookEdit", "notebook_path"],
]);

/** `conclaude explain TOOL INPUT` */
export async function explainUse(
  context: CliContext,
  flags: { readonly agent: string },
  tool: string,
  input: string,
): Promise<View> {
  const { policy, projectDir } = await policyOf(context);
  const use = {
    tool,
    input: inputOf(tool, input),
    agent: flags.agent,
    folder: context.cwd,
    projectDir,
    home: context.locations.home,
  };
  if (policy === null) {
    return {
      json: { decision: "allow", rules: [], doubts: [] },
      text: "Allowed: there are no rules here. `conclaude config init` begins some.",
    };
  }
  const explanation = await explainRules(policy, use);
  const { blocks, doubts } = explanation.verdict;
  const denied = blocks.length > 0;
  return {
    json: { decision: denied ? "deny" : "allow", blocks, doubts, rules: explanation.sayings },
    text: [denied ? "Denied." : "Allowed.", explanationText(explanation, context.globals)].join(
      "\n",
    ),
    exitCode: denied ? 1 : 0,
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
