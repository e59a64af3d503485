/**
 * `deno task bench:client [--runs N] [--before EXECUTABLE] [--delay MS] [--json]`: what a person waits for hooks, with
 * the real client and a model that answers after a tenth of a second: faster than any, yet what nobody waits for has an
 * end by then. With `--delay 0` each use also bears what the one before has left running. The same session runs without hooks, with those of this program, and with those of an
 * earlier one, in turns. Between two requests to the model lie the tool and its hooks: that time is compared.
 */
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { UserError } from "../../src/base/errors.ts";
import { runTask } from "../../src/build/run_deno.ts";
import { findClaude, findExecutable, HARNESS, reasonToSkip, say, use } from "../client/harness.ts";
import { copyAnew } from "../support/executables.ts";
import { textOf } from "../support/look.ts";
import { median } from "./measure.ts";
import { tempFolder } from "../support/folders.ts";

const WARM_UPS = 2;
const TOOLS = ["Read", "Edit", "Bash"] as const;
/** How many milliseconds hooks may add to one use. */
const BUDGETS: Readonly<Record<typeof TOOLS[number], number>> = { Read: 12, Edit: 50, Bash: 90 };
/** How much of the earlier program's sum this one's may be. */
const BUDGET_OF_SUM = 0.45;
const ROUNDS = 10;

/** Three reads, an edit and a command, ten times. */
const FILE = "{{PROJECT}}/notes.txt";
const USES = Array.from({ length: ROUNDS }, (_, round) => [
  ...Array.from({ length: 3 }, () => use("Read", { file_path: FILE })),
  use("Edit", { file_path: FILE, old_string: `line ${round}.`, new_string: `Line ${round}!` }),
  use("Bash", { command: `echo ${round}`, description: "Say a number" }),
]).flat();
const NAMES = USES.map(({ content }) => content[0]?.name);

/** One way to work, and where its runs lie. */
interface Setting {
  readonly name: string;
  readonly folder: string;
  /** Null without hooks. */
  readonly executable: string | null;
}

/** What the uses of one run took, in milliseconds. */
async function run(
  { folder, executable }: Setting,
  round: number,
  delay_ms: number,
): Promise<number[]> {
  const project = join(folder, "project");
  await Deno.mkdir(project, { recursive: true });
  const lines = Array.from({ length: ROUNDS }, (_, line) => `line ${line}.\n`);
  await Deno.writeTextFile(join(project, "notes.txt"), lines.join(""));
  const user = join(folder, "user");
  const settings = join(user, ".claude", "settings.json");
  await Deno.mkdir(join(user, ".claude"), { recursive: true });
  await Deno.writeTextFile(settings, "{}\n");
  // As a person does it, whose shell finds the client: its version decides how hooks are started.
  const path = `${dirname(await findClaude(folder))}:${Deno.env.get("PATH")}`;
  if (executable !== null) await finish(executable, ["install-hooks"], { HOME: user, PATH: path });
  const script = join(folder, "scenario.json");
  await Deno.writeTextFile(
    script,
    JSON.stringify({
      threads: [{ steps: [...USES.map((step) => ({ ...step, delay_ms })), say("All done.")] }],
    }),
  );
  const out = join(folder, `run-${round}`);
  await finish("bash", [join(HARNESS, "run.sh"), settings, script, project], {
    HARNESS_OUT: out,
    HARNESS_HOME: join(folder, "home"),
    CLAUDE_BIN: Deno.env.get("CLAUDE_BIN") ?? "",
    SHELL: "/bin/bash",
  });
  const asked = textOf(join(out, "api.jsonl")).trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ who, step }) => who !== "side" && step !== undefined)
    .map(({ t_ms }) => Number(t_ms)).slice(-USES.length - 1);
  await Deno.remove(out, { recursive: true });
  if (asked.length <= USES.length) throw new Error(`the model was asked ${asked.length} times`);
  return USES.map((_, at) => asked[at + 1]! - asked[at]! - delay_ms);
}

async function finish(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { success, stdout, stderr } = await new Deno.Command(program, {
    args: [...args],
    env,
    stdin: "null",
  }).output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  if (!success) throw new Error(`${program} failed: ${text(stderr)}${text(stdout)}`);
}

/** The medians over all runs: of one use of a tool, and of the whole session. */
function figuresOf(runs: readonly (readonly number[])[]) {
  const ofTool = (tool: string) =>
    median(runs.map((times) => median(times.filter((_, at) => NAMES[at] === tool))));
  const sum = median(runs.map((times) => times.reduce((all, one) => all + one, 0)));
  return { ...Object.fromEntries(TOOLS.map((tool) => [tool, ofTool(tool)])), sum } as
    & Record<typeof TOOLS[number], number>
    & { readonly sum: number };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "10" },
      before: { type: "string" },
      delay: { type: "string", default: "100" },
      json: { type: "boolean", default: false },
    },
  });
  const missing = reasonToSkip();
  if (missing !== null) {
    throw new UserError("Cannot measure the real client", {
      why: missing,
      next: "deno task bench measures the hooks alone",
    });
  }
  using folder = tempFolder();

  const setting = async (name: string, from: string | null): Promise<Setting> => {
    const own = join(folder.path, name);
    await Deno.mkdir(own);
    const executable = from === null ? null : join(own, "conclaude");
    if (executable !== null) await Deno.copyFile(from!, executable);
    return { name, folder: own, executable };
  };
  const settings = [
    await setting("none", null),
    await setting("now", await findExecutable(folder.path)),
    ...values.before === undefined ? [] : [await setting("before", values.before)],
  ];
  await copyAnew(settings.flatMap(({ executable }) => executable ?? []));
  const runs = Math.max(1, Math.trunc(Number(values.runs)) || 0);
  const times = new Map<string, number[][]>(settings.map(({ name }) => [name, []]));
  for (let round = 0; round < WARM_UPS + runs; round++) {
    for (const one of settings) {
      const measured = await run(one, round, Math.max(0, Number(values.delay) || 0));
      if (round >= WARM_UPS) times.get(one.name)!.push(measured);
    }
  }
  const figures = Object.fromEntries([...times].map(([name, runs]) => [name, figuresOf(runs)]));
  if (values.json) return console.log(JSON.stringify({ runs, figures }, null, 2));
  console.log(report(figures, runs));
}

function report(figures: Readonly<Record<string, ReturnType<typeof figuresOf>>>, runs: number) {
  const { none, now, before } = figures;
  const verdict = (isMet: boolean) => isMet ? "met" : "MISSED";
  const added = (tool: typeof TOOLS[number] | "sum") => now![tool] - none![tool];
  const lines = TOOLS.map((tool) =>
    `${tool.padEnd(5)} +${added(tool).toFixed(1)} ms over ${none![tool].toFixed(1)} without hooks` +
    (before === undefined ? "" : `, before +${(before[tool] - none![tool]).toFixed(1)}`) +
    `; at most +${BUDGETS[tool]}: ${verdict(added(tool) <= BUDGETS[tool])}`
  );
  lines.push(`sum   +${added("sum").toFixed(0)} ms over ${none!.sum.toFixed(0)}`);
  if (before !== undefined) {
    const ratio = added("sum") / (before.sum - none!.sum);
    lines.push(
      `      ${ratio.toFixed(3)} of the earlier program's +${
        (before.sum - none!.sum).toFixed(0)
      }; ` +
        `at most ${BUDGET_OF_SUM}: ${verdict(ratio <= BUDGET_OF_SUM)}`,
    );
  }
  return [...lines, `Medians of ${runs} runs in turns, after ${WARM_UPS} warm-ups.`].join("\n");
}

if (import.meta.main) await runTask(main);
