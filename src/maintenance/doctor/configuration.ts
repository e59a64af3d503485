import { passedOver } from "../../config/beside.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import type { GuardPolicy } from "../../guard/policy.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { type Finding, ok, warn } from "../check.ts";
import type { DoctorPlace } from "./place.ts";

const NEXT = "conclaude config validate";

/** Whether the configuration files that count here are right. */
export async function lookAtConfiguration(place: DoctorPlace): Promise<Finding[]> {
  const { files } = place;
  if (files.length === 0) return [ok("no files: the defaults count")];
  const beside = passedOver(files).map(({ path, counts }) =>
    warn(
      `${path} counts for nothing, since ${counts} stands beside it`,
      `take over what you want of ${quoteWord(path)}, then remove it`,
    )
  );
  return [await judgeFiles(place), ...beside];
}

async function judgeFiles({ files, config }: DoctorPlace): Promise<Finding> {
  const { parseConfig } = await import("../../config/parse.ts");
  const { problems } = parseConfig(files);
  const [first] = problems;
  if (first === undefined) return ok(files.map(({ path }) => path).join(", "));
  const { unreadable } = config;
  if (unreadable !== "") {
    const meaning = isLocked(config)
      ? "its rules were strict, so every change is refused until it can be read"
      : "nothing of that file counts, and no rule of it";
    return warn(`${unreadable}; ${meaning}`, NEXT);
  }
  const place = first.line > 0 ? `${first.path}:${first.line}:${first.column}` : first.path;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : "";
  const off = config.brokenRequirements === ""
    ? ""
    : `; switched off by mistakes in them: the requirements ${config.brokenRequirements}`;
  return warn(
    `${place} ${first.key}: ${first.message}${more}${off}; hooks go on with the rest`,
    NEXT,
  );
}

function isLocked({ guards }: HookConfig): boolean {
  return guards !== "" && (JSON.parse(guards) as GuardPolicy).lock !== null;
}
