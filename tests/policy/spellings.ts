/**
 * Spellings of what a policy forbids that get around a guard which looks at the text alone, harmless ones that look alike,
 * and those that only the running shell can decide. The lists lie in `testdata/`; here stand those that are too long for it.
 */
import bash from "../testdata/bash_spellings.json" with { type: "json" };
import powershell from "../testdata/powershell_spellings.json" with { type: "json" };

/** One tool use: the tool, and its command or file. `PROJECT` stands for the project's folder. */
export type Use = readonly [tool: string, input: string];

const usesOf = (tool: string, commands: readonly string[]) =>
  commands.map((command): Use => [tool, command]);

const LONG_FORBIDDEN = [
  `${"cp sub/*.txt vendor\n".repeat(1_500)}rm yarn.lock`,
  `${Array.from({ length: 1_500 }, (_, i) => `cp a.txt sub/${i}\n`).join("")}rm yarn.lock`,
  `${"true;".repeat(2_100)}npm publish`,
  `${"echo $( ".repeat(60)}npm publish${" )".repeat(60)}`,
  `${"( ".repeat(60)}rm yarn.lock${" )".repeat(60)}`,
];

const LONG_INNOCENT = [
  `for a in ${"x ".repeat(60)}; do for b in ${"y ".repeat(60)}; do echo 1; echo 2; done; done`,
];

export const BASH = {
  policy: `
preToolUse:
  preventRootAdditions: true
  uneditableFiles: ["*.lock", "src/gen/**", package.json]
  preventAdditions: ["dist/**"]
  toolUsageValidation:
    - {tool: Bash, commandPattern: "git push --force*", action: block}
    - {tool: Bash, commandPattern: "npm publish*", action: block}
    - {tool: Bash, commandPattern: "terraform *", matchMode: prefix, action: block}
`,
  forbidden: [
    ...usesOf("Bash", [...Object.values(bash.forbidden).flat(), ...LONG_FORBIDDEN]),
    ...bash.forbiddenFiles,
    ["Edit", `PROJECT/${"./".repeat(3_000)}yarn.lock`],
  ] as readonly Use[],
  innocent: [
    ...usesOf("Bash", [...Object.values(bash.innocent).flat(), ...LONG_INNOCENT]),
    ...bash.innocentFiles,
  ] as readonly Use[],
  doubtful: usesOf("Bash", bash.doubtful),
};

export const POWERSHELL = {
  policy: `
preToolUse:
  uneditableFiles: ["*.lock", "src/gen/**"]
  preventAdditions: ["dist/**"]
  preventRootAdditions: true
  toolUsageValidation:
    - {tool: Bash, commandPattern: "npm publish*", action: block}
    - {tool: Bash, commandPattern: "git reset*", action: block}
    - {tool: PowerShell, commandPattern: "Stop-Service*", action: block}
    - {tool: PowerShell, commandPattern: "del *", action: block, agent: tidy}
`,
  forbidden: usesOf("PowerShell", Object.values(powershell.forbidden).flat()),
  innocent: usesOf("PowerShell", powershell.innocent),
  doubtful: usesOf("PowerShell", powershell.doubtful),
};
