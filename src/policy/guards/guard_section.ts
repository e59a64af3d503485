/** Defines the sections `gates`, `preToolUse` and `permissionRequest` of the configuration, and compiles them. */
import type { SectionValues } from "../../config/config_schema.ts";
import { compileGlob, needleOf } from "../../config/globs.ts";
import {
  bool,
  choice,
  globText,
  list,
  needed,
  optional,
  perhaps,
  rules,
  said,
  section,
  text,
} from "../../config/schema_kit.ts";
import type { CompileFrom } from "../../config/sections.ts";
import { programsLike } from "./command_forms.ts";
import { fixedHead, type GuardPolicy, type PermissionRule, type Rule } from "./guard_policy.ts";

/** Keys that rules about files and about tools share. */
const SHARED_KEYS = {
  agent: optional(
    "glob",
    globText(),
    "Only for these agents: `main`, or the type of a subagent or of `claude --agent`.",
  ),
  effects: choice(
    ["tell", "block"],
    "`block`: if a command that names such a file, its ending or a folder above has changed it, Claude may not go on " +
      "until that is undone.",
    "tell",
  ),
  writtenBy: optional(
    "glob",
    globText(),
    "Commands that may write the files: `npm run generate*`.",
  ),
};

export const GUARD_SECTIONS = {
  gates: section("How a gate decides when it cannot read what it needs.", {
    whenBlind: perhaps(
      ["allow", "ask", "deny"],
      "The answer where a rule or requirement may count, and its file, the database or the branch cannot be read. " +
        "Default: `deny` under `preToolUse.strict`, else `allow`, with a notice to the person.",
    ),
  }),
  preToolUse: section(
    "What is judged before a tool runs.",
    {
      strict: bool(false, "True denies what cannot be known before it runs: `$COMMAND --force`."),
      preventRootAdditions: bool(
        false,
        "Whether new files directly in the project's folder are refused, and hold back a stop. Ignored files are allowed.",
      ),
      preventRootAdditionsMessage: text("The denial's text, with `{file_path}` and `{tool}`."),
      uneditableFiles: rules(
        "Files that may not be changed, moved or removed, by a tool or a shell command: globs, or maps.",
        {
          pattern: needed("glob", globText(), "The files; one that ends with `/` means all below."),
          message: said("Replaces the usual reason."),
          ...SHARED_KEYS,
        },
        { shorthand: globText(), item: "glob or map of keys" },
      ),
      preventAdditions: list("glob", globText(), "New files that may not be made."),
      preventUpdateGitIgnored: bool(false, "Whether files that git ignores may not be changed."),
      preventGeneratedFileEdits: bool(
        false,
        "Whether files are protected that say in their first 100 lines that they are generated.",
      ),
      generatedFileMessage: text("The denial's text, with `{file_path}`, `{tool}` and `{marker}`."),
      toolUsageValidation: rules(
        "What tools may be used for. A blocking rule denies what it matches; a tool with allowing rules may only do what " +
          "one of them matches. Every command of a script is judged by itself.",
        {
          tool: needed("glob", globText(), "The name of the tool, or `*`."),
          action: choice(["block", "allow"], "What the rule does."),
          pattern: optional(
            "glob",
            globText(),
            "The files of the tool. A blocking rule about an editing tool also holds for shell commands.",
          ),
          commandPattern: optional(
            "glob",
            globText(),
            "The commands: `git push --force*`. A rule about `Bash` holds for every shell.",
          ),
          matchMode: choice(
            ["full", "prefix"],
            "`prefix`: the first words of a command may match alone.",
            "full",
          ),
          message: said(
            "Replaces the usual reason, with `{tool}`, `{file_path}` and `{command}`.",
          ),
          ...SHARED_KEYS,
        },
        { item: "map of keys" },
      ),
      denyDangerousCommands: bool(
        true,
        "Whether commands are refused that destroy what nobody can bring back: `rm -rf` of the home or the project, " +
          "`git push --force`, `git reset --hard origin/main`, `DROP TABLE`.",
      ),
      protectUncommitted: bool(
        true,
        "Whether git may not throw away work that is in no commit: `git reset --hard`, `git checkout -- .`, " +
          "`git stash drop`. A clean tree, and a file that is named by itself, are free.",
      ),
      protectOtherTrees: bool(
        false,
        "Whether other working trees of the repository, such as the main checkout, may not be changed.",
      ),
      effects: bool(
        true,
        "After each command, checks whether it changed protected files, policy files or branches.",
      ),
      protectPolicy: bool(
        true,
        "Whether the agent may not change policy files, nor run the verbs of a person: `conclaude guard pause`.",
      ),
    },
  ),
  permissionRequest: section(
    "What is answered when Claude Code would ask a person whether a tool may be used.",
    {
      deny: list("glob", globText(), "Tools that are refused; these rules come first."),
      allow: list("glob", globText(), "Tools that are allowed, unless a rule forbids the use."),
      default: perhaps(
        ["allow", "deny"],
        "The answer for other tools. Default: the person is asked.",
      ),
    },
  ),
};

type Values = SectionValues<typeof GUARD_SECTIONS>;

export function compileGuards(
  { gates, preToolUse, permissionRequest }: Values,
  { root, home, nameOf }: CompileFrom,
): GuardPolicy {
  const rulesIn = ([key, about]: typeof LISTS[number]) =>
    preToolUse[key].map((entry, i) => {
      const rule = typeof entry === "string" ? { pattern: entry } : entry;
      return compiled(rule, { about, name: nameOf(["preToolUse", key], i), home });
    });
  const permissions = (answer: "deny" | "allow") =>
    permissionRequest[answer].map((written, i): PermissionRule => {
      const glob = written.trim();
      return {
        rule: `permissionRequest.${answer}[${i}]`,
        glob,
        pattern: compileGlob(glob),
        answer,
      };
    });
  const rest = permissionRequest.default;
  return {
    root,
    isStrict: preToolUse.strict,
    whenBlind: gates.whenBlind ?? (preToolUse.strict ? "deny" : "allow"),
    lock: null,
    rules: LISTS.flatMap(rulesIn),
    preventsRootAdditions: preToolUse.preventRootAdditions,
    rootAdditionsMessage: preToolUse.preventRootAdditionsMessage,
    protectsIgnored: preToolUse.preventUpdateGitIgnored,
    protectsGenerated: preToolUse.preventGeneratedFileEdits,
    generatedMessage: preToolUse.generatedFileMessage,
    deniesDangerous: preToolUse.denyDangerousCommands,
    protectsOtherTrees: preToolUse.protectOtherTrees,
    protectsUncommitted: preToolUse.protectUncommitted,
    looksAfter: preToolUse.effects && root !== null,
    protectsItself: preToolUse.protectPolicy,
    permission: [
      ...permissions("deny"),
      ...permissions("allow"),
      ...rest === null
        ? []
        : [{ rule: "permissionRequest.default", glob: "", pattern: "", answer: rest }],
    ],
  };
}

/** The lists of rules, each with what its rules are about unless they name commands. */
const LISTS = [
  ["uneditableFiles", "change"],
  ["toolUsageValidation", "file"],
  ["preventAdditions", "addition"],
] as const;

/** Compiles a rule about files or commands. A file pattern that ends with `/` means the folder and all below it. */
function compiled(
  rule: Partial<Values["preToolUse"]["toolUsageValidation"][number]>,
  { about, name, home }: Pick<Rule, "about" | "name"> & { readonly home: string | undefined },
): Rule {
  const { commandPattern, pattern = "*", tool = "*", agent = "*", writtenBy } = rule;
  const glob = commandPattern ?? pattern;
  const ofFiles = commandPattern === undefined ? { home, coversFolder: glob.endsWith("/") } : {};
  // Empty where the rule begins with a wildcard.
  const [program = ""] = fixedHead(glob).split(/\s/, 1);
  return {
    name,
    about: commandPattern === undefined ? about : "command",
    action: rule.action ?? "block",
    tool,
    toolPattern: tool === "*" || /^\w+$/.test(tool) ? null : compileGlob(tool),
    agent: agent === "*" ? null : compileGlob(agent),
    glob,
    pattern: compileGlob(glob, ofFiles),
    needle: needleOf(glob),
    isPrefix: rule.matchMode === "prefix",
    programs: commandPattern === undefined ? [] : programsLike(program),
    message: rule.message ?? null,
    blocksAfter: rule.effects === "block",
    writtenBy: writtenBy === undefined ? null : compileGlob(writtenBy),
  };
}
