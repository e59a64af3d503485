import { judgeUse } from "../../gate/judge.ts";
import { rulesOf, type SingleRule } from "../../guard/explain.ts";
import type { Verdict } from "../../guard/policy.ts";
import type { CliContext } from "../context.ts";
import { policyOf } from "../policy.ts";
import { tableText } from "../table.ts";
import type { View } from "../view.ts";

/** What one rule says. */
interface Saying {
  readonly rule: string;
  readonly glob: string;
  readonly says: "forbids" | "cannot tell" | "does not match";
  readonly why: string;
}

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
  const { blocks, doubts } = await judgeUse(policy, use);
  const sayings: Saying[] = [];
  for (const rule of rulesOf(policy)) {
    sayings.push(sayingOf(rule, await judgeUse(rule.alone, use)));
  }
  const denied = blocks.length > 0;
  const table = tableText(sayings, [
    { title: "RULE", value: ({ rule }) => rule },
    { title: "SAYS", value: ({ says }) => says },
    { title: "WHY", value: ({ why, glob }) => why || glob },
  ], { empty: "No rules.", color: context.globals.color });
  const unsure = doubts.map((doubt) => `  not known before it runs: ${doubt}`);
  return {
    json: { decision: denied ? "deny" : "allow", blocks, doubts, rules: sayings },
    text: [denied ? "Denied." : "Allowed.", ...unsure, "", table].join("\n"),
    exitCode: denied ? 1 : 0,
  };
}

function sayingOf({ name, glob }: SingleRule, { blocks, doubts }: Verdict): Saying {
  const [block] = blocks;
  if (block !== undefined) return { rule: name, glob, says: "forbids", why: block.reason };
  // A doubt that every rule has is told once, above.
  const own = doubts.find((doubt) => doubt.includes("[0]"));
  return own === undefined
    ? { rule: name, glob, says: "does not match", why: "" }
    : { rule: name, glob, says: "cannot tell", why: own.replace(/preToolUse\.\w+\[0\]/, name) };
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
