/** `conclaude workflow files|preview|match`: list the workflow files, show one, find the one for a task. */
import { plain } from "../../base/plain.ts";
import { placeFault } from "../../work/engine/work_folder.ts";
import { chooseFor, readMatchers } from "../../work/matchers.ts";
import {
  findWorkflowFile,
  listWorkflowFiles,
  lookForWorkflow,
  previewFile,
} from "../../work/engine/workflow_files.ts";
import type { PreviewStep } from "../../work/preview.ts";
import { needTask } from "../../work/store.ts";
import { clearingFlag, proposing, TASK, text } from "../flags.ts";
import { orchestrationOf } from "../orchestration_here.ts";
import { section, tableText } from "../table.ts";
import { homeOfTasks, taskIdOf } from "../work_lookup.ts";
import { nameOf } from "../task_view.ts";
import { readVerb } from "../list_and_show.ts";
import { verb } from "../verb.ts";

export const files = verb({
  run(context) {
    const { projectDir } = homeOfTasks(context);
    const files = listWorkflowFiles(projectDir).map((file) => {
      const { workflow, errors: faults, warnings } = previewFile(file, { projectDir, task: null });
      const { name, path } = file;
      return { name, path, description: workflow?.description ?? null, faults, warnings };
    });
    const text = tableText(context, files, {
      NAME: ({ name }) => name,
      FROM: ({ path }) => path ?? BUILT_IN,
      DESCRIPTION: ({ description }) => description,
    }, "");
    const messagesOf = (of: "faults" | "warnings") =>
      files.flatMap((file) => file[of].map((one) => plain(`${file.name}: ${one}`)));
    const { path, matchers, warnings } = readMatchers(projectDir);
    return {
      json: { files, matchers: { path, names: matchers.map(({ name }) => name), warnings } },
      text: [
        text,
        ...section("Faults", messagesOf("faults")),
        ...section("Warnings", messagesOf("warnings")),
        ...section("Matchers", warnings.map(plain)),
      ].join("\n"),
    };
  },
});

export const preview = readVerb({
  args: [text("The workflow", "name")],
  flags: { task: proposing("task", clearingFlag("Show it for this task", "id")) },
  run({ db, context }, flags, name) {
    const task = flags.task === undefined ? null : needTask(db, taskIdOf(db, flags.task));
    const projectDir = task?.projectDir ?? homeOfTasks(context).projectDir;
    const file = findWorkflowFile(name, projectDir);
    const { workflow, steps, ...notes } = previewFile(file, { projectDir, task });
    const place = { projectDir, home: context.locations.home };
    const fault = workflow === null ? null : placeFault(workflow, place);
    const errors = fault === null ? notes.errors : [...notes.errors, fault];
    const isValid = errors.length === 0;
    const matchers = readMatchers(projectDir).warnings;
    const warnings = [...notes.warnings, ...matchers];
    const lines = [
      `${name}${workflow === null ? "" : `: ${workflow.description}`}`,
      `  from: ${file.path ?? BUILT_IN}`,
      ...steps.flatMap((step) => ["", ...stepLines(step)]),
      ...section("Errors", errors),
      ...notes.warnings.map((warning) => `  warning: ${warning}`),
      ...section("Matchers", matchers),
      "",
      `The workflow ${isValid ? "can" : "cannot"} be run. Nothing was executed.`,
    ];
    return {
      json: {
        preview: { name, path: file.path, description: workflow?.description ?? null, isValid },
        steps: steps.map(({ step: { name, type, when }, ...rest }) => {
          return { name, type, when, ...rest };
        }),
        errors,
        warnings,
      },
      text: lines,
      exitCode: isValid ? 0 : 1,
    };
  },
});

export const match = readVerb({
  args: [TASK],
  run({ db, context }, _flags, text) {
    const task = needTask(db, taskIdOf(db, text));
    const projectDir = task.projectDir ?? homeOfTasks(context).projectDir;
    const config = orchestrationOf(context, projectDir);
    const choice = chooseFor(db, { ...task, projectDir }, config);
    const exists = lookForWorkflow(choice.name, projectDir) !== undefined;
    const { considered, warnings, ...match } = choice;
    return {
      json: { match: { taskId: task.id, ...match, exists, considered, warnings } },
      text: [
        `Task ${nameOf(task)} gets the workflow "${choice.name}": ${choice.why}.`,
        ...exists ? [] : ["There is no workflow of this name: conclaude workflow files"],
        ...considered.map(({ name, matched, why }) =>
          `  ${matched ? "matches" : "does not match"}: ${name} (${why})`
        ),
        ...warnings.map((warning) => `  warning: ${warning}`),
      ],
    };
  },
});

const BUILT_IN = "built-in";

function stepLines(
  { step, depth, wouldRun, promptSource, promptExcerpt, command, isRendered, ...notes }:
    PreviewStep,
): string[] {
  const shown = promptExcerpt ?? command;
  const run = wouldRun === false
    ? ", would be skipped"
    : step.when !== null && wouldRun === null
    ? `, when ${step.when}`
    : "";
  const lines = [
    `${step.name}  (${step.type}${run})`,
    ...promptSource === null ? [] : [`  prompt: ${promptSource}`],
    ...shown === null || isRendered ? [] : ["  as a template, since it needs what steps put out:"],
    ...shown === null ? [] : shown.trimEnd().split("\n").map((line) => `  | ${line}`),
    ...notes.errors.map((error) => `  error: ${error}`),
    ...notes.warnings.map((warning) => `  warning: ${warning}`),
  ];
  return lines.map((line) => "  ".repeat(depth) + line);
}
