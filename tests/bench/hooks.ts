/** A hook's whole process against an empty compiled program of the same runtime. */
import { copyAnew } from "../support/executables.ts";
import { observed } from "../support/program.ts";
import type { Bench, BenchContext, Figure } from "./bench.ts";
import { emptyWorkplace, type Workplace } from "./fixture.ts";
import { compare, type Subject, timeOnce } from "./measure.ts";

/** A PostToolUse of an Edit, 12.8 kB, into a database of 100,000 rows. */
export const capture = besideEmpty({
  name: "capture",
  about: "PostToolUse (Edit, 12.8 kB, 100,000 rows) / empty program",
  budget: 1.08,
}, async ({ program, usedWorkplace }) => captureSubject(program, await usedWorkplace()));

/** A SessionStart that finds earlier sessions of the project, and another one that runs. */
export const sessionStart = besideEmpty({
  name: "session-start",
  about: "SessionStart (50 sessions in the project) / empty program",
  budget: 1.15,
}, async ({ program, usedWorkplace }) => {
  const place = await usedWorkplace();
  const payload = payloadOf("SessionStart.startup", place);
  return hookSubject(program, place, () => ({ ...payload, session_id: crypto.randomUUID() }));
});

/** A Stop that continues a stopped one: it leaves before anything is opened. */
export const continuedStop = besideEmpty({
  name: "continued-stop",
  about: "Stop with stop_hook_active / empty program",
  budget: 0.97,
}, async ({ folder, program }) => {
  const place = await emptyWorkplace(folder);
  const payload = { ...payloadOf("Stop", place), stop_hook_active: true };
  return hookSubject(program, place, () => payload);
});

/** The version alone, which nothing has to be loaded for. */
export const version = besideEmpty(
  { name: "version", about: "conclaude --version / empty program", budget: 1.1 },
  async ({ folder, program }) => verbSubject(program, await emptyWorkplace(folder), "--version"),
);

/** A bench of one process against the empty program. */
export function besideEmpty(
  facts: Omit<Bench, "measure">,
  subjectOf: (context: BenchContext) => Promise<Subject>,
): Bench {
  return { ...facts, measure: async (context) => againstEmpty(context, await subjectOf(context)) };
}

/** A verb, as a person or an agent starts it in a project. */
export function verbSubject(
  command: string,
  { env, project }: Workplace,
  ...args: readonly string[]
): Subject {
  return { command, args, env, cwd: project, stdin: () => "" };
}

/** One hook, as Claude Code would start it in this place. */
export function hookSubject(
  program: string,
  place: Workplace,
  payload: () => Record<string, unknown>,
): Subject {
  return {
    command: program,
    args: ["hook", String(payload()["hook_event_name"])],
    env: place.env,
    cwd: place.project,
    stdin: () => `${JSON.stringify(payload())}\n`,
  };
}

/** {@linkcode hookSubject} for an Edit of a file of 6 kB: 12.8 kB of payload, another tool use each time. */
export function captureSubject(program: string, place: Workplace): Subject {
  let count = 0;
  return hookSubject(program, place, () => editPayload(place, ++count));
}

function payloadOf(name: string, place: Workplace): Record<string, unknown> {
  const payload = observed(name, { HOME: place.home, PROJECT: place.project });
  return { ...payload, session_id: place.env["CLAUDE_CODE_SESSION_ID"] };
}

function editPayload(place: Workplace, number: number): Record<string, unknown> {
  const path = `${place.project}/src/tide.ts`;
  const oldString = SOURCE.slice(0, 1_200);
  const newString = oldString.replaceAll("minute", "minuteOfDay");
  return {
    ...payloadOf("PostToolUse.Edit", place),
    tool_use_id: `toolu_${String(number).padStart(24, "0")}`,
    tool_input: { file_path: path, old_string: oldString, new_string: newString },
    tool_response: {
      filePath: path,
      oldString,
      newString,
      originalFile: SOURCE,
      structuredPatch: [],
      userModified: false,
      replaceAll: false,
    },
  };
}

/** 6 kB of source text. */
const SOURCE = Array.from(
  { length: 90 },
  (_, i) => `  const height${i} = heightAt(minute + ${i * 15}, before, after); // each quarter\n`,
).join("").slice(0, 6_200);

/**
 * The figure is against the empty program as `deno compile` makes it; the detail also tells of the one with our flags.
 *
 * @param before Run before every run of either, and not timed.
 */
export async function againstEmpty(
  context: BenchContext,
  subject: Subject,
  before?: Subject,
): Promise<Figure> {
  const prepared = async (timed: Subject) => {
    if (before !== undefined) await timeOnce(before);
    return await timeOnce(timed);
  };
  const against = async (command: string) => {
    await copyAnew([subject.command, command]);
    subject.onCopied?.();
    return await compare(
      () => prepared(subject),
      () => prepared({ ...subject, command, args: [] }),
      context.runs,
    );
  };
  const { ratio, subjectMs, baselineMs } = await against(context.empty);
  const { ratio: withFlags } = await against(context.emptyWithFlags);
  return {
    value: ratio,
    detail: `${subjectMs.toFixed(1)} ms / ${baselineMs.toFixed(1)} ms; ${
      withFlags.toFixed(3)
    } with our flags in both`,
  };
}

const TOGETHER = 10;

/** Ten captures that are started together: they share the machine and wait for each other's write. */
export const parallel: Bench = {
  name: "parallel",
  about: "ten captures at once / one capture",
  budget: 6,
  async measure({ folder, program, runs }) {
    const subject = captureSubject(program, await emptyWorkplace(folder));
    const together = async () => {
      const started = performance.now();
      await Promise.all(Array.from({ length: TOGETHER }, () => timeOnce(subject)));
      return performance.now() - started;
    };
    const { ratio, subjectMs, baselineMs } = await compare(together, () => timeOnce(subject), runs);
    return {
      value: ratio,
      detail: `${subjectMs.toFixed(1)} ms / ${baselineMs.toFixed(1)} ms`,
    };
  },
};
