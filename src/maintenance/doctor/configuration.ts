import { type Finding, ok, warn } from "../check.ts";
import type { DoctorPlace } from "./place.ts";

/** Whether the configuration files that count here are right. */
export async function lookAtConfiguration({ files }: DoctorPlace): Promise<Finding[]> {
  if (files.length === 0) return [ok("no files: the defaults count")];
  const { parseConfig } = await import("../../config/parse.ts");
  const { problems } = parseConfig(files);
  const [first] = problems;
  if (first === undefined) return [ok(files.map(({ path }) => path).join(", "))];
  const place = first.line > 0 ? `${first.path}:${first.line}:${first.column}` : first.path;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : "";
  return [warn(
    `${place} ${first.key}: ${first.message}${more}; hooks go on with the rest`,
    "conclaude config validate",
  )];
}
