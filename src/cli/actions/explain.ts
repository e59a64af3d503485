import type { CliContext } from "../context.ts";
import type { AskedUse } from "../../gate/judge.ts";
import { peek } from "../policy.ts";
import { explainRequirements } from "../requirement_table.ts";
import { sessionIdOrNone } from "../requirements_here.ts";
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
  flags: { readonly agent: string; readonly session?: string },
  tool: string,
  input: string,
): Promise<View> {
  const folder = context.cwd;
  const { config, policy, found: required } = await peek(
    context,
    folder,
    async (db, config, policy) => {
      const sessionId = await sessionIdOrNone(db, context, flags.session);
      const use = useOf(context, flags.agent, { tool, input, projectDir: policy?.root ?? folder });
      return await explainRequirements({ config, policy }, use, { db, folder, sessionId });
    },
  );
  if (config.problems > 0) {
    context.process.stderr.write(
      `The configuration has problems, in ${
        config.problemKeys.join(", ")
      }: run \`conclaude config validate\`.\n`,
    );
  }
  const use = useOf(context, flags.agent, { tool, input, projectDir: policy?.root ?? folder });
  if (policy === null) {
    return {
      json: { decision: "allow", rules: [], doubts: [] },
      text: "Allowed: there are no rules here. `conclaude config init` begins some.",
    };
  }
  const guards = await explainRules(policy, use);
  const { doubts } = guards.verdict;
  const blocks = [...guards.verdict.blocks, ...required.blocks];
  const denied = blocks.length > 0;
  const explanation = { ...guards, sayings: [...guards.sayings, ...required.sayings] };
  return {
    json: { decision: denied ? "deny" : "allow", blocks, doubts, rules: explanation.sayings },
    text: [denied ? "Denied." : "Allowed.", explanationText(explanation, context.globals)].join(
      "\n",
    ),
    exitCode: denied ? 1 : 0,
  };
}

function useOf(
  { cwd, locations }: CliContext,
  agent: string,
  asked: { readonly tool: string; readonly input: string; readonly projectDir: string },
): AskedUse {
  const { tool, input, projectDir } = asked;
  return {
    tool,
    input: inputOf(tool, input),
    agent,
    folder: cwd,
    projectDir,
    home: locations.home,
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
