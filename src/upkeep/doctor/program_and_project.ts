/** Checks the program, its SQLite, the project's configuration and branch, agents, and what an older daemon left. */
import { answerToUnreadable, type WhenBlind } from "../../policy/guards/guard_policy.ts";
import { VERSION } from "../../base/version.ts";
import { type ConfigFile, isLeftOut } from "../../config/discover.ts";
import { listLeftOut, passedOver } from "../../config/left_out.ts";
import { parseConfig } from "../../config/parse.ts";
import { undecidedCoven } from "../../work/coven.ts";
import type { EngineConfig } from "../../work/engine/engine_settings.ts";
import { AGENT_COMMAND } from "../../work/engine/launch.ts";
import { listWorkflowFiles } from "../../work/engine/workflow_files.ts";
import { deniesBlind } from "../../policy/requirements/stand.ts";
import { groundOf, UNKNOWN_BRANCH } from "../../policy/requirements/ground.ts";
import { findRepository, lookUpwards } from "../../system/git/repository.ts";
import { isAbsolutePath } from "../../base/paths.ts";
import { findOnPath, isBareName, whyNotRun } from "../../system/process/executable.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { countState } from "../../work/store.ts";
import { RUNTIME_VERSION } from "../../system/environment.ts";
import { execPath } from "../../system/processes.ts";
import { sqliteVersion } from "../care/care_table.ts";
import { type Finding, ok, warn } from "../care/check.ts";
import { askDatabase, type DoctorPlace } from "./place.ts";

/** Names this program, its version and its runtime. */
export function lookAtExecutable({ programPath, executable }: DoctorPlace): Finding[] {
  const runtime = `Deno ${RUNTIME_VERSION}`;
  const how = executable === null
    ? `runs from source with ${runtime} (${execPath()})`
    : `built on ${runtime}`;
  return [ok(`${programPath}, version ${VERSION}, ${how}`)];
}

/** Checks whether this SQLite is safe for several writers, see https://sqlite.org/wal.html#walresetbug. */
export function lookAtSqlite(version = sqliteVersion()): Finding {
  const isSafe = version.localeCompare("3.51.3", "en", { numeric: true }) >= 0;
  return isSafe ? ok(`version ${version}`) : warn(
    `SQLite ${version} can damage a database when one process empties the write-ahead log while another one writes ` +
      "(the WAL-reset fault, corrected in 3.51.3 and so in the newest conclaude): until then, make backups",
    "Install the newest conclaude",
  );
}

export function lookAtConfiguration(place: DoctorPlace): Finding[] {
  const { files, config } = place;
  const whenBlind = answerToUnreadable(config);
  const counting = whenBlind !== "allow" ? files : files.filter((file) => !isLeftOut(file));
  const judged = counting.filter(({ path }) => !config.held.includes(path));
  const findings = [
    ...judged.length === 0 ? [] : [judgeFiles(judged, whenBlind)],
    ...config.held.map((path) =>
      warn(
        `${path} was changed while a session was active, and its version before is in force`,
        "conclaude config accept, or conclaude config undo " + quoteWord(path),
      )
    ),
    ...passedOver(files).map(({ path, counts }) =>
      warn(
        `${path} counts for nothing, since ${counts} stands beside it`,
        `take over what you want of ${quoteWord(path)}, then remove it`,
      )
    ),
    ...listLeftOut(files, place.projectDir, place.locations).map(({ path, why, next }) =>
      warn(`${path} is left out, since others could have written it: ${why}`, next)
    ),
  ];
  return findings.length > 0 ? findings : [ok("no files: the defaults count")];
}

function judgeFiles(files: readonly ConfigFile[], whenBlind: WhenBlind): Finding {
  const { problems, hook: { unreadable, brokenRequirements } } = parseConfig(files);
  const [first] = problems;
  if (first === undefined) return ok(files.map(({ path }) => path).join(", "));
  const next = "conclaude config validate";
  if (unreadable !== "") {
    const meaning = whenBlind !== "allow"
      ? `gates may not be blind here, so every change is ${
        whenBlind === "ask" ? "asked about" : "refused"
      } until it can be read`
      : "nothing of that file counts, and no rule of it";
    return warn(`${unreadable}; ${meaning}`, next);
  }
  const at = first.line > 0 ? `:${first.line}:${first.column}` : "";
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : "";
  const off = brokenRequirements === ""
    ? ""
    : `; switched off by mistakes in them: the requirements ${brokenRequirements}`;
  const what = `${first.path}${at} ${first.key}: ${first.message}${more}`;
  return warn(`${what}${off}; hooks go on with the rest`, next);
}

/** Checks whether git reports the branch, if there are requirements. */
export function lookAtBranch({ config, projectDir }: DoctorPlace): Finding[] {
  const repository = findRepository(lookUpwards(projectDir));
  if (config.requirements === "" || !repository?.isBranchUnknown) return [];
  const meaning = deniesBlind(config)
    ? "every tool use that a requirement is about is denied"
    : "the requirements of the last branch of a session count, or none";
  const ground = groundOf(repository);
  return [warn(`${UNKNOWN_BRANCH}, so ${meaning}`, ground.kind === "none" ? ground.next : "")];
}

/** Checks whether the program for agents' steps can start, if somebody uses workflows. */
export function lookAtAgents(place: DoctorPlace): Finding[] {
  const { files, projectDir, searchPath } = place;
  const isUsed = listWorkflowFiles(projectDir).some(({ path }) => path !== null) ||
    Object.keys(askDatabase(place, countState)?.workflows ?? {}).length > 0;
  if (!isUsed) return [];
  const command = parseConfig<EngineConfig>(files).config.orchestration.agentCommand ??
    AGENT_COMMAND;
  // A relative path begins at a working tree that may not exist yet.
  if (!isBareName(command) && !isAbsolutePath(command)) return [];
  const found = isBareName(command) ? findOnPath(command, searchPath)[0] : command;
  const why = found === undefined ? `${command} is not on the PATH` : whyNotRun(found);
  if (why === null) return [ok(`agents' steps are done by ${found}`)];
  return [warn(
    `agents' steps cannot be done: ${why}`,
    "install it, or name another program in orchestration.agentCommand",
  )];
}

/** Reports state of the older daemon that the user has neither brought over nor left behind. */
export function lookAtOldState({ projectDir, database }: DoctorPlace): Finding[] {
  const place = undecidedCoven(projectDir, database);
  return place === null ? [] : [warn(
    `old state in ${place.folder} was not brought over (\`conclaude migrate --fresh\` begins without it)`,
    "conclaude migrate",
  )];
}
