import { listLeftOut, passedOver } from "../../config/left_out.ts";
import { type ConfigFile, isLeftOut } from "../../config/discover.ts";
import type { HookConfig } from "../../config/hook_config.ts";
import type { GuardPolicy } from "../../guard/guard_policy.ts";
import { quoteWord } from "../../settings/hooks.ts";
import { type Finding, ok, warn } from "../check.ts";
import type { DoctorPlace } from "./place.ts";

const NEXT = "conclaude config validate";

/** Whether the configuration files that count here are right. */
export async function lookAtConfiguration(place: DoctorPlace): Promise<Finding[]> {
  const { files } = place;
  const leftOut = listLeftOut(files, place.projectDir, place.locations).map(({ path, why, next }) =>
    warn(`${path} is left out, since others could have written it: ${why}`, next)
  );
  const counting = files.filter((file) => !isLeftOut(file));
  const isStrict = isLocked(place.config);
  if (counting.length === 0 && !isStrict) {
    return leftOut.length > 0 ? leftOut : [ok("no files: the defaults count")];
  }
  const beside = passedOver(files).map(({ path, counts }) =>
    warn(
      `${path} counts for nothing, since ${counts} stands beside it`,
      `take over what you want of ${quoteWord(path)}, then remove it`,
    )
  );
  return [await judgeFiles(isStrict ? files : counting, isStrict), ...beside, ...leftOut];
}

async function judgeFiles(files: readonly ConfigFile[], isStrict: boolean): Promise<Finding> {
  const { parseConfig } = await import("../../config/parse.ts");
  const { problems, hook: { unreadable, brokenRequirements } } = parseConfig(files);
  const [first] = problems;
  if (first === undefined) return ok(files.map(({ path }) => path).join(", "));
  if (unreadable !== "") {
    const meaning = isStrict
      ? "its rules were strict, so every change is refused until it can be read"
      : "nothing of that file counts, and no rule of it";
    return warn(`${unreadable}; ${meaning}`, NEXT);
  }
  const place = first.line > 0 ? `${first.path}:${first.line}:${first.column}` : first.path;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : "";
  const off = brokenRequirements === ""
    ? ""
    : `; switched off by mistakes in them: the requirements ${brokenRequirements}`;
  return warn(
    `${place} ${first.key}: ${first.message}${more}${off}; hooks go on with the rest`,
    NEXT,
  );
}

function isLocked({ guards }: HookConfig): boolean {
  return guards !== "" && (JSON.parse(guards) as GuardPolicy).lock !== null;
}
