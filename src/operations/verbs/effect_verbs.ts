import { plain } from "../../base/plain.ts";
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { baseName, parentOf } from "../../base/paths.ts";
import { keptText } from "../../config/store.ts";
import { linesOf } from "../../policy/effects/effect_text.ts";
import { openViolations, settleViolations } from "../../policy/store.ts";
import { chmodSync, isFile, removeSync, statSync } from "../../system/files.ts";
import { exists } from "../../system/on_disk.ts";
import { acceptFiles, databasesHere } from "../accepted_files.ts";
import { writeTarget } from "../config_target.ts";
import { type CliContext, typedPath } from "../context.ts";
import { text, toggle } from "../flags.ts";
import { placeOf } from "../open_store.ts";
import { projectHere } from "../session_lookup.ts";
import { many, verb } from "../verb.ts";

/** What was changed here without being allowed, and configuration files whose version before stays in force. */
async function openHere(context: CliContext) {
  const project = projectHere(context.cwd);
  const databases = await databasesHere(context);
  const { config } = await placeOf(context);
  const open = databases.flatMap((db) => openViolations(db, project).map((one) => ({ db, one })));
  const held = config.held.filter((path) => open.every(({ one }) => one.subject !== path));
  return { databases, open, held };
}

/** Whether git runs a file, which has to be executable then. */
function isProgram(path: string): boolean {
  return baseName(parentOf(path)) === "hooks";
}

/** Takes away what stands in a file's place, and the rights of others to write it. */
function makeWritable(path: string): void {
  if (!exists(path)) return;
  if (isFile(path)) chmodSync(path, statSync(path).mode! & 0o755);
  else removeSync(path);
}

export const accept = verb({
  person: "config accept",
  args: many(text("Files or branches; without one, all", "name")),
  flags: { dryRun: toggle("Only list them") },
  brief: "Accept what was changed without being allowed",
  about:
    "Accepts changes of policy files, protected files and branches that were found after they had happened. A policy " +
    "file counts from then on as it is. Agents cannot run this.",
  examples: ["conclaude config accept --dry-run", "conclaude config accept .conclaude.yaml"],
  async run(context, flags, ...names: string[]) {
    const { open, held } = await openHere(context);
    const isMeant = (subject: string, name: string) =>
      names.length === 0 ||
      names.some((given) => given === name || [given, typedPath(context, given)].includes(subject));
    const meant = open.filter(({ one }) => isMeant(one.subject, one.name));
    const files = held.filter((path) => isMeant(path, path));
    const lines = [
      ...linesOf(meant.map(({ one }) => one)),
      ...files.map((path) => `- ${path}; undo: \`conclaude config undo ${path}\``),
    ];
    const policy = meant.filter(({ one }) => one.kind === "policy").map(({ one }) => one.subject);
    if (!flags.dryRun) {
      for (const { db, one } of meant) settleViolations(db, [one.id], Date.now());
      if (policy.length + files.length > 0) await acceptFiles(context, [...policy, ...files]);
    }
    const accepted = [...meant.map(({ one }) => one.subject), ...files];
    const what = flags.dryRun ? "open" : "accepted";
    return {
      json: { accepted: flags.dryRun ? [] : accepted, open: flags.dryRun ? accepted : [] },
      text: lines.length === 0
        ? "Nothing is open."
        : [`${count(lines.length, "change")} ${what}:`, ...lines].map(plain).join("\n"),
    };
  },
});

export const undo = verb({
  args: [text("A policy file that was changed", "file")],
  brief: "Put a policy file back as it is in force",
  about:
    "Puts a policy file back as it was before it was changed without being allowed; a new one is removed. Agents may " +
    "run this.",
  examples: ["conclaude config undo .conclaude.yaml"],
  async run(context, _flags, file) {
    const path = typedPath(context, file);
    const { databases, open, held } = await openHere(context);
    const about = open.filter(({ one }) => one.subject === path && one.kind === "policy");
    if (about.length === 0 && !held.includes(path)) {
      throw new UserError(`Cannot undo "${path}"`, {
        why: "no change of it is open; nothing was changed",
        next: "conclaude config accept --dry-run",
      });
    }
    const kept = databases.map((db) => keptText(db, path)).find((text) => text !== undefined);
    const mode = isProgram(path) ? 0o755 : 0o644;
    if (kept !== undefined) {
      makeWritable(path);
      writeTarget({ path, mode }, kept);
    } else if (exists(path)) removeSync(path);
    for (const { db, one } of about) settleViolations(db, [one.id], Date.now());
    const done = kept === undefined ? "removed" : "put back";
    return { json: { path, done }, text: `${plain(path)} is ${done}.` };
  },
});
