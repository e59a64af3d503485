/** A PreToolUse that is judged by many rules, against an empty compiled program of the same runtime. */
import { join } from "node:path";
import { observed } from "../support/program.ts";
import type { Bench, BenchContext, Figure } from "./bench.ts";
import { emptyWorkplace, type Workplace } from "./fixture.ts";
import { againstEmpty, hookSubject } from "./hooks.ts";
import { timeOnce } from "./measure.ts";

const FILE_RULES = 100;
const COMMAND_RULES = 50;

/** An Edit that no rule is about. */
export const gate: Bench = {
  name: "gate",
  about: "PreToolUse, 150 rules, nothing matching / empty program",
  budget: 1.12,
  measure: (context) =>
    measureGate(context, { tool_name: "Edit", tool_input: { file_path: "src/tide.ts" } }),
};

/** An Edit that the last rule forbids. */
export const deniedGate: Bench = {
  name: "gate-denied",
  about: "PreToolUse, 150 rules, denied / empty program",
  budget: 1.15,
  measure: (context) =>
    measureGate(context, {
      tool_name: "Edit",
      tool_input: { file_path: `pkg${FILE_RULES - 1}/generated/deep/a.gen${FILE_RULES - 1}.ts` },
    }),
};

/** A shell command that has to be taken apart. */
export const commandGate: Bench = {
  name: "gate-command",
  about: "PreToolUse, a Bash command taken apart / empty program",
  budget: 1.3,
  measure: (context) =>
    measureGate(context, {
      tool_name: "Bash",
      tool_input: {
        command: `cd src && grep -rn "tide" . | sort > /tmp/found.txt && npm test -- --watch=false`,
      },
    }),
};

async function measureGate(
  context: BenchContext,
  use: Readonly<Record<string, unknown>>,
): Promise<Figure> {
  const place = await guardedWorkplace(context.folder);
  const payload = {
    ...observed("PreToolUse.Edit", { HOME: place.home, PROJECT: place.project }),
    ...use,
    session_id: place.env["CLAUDE_CODE_SESSION_ID"],
  };
  const subject = hookSubject(context.program, place, () => payload);
  // Once before: the configuration is in the cache then.
  await timeOnce(subject);
  return await againstEmpty(context, subject);
}

/** A project with 100 rules about files and 50 about commands. */
async function guardedWorkplace(folder: string): Promise<Workplace> {
  const place = await emptyWorkplace(folder);
  const files = Array.from(
    { length: FILE_RULES },
    (_, i) => `    - "pkg${i}/generated/**/*.gen${i}.ts"`,
  );
  const commands = Array.from(
    { length: COMMAND_RULES },
    (_, i) => `    - {tool: Bash, commandPattern: "tool${i} deploy --prod*", action: block}`,
  );
  const lines = [
    "preToolUse:",
    "  uneditableFiles:",
    ...files,
    "  toolUsageValidation:",
    ...commands,
  ];
  await Deno.writeTextFile(join(place.project, ".conclaude.yaml"), `${lines.join("\n")}\n`);
  return place;
}
