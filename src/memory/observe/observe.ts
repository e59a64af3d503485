/** Makes the observation of a capture, with the function that its tool has in a table. */
import type { Observed, ObservedFile, ToolUse } from "./observation.ts";
import {
  observeAgent,
  observeFetch,
  observeOther,
  observeRead,
  observeSearch,
} from "./observe_other.ts";
import { observeCommand } from "./observe_command.ts";
import {
  observeCompaction,
  observeMessage,
  observePlan,
  observePrompt,
  observeQuestion,
  observeStopFailure,
} from "./observe_words.ts";
import { observeEdit } from "./observe_edit.ts";
import { observeTask, observeTodos } from "./observe_task.ts";
import { withOpenRank } from "./open_rank.ts";
import { resolvePath } from "../../base/paths.ts";
import { pathInProject } from "../project_paths.ts";
import { ownValue } from "../../base/mapping.ts";

type Observer = (use: ToolUse) => Observed | null;

/** The function that observes each tool. Events that are no tool uses stand under the event's name. */
const OBSERVERS: Readonly<Record<string, Observer>> = {
  Write: observeEdit,
  Edit: observeEdit,
  MultiEdit: observeEdit,
  NotebookEdit: observeEdit,
  Bash: observeCommand,
  PowerShell: observeCommand,
  Monitor: observeCommand,
  Read: observeRead,
  NotebookRead: observeRead,
  Grep: observeSearch,
  Glob: observeSearch,
  LS: observeSearch,
  WebFetch: observeFetch,
  WebSearch: observeFetch,
  ExitPlanMode: observePlan,
  AskUserQuestion: observeQuestion,
  TodoWrite: observeTodos,
  TodoRead: () => null,
  TaskCreate: observeTask,
  TaskUpdate: observeTask,
  TaskList: () => null,
  TaskGet: () => null,
  Agent: observeAgent,
  Task: observeAgent,
  UserPromptSubmit: observePrompt,
  Stop: observeMessage,
  StopFailure: observeStopFailure,
  PostCompact: observeCompaction,
};

/** Functions that observe failures themselves. Other failures are observed by {@linkcode observeOther}. */
const OBSERVES_FAILURES: ReadonlySet<Observer | undefined> = new Set([
  observeCommand,
  observePlan,
]);

/** Makes the observation of a capture; null when the capture holds nothing worth storing. */
export function observe(use: ToolUse): Observed | null {
  const known = ownValue(OBSERVERS, use.toolName);
  const isObserved = use.outcome === "success" || OBSERVES_FAILURES.has(known);
  const observer = isObserved ? known ?? observeOther : observeOther;
  const observed = observer(use);
  return observed === null ? null : withOpenRank(withNamedFiles(observed, use.root));
}

/** How many characters are searched at the beginning of a failure's text, and at its end. */
const MAX_LOOKED_AT = 8_000;
const MAX_FILES = 8;
const MAX_PATH_CHARS = 300;

/**
 * Matches a path with an extension, alone or before a line or test: `src/a.ts`, `src/a.ts:3:5`, `a_test.py::test`. Not
 * the name of a program, which stands before a version: `Node.js v20.20.2`.
 */
const PATH =
  /(?<![\w./\\@:%~$+-])(?:\.{0,2}\/)?[\w@+-][\w@.+-]*(?:\/[\w@.+-]+)*\.[A-Za-z][A-Za-z\d]{0,7}(?! v?\d+\.\d+\.\d)(?=[:(]\d|::\w|["'`),;\]]|:?(?:\s|$))/g;
/** Matches the extension of a source file. Other words with a dot are not files: `e.g`. */
const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|py|rs|go|java|kts?|scala|rb|php|cs|fs|swift|c|cc|cpp|h|hpp|m|ex|exs|erl|hs|lua|dart|sql|sh|bats|css|scss|html|json|ya?ml|toml|proto|tf|md)$/;
/** Matches folders with third-party code. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.cargo|\.rustup|vendor|target|\.venv|venv|go\/pkg)\//;
/** Matches the folder of a command that begins with `cd`. */
const FOLDER = /^cd +(?:"([^"\n]*)"|([^\s"';&|]+)) && /;

/** Adds to a failed command the files of the project that its text names. Leaves other observations unchanged. */
function withNamedFiles(observed: Observed, root: string | null): Observed {
  const { kind, outcome, files, text, facts } = observed;
  const isRun = (kind === "failure" || kind === "test") && outcome === "failure";
  if (!isRun || files.length > 0 || root === null) return observed;
  const searched = `${facts.error ?? ""}\n${text.slice(0, MAX_LOOKED_AT)}\n${
    text.slice(-MAX_LOOKED_AT)
  }`;
  const [, quoted, plain] = FOLDER.exec(facts.command ?? "") ?? [];
  const folder = resolvePath(quoted ?? plain ?? "", { folder: root });
  const named = new Map<string, ObservedFile>();
  for (const [found] of searched.matchAll(PATH)) {
    if (named.size === MAX_FILES) break;
    if (found.length > MAX_PATH_CHARS || !SOURCE.test(found) || FOREIGN.test(found)) continue;
    const path = pathInProject(resolvePath(found, { folder }), root);
    if (!path.startsWith("/")) named.set(path, { path, digest: null });
  }
  return { ...observed, files: [...named.values()] };
}
