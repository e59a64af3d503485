/** Builds that run the tests of a project as one of their phases: when they pass, the tests have. */
import type { Observed } from "../observation.ts";
import { whyNoTests } from "./no_tests.ts";
import { readTestRun } from "./test_runs.ts";
import { passedTargets } from "./test_target.ts";
import type { Run } from "./told_command.ts";

/** Programs that have such phases. */
const WITH_PHASES = /\b(?:gradlew?|mvnw?)\b/;

/** What a command tells that is no command of tests, with the tests that it has taken. */
export function withTestsWithin(told: Observed, run: Run): Observed {
  if (told.kind !== "command" || told.mends === null || !WITH_PHASES.test(run.command)) return told;
  const passes = passedTargets(run.commands, false).filter(({ runner, widening }) =>
    WITH_PHASES.test(runner) && widening.includes("test")
  );
  const counted = passes.length === 0 ? null : readTestRun(run.output);
  if (passes.length === 0 || whyNoTests(run, counted) !== null) return told;
  return { ...told, passes, ...(counted === null ? {} : { taken: counted }) };
}
