/** What is answered in the place of the person who would be asked whether a tool may be used. */
import { namesInRules } from "../capture/payload.ts";
import type { Block, PermissionPolicy } from "./policy.ts";

/** The answer and the rule that gives it; `ask` leaves the question to the person. */
export type PermissionAnswer =
  | { readonly kind: "allow"; readonly rule: string }
  | { readonly kind: "deny"; readonly block: Block }
  | { readonly kind: "ask" };

/** Tells if a rule is for a tool: a refusal of Bash covers every shell, a permission for Bash covers Bash alone. */
export function isForTool(
  { pattern }: PermissionPolicy["deny"][number],
  key: "deny" | "allow",
  tool: string,
): boolean {
  const names = key === "deny" ? namesInRules(tool) : [tool];
  return names.some((name) => new RegExp(pattern, "s").test(name));
}

/** Answers for a tool: those that are refused first, then those that are allowed, then all others. */
export function answerPermission(
  { deny, allow, fallback }: PermissionPolicy,
  tool: string,
): PermissionAnswer {
  const refusing = deny.findIndex((rule) => isForTool(rule, "deny", tool));
  if (refusing >= 0) return refusal(`permissionRequest.deny[${refusing}]`, tool);
  const allowing = allow.findIndex((rule) => isForTool(rule, "allow", tool));
  if (allowing >= 0) return { kind: "allow", rule: `permissionRequest.allow[${allowing}]` };
  if (fallback === "deny") return refusal("permissionRequest.default", tool);
  return fallback === null ? { kind: "ask" } : { kind: "allow", rule: "permissionRequest.default" };
}

function refusal(rule: string, tool: string): PermissionAnswer {
  return { kind: "deny", block: { rule, reason: `Blocked ${tool}: ${rule} refuses it` } };
}
