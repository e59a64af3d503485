import type { HookConfig } from "../../config/hook_config.ts";
import type { GuardPolicy } from "../../guard/policy.ts";
import { type Finding, ok, warn } from "../check.ts";
import type { DoctorPlace } from "./place.ts";

const NEXT = "conclaude config validate";

/** Whether the configuration files that count here are right. */
export async function lookAtConfiguration({ files, config }: DoctorPlace): Promise<Finding[]> {
  if (files.length === 0) return [ok("no files: the defaults count")];
  const { parseConfig } = await import("../../config/parse.ts");
  const { problems } = parseConfig(files);
  const [first] = problems;
  if (first === undefined) return [ok(files.map(({ path }) => path).join(", "))];
  if (config.unreadable !== "") {
    return [warn(
      isLocked(config)
        ? `${config.unreadable}; its rules were strict, so every change is refused until it can be read`
        : `${config.unreadable}; nothing of that file counts, and no rule of it`,
      NEXT,
    )];
  }
  const place = first.line > 0 ? `${first.path}:${first.line}:${first.column}` : first.path;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : "";
  return [warn(
    `${place} ${first.key}: ${first.message}${more}; hooks go on with the rest`,
    NEXT,
  )];
}

function isLocked({ guards }: HookConfig): boolean {
  return guards !== "" && (JSON.parse(guards) as GuardPolicy).lock !== null;
}
