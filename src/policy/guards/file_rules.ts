/** Judges a file, or a use without a file, by all rules about files. `bash.ts` parses shell commands first. */
import { joinPath } from "../../base/paths.ts";
import {
  type Actor,
  type Block,
  blockOf,
  concerns,
  fixedHead,
  forbidsFor,
  GENERATED_RULE,
  type GuardPolicy,
  IGNORED_RULE,
  isAbout,
  isAboutAll,
  ROOT_RULE,
  type Rule,
  ruleText,
  TREES_RULE,
} from "./guard_policy.ts";
import { whyProtected, type Written } from "./protected.ts";
import type { FileFacts } from "./types.ts";
import WORDS from "./words.json" with { type: "json" };

interface Use extends Actor {
  readonly tool: string;
}

/** Judges a file. @param use `written` is null where the tool only reads, or where it is unknown whether it writes. */
export function judgeFile(
  policy: GuardPolicy,
  file: FileFacts,
  use: Use & { readonly written: Written | null },
): Block[] {
  const { tool, written } = use;
  const own = written === null ? [] : judgeOwn(policy, file, { tool, written });
  if (file.effect === "tamper") return own;
  const used = judgeUsed(policy, file, use);
  return written === null ? used : [...used, ...own, ...judgeChange(policy, file, use)];
}

/** Denies the change of a file that the guards depend on. */
export function judgeOwn(
  policy: GuardPolicy,
  file: FileFacts,
  { tool, written }: { readonly tool: string; readonly written: Written },
): Block[] {
  const found = whyProtected(file, written)
    .find(({ rule }) => policy.protectsItself || rule === TREES_RULE);
  if (found === undefined) return [];
  const { rule, why } = found;
  return [{ rule, reason: `Blocked ${tool} operation: ${why}, and only a person changes it` }];
}

/** Judges a file by the rules about tools: a matching blocking rule denies; of the allowing rules one must match. */
function judgeUsed({ rules }: GuardPolicy, file: FileFacts, use: Use): Block[] {
  const applying = rules.filter((rule) =>
    rule.about === "file" && concerns(rule, use) &&
    (rule.action === "block" ? forbidsFor : isAbout)(rule, use.tool)
  );
  const allowing = applying.filter(({ action }) => action === "allow");
  const isAllowed = allowing.some((rule) => matchesFile(rule, file));
  return [
    ...applying.filter((rule) => rule.action === "block" && matchesFile(rule, file)),
    ...isAllowed ? [] : allowing.slice(0, 1),
  ].map((rule) =>
    blockOf(rule, `Tool usage ${ruleText(rule)}. File: ${file.name}`, {
      file_path: file.name,
      tool: use.tool,
    })
  );
}

/** Judges a tool use without a file: only a rule that denies the whole tool counts. */
export function judgeNameless({ rules }: GuardPolicy, use: Use): Block[] {
  const { tool } = use;
  return rules.filter((rule) =>
    rule.about === "file" && rule.action === "block" && isAboutAll(rule) &&
    isAbout(rule, tool) && concerns(rule, use)
  ).map((rule) => blockOf(rule, `Tool usage ${ruleText(rule)}. Tool: ${tool}`, { tool }));
}

/** Tells whether the policy denies a new file directly in the project's folder; ignored files are allowed. */
export function isRootAddition(policy: GuardPolicy, file: FileFacts): boolean {
  return policy.preventsRootAdditions && policy.root !== null && isAdded(file) && file.isInRoot &&
    file.ignored === null && !file.becomesFolder();
}

function isAdded({ exists, effect, comesFromGit }: FileFacts): boolean {
  return !exists && effect === "change" && !comesFromGit;
}

const IN_GIT = /(?:^|\/)\.git\//;

/** Judges a change of a file by the rules that hold for every tool. */
export function judgeChange(policy: GuardPolicy, file: FileFacts, use: Use): Block[] {
  // Git's own files do not belong to the project.
  if (file.spellings.every((spelling) => IN_GIT.test(spelling))) return [];
  const marker = policy.protectsGenerated ? generatedMarker(file.head) : null;
  const denied = (
    rule: Pick<Rule, "name" | "message">,
    what: string,
    { name = file.name, ...more }: Readonly<Record<string, string>> = {},
  ) => {
    const values = { file_path: name, tool: use.tool, ...more };
    return blockOf(rule, `Blocked ${use.tool} operation: ${what}. File: ${name}`, values);
  };
  const mayAdd = isAdded(file) || (file.effect === "fill" && !file.comesFromGit);
  const listed = policy.rules.flatMap((rule) => {
    const applies = rule.about === "change" || (rule.about === "addition" && mayAdd);
    if (!applies || !concerns(rule, use)) return [];
    const name = matchesFile(rule, file) ? file.name : nameBelow(rule, file);
    const key = rule.about === "change" ? "uneditableFiles" : "preventAdditions";
    const what = `file matches preToolUse.${key} pattern '${rule.glob}'`;
    return name === null ? [] : [denied(rule, what, { name })];
  });
  return [
    ...judgeIgnored(policy, file, use.tool),
    ...!isRootAddition(policy, file) ? [] : [
      denied(
        { name: ROOT_RULE, message: policy.rootAdditionsMessage },
        `${ROOT_RULE} setting prevents creating files at repository root`,
      ),
    ],
    ...listed,
    ...marker === null ? [] : [
      denied(
        { name: GENERATED_RULE, message: policy.generatedMessage },
        `the file says that it is generated ("${marker}"); change what it is made from`,
        { marker },
      ),
    ],
  ];
}

/** Finds the first file below a removed folder that a rule matches; null for none. */
function nameBelow(
  { pattern, needle }: Rule,
  { name, spellings, below }: FileFacts,
): string | null {
  if (below.length === 0) return null;
  const regex = new RegExp(pattern, "s");
  const matches = (path: string) => path.includes(needle) && regex.test(path);
  const found = below.find((rest) =>
    spellings.some((spelling) => matches(joinPath(spelling, rest)))
  );
  return found === undefined ? null : joinPath(name, found);
}

/** Tells whether a rule's pattern matches the file, or may match a file in the removed folder. */
export function matchesFile(
  { pattern, needle, glob }: Pick<Rule, "pattern" | "needle" | "glob">,
  file: FileFacts,
): boolean {
  // A filled folder may get a file of any name, so patterns for its content count as well.
  const named = file.effect === "fill"
    ? file.spellings.flatMap((spelling) => [spelling, `${spelling}/`])
    : file.spellings;
  const near = named.filter((spelling) => spelling.includes(needle));
  if (near.length > 0) {
    const regex = new RegExp(pattern, "s");
    if (near.some((spelling) => regex.test(spelling))) return true;
  }
  if (file.effect !== "remove") return false;
  const plain = fixedHead(glob.replace(/^\.\//, ""));
  // The empty spelling is the project's folder, which contains every file.
  return file.spellings.some((spelling) =>
    spelling === "" || (plain !== "" && plain.startsWith(`${spelling}/`))
  );
}

/** Denies a change of an ignored file, and tells three ways in which a person can allow it. */
function judgeIgnored({ protectsIgnored }: GuardPolicy, file: FileFacts, tool: string): Block[] {
  if (!protectsIgnored || file.ignored === null || file.isMadeAnew) return [];
  const { pattern, where } = file.ignored;
  const source = where.replace(/:\d+$/, "");
  const reason = [
    `Blocked ${tool} operation: git ignores the file, and ${IGNORED_RULE} refuses to change it. File: ${file.name}`,
    `Pattern: ${pattern} (${where})`,
    `A person can remove the pattern from ${source}, add \`${
      takenBack(pattern, file.name)
    }\` below it, or set ` +
    `${IGNORED_RULE} to false.`,
  ].join("\n");
  return [{ rule: IGNORED_RULE, reason }];
}

/** Returns the `.gitignore` line that allows a file again: its name, or the pattern of the ignored folder above it. */
function takenBack(pattern: string, path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const segment = pattern.slice(pattern.lastIndexOf("/") + 1);
  const isSimple = segment !== "" && !/[[\]\\]/.test(segment);
  const regex = segment.replace(/[.+^${}()|]/g, "\\$&").replace(/\*+/g, ".*").replaceAll("?", ".");
  return isSimple && new RegExp(`^${regex}$`, "s").test(name) ? `!${name}` : `!${pattern}`;
}

const HEAD_LINES = 100;

/** Comments at the beginning of a line. A `"` begins one only if its line has no second `"`, as a string would. */
const COMMENTS =
  /^(?:"""[^]*?"""|[ \t\ufeff]*(?:\/\*[^]*?\*\/|<!--[^]*?-->|\(\*[^]*?\*\)|\{-[^]*?-\}|(?:\/\/|--|;|%|#(?!\s*(?:include|import|define)\b)|"(?=[^"\n]*$)|@?rem\b).*))/gim;

/** Finds a marker in a comment of the first 100 lines; null for none. A marker in code does not count. */
export function generatedMarker(text: string): string | null {
  const head = text.split("\n", HEAD_LINES).join("\n");
  if (markerIn(head) === null) return null;
  for (const [comment] of head.matchAll(COMMENTS)) {
    const marker = markerIn(comment);
    if (marker !== null) return marker;
  }
  return null;
}

function markerIn(line: string): string | null {
  const lowered = line.toLowerCase();
  const marker = WORDS.markers.find((marker) => lowered.includes(marker));
  if (marker === undefined) return null;
  const at = lowered.indexOf(marker);
  return line.slice(at, at + marker.length);
}
