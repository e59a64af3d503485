/** A PreToolUse that is judged by many rules, against an empty compiled program of the same runtime. */
import { join } from "node:path";
import { THIS_PROCESS } from "../../src/system/environment.ts";
import { parseConfig } from "../support/configuration.ts";
import { type AskedUse, judgeUse } from "../../src/policy/guards/judge_use.ts";
import { requirementsFor } from "../../src/policy/requirements/places.ts";
import { findRepository, lookUpwards } from "../../src/system/git/repository.ts";
import type { GuardPolicy } from "../../src/policy/guards/guard_policy.ts";
import type { RequirementPolicy } from "../../src/policy/requirements/requirement_policy.ts";
import { observed } from "../support/program.ts";
import type { Bench, BenchContext, Figure } from "./bench.ts";
import { emptyWorkplace, type Workplace } from "./fixture.ts";
import { againstEmpty, hookSubject } from "./hooks.ts";
import { timeOnce } from "./measure.ts";

const FILE_RULES = 100;
const COMMAND_RULES = 50;
const REQUIREMENTS = 20;
/** Tool uses that are judged in one process, after as many that are not counted. */
const EVALUATIONS = 3_000;

/** An Edit that no rule is about. */
export const gate: Bench = {
  name: "gate",
  about: "PreToolUse, 150 rules and 20 requirements, nothing matching / empty program",
  budget: 1.12,
  measure: (context) =>
    measureGate(context, { tool_name: "Edit", tool_input: { file_path: "src/tide.ts" } }),
};

/** An Edit that the last rule forbids. */
export const deniedGate: Bench = {
  name: "gate-denied",
  about: "PreToolUse, 150 rules and 20 requirements, denied / empty program",
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

/** A Stop where a project has rules and requirements, and nothing that holds it. */
export const stopGate: Bench = {
  name: "stop",
  about: "Stop, rules and requirements but no commands / empty program",
  budget: 1.12,
  measure: (context) => measureGate(context, {}, "Stop"),
};

/** The rules alone, without a process around them. */
export const evaluation: Bench = {
  name: "evaluation",
  about: "150 rules and 20 requirements judged in one process, p99 in ms",
  budget: 1,
  async measure({ folder }) {
    const place = await guardedWorkplace(folder);
    const path = join(place.project, ".conclaude.yaml");
    const text = await Deno.readTextFile(path);
    const { hook } = parseConfig([{ layer: "project", path, text }]);
    const policy: GuardPolicy = JSON.parse(hook.guards);
    const { requirements }: RequirementPolicy = JSON.parse(hook.requirements);
    const uses = ["src/tide.ts", "docs/a.md", "pkg7/lib/b.ts"].map((file): AskedUse => ({
      tool: "Edit",
      environment: THIS_PROCESS,
      input: { file_path: file },
      gitAliases: new Map(),
      agents: ["main"],
      folder: place.project,
      projectDir: place.project,
      home: place.home,
    }));
    const repository = findRepository(lookUpwards(place.project))!;
    const database = join(place.home, ".conclaude", "conclaude.db");
    // Both are there when a hook judges: it was started by the one, and has opened the other.
    for (const file of [database, join(place.home, ".claude", "settings.json")]) {
      await Deno.mkdir(join(file, ".."), { recursive: true });
      await Deno.writeTextFile(file, "");
    }
    const places = { configFiles: [{ path }], database, repository, environment: THIS_PROCESS };
    const times: number[] = [];
    for (let i = 0; i < 2 * EVALUATIONS; i++) {
      const use = uses[i % uses.length]!;
      const startMs = performance.now();
      await judgeUse(policy, use, places);
      await requirementsFor(requirements, use, repository);
      if (i >= EVALUATIONS) times.push(performance.now() - startMs);
    }
    times.sort((a, b) => a - b);
    const at = (part: number) => times[Math.floor(times.length * part)]!;
    return { value: at(0.99), detail: `p50 ${at(0.5).toFixed(3)} ms` };
  },
};

async function measureGate(
  context: BenchContext,
  use: Readonly<Record<string, unknown>>,
  event = "PreToolUse.Edit",
): Promise<Figure> {
  const place = await guardedWorkplace(context.folder);
  const payload = {
    ...observed(event, { HOME: place.home, PROJECT: place.project }),
    ...use,
  };
  let session_id = crypto.randomUUID();
  const subject = {
    ...hookSubject(context.program, place, () => ({ ...payload, session_id })),
    onCopied: () => {
      session_id = crypto.randomUUID();
    },
  };
  // Once before: the configuration is in the cache then.
  await timeOnce(subject);
  return await againstEmpty(context, subject);
}

/** A project with 100 rules about files, 50 about commands, and 20 requirements about commands. */
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
  const requirements = Array.from(
    { length: REQUIREMENTS },
    (_, i) => `  review${i}: {triggerTools: [{tool: Bash, commandPattern: 'tool${i}\\s+release'}]}`,
  );
  const lines = [
    "requirements:",
    ...requirements,
    "preToolUse:",
    "  uneditableFiles:",
    ...files,
    "  toolUsageValidation:",
    ...commands,
  ];
  await Deno.writeTextFile(join(place.project, ".conclaude.yaml"), `${lines.join("\n")}\n`);
  return place;
}
