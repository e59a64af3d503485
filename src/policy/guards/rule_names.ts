/** The names of the rules that a policy switches on or off: their keys in the configuration. */
export const DANGEROUS_RULE = "preToolUse.denyDangerousCommands";
export const UNCOMMITTED_RULE = "preToolUse.protectUncommitted";
export const TREES_RULE = "preToolUse.protectOtherTrees";
export const PROTECT_RULE = "preToolUse.protectPolicy";
export const IGNORED_RULE = "preToolUse.preventUpdateGitIgnored";
export const ROOT_RULE = "preToolUse.preventRootAdditions";
export const GENERATED_RULE = "preToolUse.preventGeneratedFileEdits";
/** The rule by which a strict policy denies a tool use that cannot be judged. */
export const STRICT_RULE = "preToolUse.strict";
/** The rule that answers where the policy, the database or the branch cannot be read. */
export const BLIND_RULE = "gates.whenBlind";
