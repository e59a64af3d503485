/** `conclaude config init|set|trust|accept|undo`: write configuration files, and decide which of them count. */
import "../config_sections.ts";
import { count } from "../../base/counts.ts";
import { UserError } from "../../base/errors.ts";
import { baseName, joinPath, parentOf } from "../../base/paths.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { newFault, readings, textWith } from "../../config/config_edit.ts";
import { configTemplate, mergedConfig, sourcesIn } from "../../config/config_template.ts";
import { readLayer } from "../../config/layer.ts";
import { parseConfig } from "../../config/parse.ts";
import { addTrusted, forgetBelow, keptText, removeTrusted } from "../../config/store.ts";
import { valueAt } from "../../config/yaml_tree.ts";
import { linesOf } from "../../policy/effects/effect_text.ts";
import {
  POLICY_PRESETS,
  type PolicyPreset,
  policyPreset,
} from "../../policy/requirements/presets.ts";
import { COMMITTED, openViolations, settleViolations } from "../../policy/store.ts";
import { chmodSync, isFile, removeSync, statSync } from "../../system/files.ts";
import { exists, isFolder, isThere } from "../../system/on_disk.ts";
import { realPath } from "../../system/real_paths.ts";
import {
  acceptFiles,
  databasesHere,
  ignoreAdvice,
  KEY,
  layerOf,
  pathOf,
  targetOf,
  userFolder,
  writeAccepted,
  writeTarget,
} from "../config_target.ts";
import { type CliContext, filesHere, typedPath } from "../context.ts";
import { oneOfFlag, parsed, text, toggle } from "../flags.ts";
import { stillOpenIn } from "../open_here.ts";
import { openAt, placeOf } from "../open_store.ts";
import { projectHere } from "../session_lookup.ts";
import { many, verb } from "../verb.ts";

const LAYER_FLAGS = {
  user: toggle("The user's own: ~/.conclaude/config.yaml"),
  local: toggle("This folder's private one: .conclaude.local.yaml"),
} as const;

export const init = verb({
  person: "config init",
  flags: {
    ...LAYER_FLAGS,
    force: toggle("Replace a file that is there"),
    preset: oneOfFlag(
      Object.keys(POLICY_PRESETS) as PolicyPreset[],
      "Begin with rules: for one developer, a team, or where mistakes are expensive",
    ),
  },
  async run(context, { force, preset, ...flags }) {
    const { layer, names, mode, flag } = layerOf("init", flags);
    const folder = layer === "user" ? userFolder(context) : context.cwd;
    const path = joinPath(folder, names[0]!);
    const present = names.map((name) => joinPath(folder, name)).find(isThere);
    if (present !== undefined && !force) {
      const how = present === path ? "replaces it" : `writes "${path}", which comes before it`;
      throw new UserError(`Cannot write "${path}"`, {
        why: `"${present}" is there already, and only --force ${how}; nothing was changed`,
        next: `conclaude config init --force${flag}${preset ? ` --preset ${preset}` : ""}`,
      });
    }
    const before = listSources(context);
    writeTarget({ path, mode }, preset ? policyPreset(preset) : configTemplate(POLICY_PRESETS));
    await acceptFiles(context, [path]);
    const after = listSources(context);
    const replaced = Object.keys(before)
      .filter((key) => before[key] !== path && after[key] === path);
    return {
      json: { path, layer, overwritten: present === path },
      text: [
        `Wrote ${path}`,
        preset
          ? "Its rules hold from the next tool use on: `conclaude guard list`."
          : "Every key is in it, commented out at its default. To set one: `conclaude config set KEY VALUE`.",
        replaced.length > 0 &&
        `It replaces lists of other files, which count no longer: ${replaced.join(", ")}.`,
        ignoreAdvice({ path, isNew: true }),
      ],
    };
  },
});

function listSources(context: CliContext): Readonly<Record<string, string>> {
  const files = filesHere(context);
  const { config } = parseConfig(files);
  const { values, sources } = mergedConfig(files, { config, effective: false });
  const isList = (key: string) => Array.isArray(valueAt(values, key.split(".")));
  return Object.fromEntries(Object.entries(sources).filter(([key]) => isList(key)));
}

export const set = verb({
  person: "config set",
  flags: LAYER_FLAGS,
  args: [
    KEY,
    parsed(String, "The value as YAML: `[a, b]` is a list; `null` takes it out", "value"),
  ],
  async run(context, flags, key, given) {
    const { layer, flag } = layerOf("set", flags);
    const target = targetOf(context, layer);
    const again = (known: string) => `conclaude config set ${known} ${quoteWord(given)}`;
    const path = pathOf(key, (known) => again(known) + flag);
    const at = { layer, path: target.path, home: context.locations.home ?? undefined };
    const [first, ...others] = readings(given).map((value) => {
      const text = textWith(target, { path, value });
      return { value, text, fault: newFault(text, at, target) };
    });
    const { value, text, fault } = [first!, ...others].find((one) => one.fault === null) ?? first!;
    const cannot = (why: string, next: string) =>
      new UserError(`Cannot set "${key}"`, { why: `${why}; nothing was changed`, next });
    if (fault !== null) throw cannot(fault.message, fault.suggestion ?? "conclaude config show");
    const { unheeded } = readLayer({ ...at, text });
    if (unheeded.some((one) => `${one}.`.startsWith(`${key}.`) || key.startsWith(`${one}.`))) {
      throw cannot("it counts only in the user's own file", `${again(key)} --user`);
    }
    const changed = text !== target.text;
    if (changed) await writeAccepted(context, target, text);
    const files = filesHere(context);
    const source = sourcesIn(files, parseConfig(files).config)(key);
    const { path: file } = target;
    const what = value !== null ? "is set" : changed ? "is no longer set" : "was not set";
    const hidden = value === null || source === file || source === "default"
      ? ""
      : ` ${source} comes before it: the value there counts.`;
    return {
      json: { key, value, path: file, changed, source },
      text: [`${key} ${what} in ${file}.${hidden}`, ignoreAdvice(target)],
    };
  },
});

export const trust = verb({
  person: "config trust",
  flags: { remove: toggle("Take that back") },
  args: [text("The folder", "dir")],
  async run(context, { remove }, dir) {
    const { globals, locations } = context;
    const typed = typedPath(context, dir);
    const what = `Cannot ${remove ? "distrust" : "trust"} "${typed}"`;
    const cannot = (why: string, next: string) =>
      new UserError(what, { why: `${why}; nothing was changed`, next });
    if (!remove && !isFolder(typed)) throw cannot("it is no folder", "conclaude config path");
    if (globals.noDb) {
      throw cannot("with `--no-db` nothing is kept", "give the command again without `--no-db`");
    }
    if (locations.databaseFrom === "fallback") {
      const why = "without a home the database lies where others could make one";
      throw cannot(why, "export HOME=DIR");
    }
    const path = realPath(typed);
    // A configuration file must not choose the database that records its trust, so this is always this home's database.
    const { db } = await openAt(context, await placeOf(context), locations.database);
    const addedAtMs = Date.now();
    const changed = remove ? removeTrusted(db, path) : addTrusted(db, { path, addedAtMs });
    // The stored versions of its files no longer count, even if a session is active.
    if (remove && changed) forgetBelow(db, path);
    const text = remove ? [`${path} is ${changed ? "no longer" : "not"} trusted.`] : [
      `${path} is trusted${changed ? "" : " already"}: what lies in it and below counts from the ` +
      "next hook on, whoever may write there.",
      `To take that back: conclaude config trust ${quoteWord(path)} --remove`,
    ];
    return { json: { path, trusted: !remove, changed }, text };
  },
});

/** Finds open violations of this project, and changed configuration files whose former version is in force. */
async function openHere(context: CliContext) {
  const project = projectHere(context.cwd);
  const databases = await databasesHere(context);
  const { config } = await placeOf(context);
  const found = databases.map(async (db) => {
    const open = await stillOpenIn(context, openViolations(db, project), { db, config });
    return open.map((one) => ({ ...one, db }));
  });
  const open = (await Promise.all(found)).flat();
  const held = config.held.filter((path) => open.every(({ subject }) => subject !== path));
  return { databases, open, held };
}

export const accept = verb({
  person: "config accept",
  args: many(text("Files or branches; without one, all", "name")),
  flags: { dryRun: toggle("Only list them") },
  async run(context, { dryRun }, ...names: string[]) {
    const { open, held } = await openHere(context);
    const isMeant = (subject: string, name: string) =>
      names.length === 0 ||
      names.some((given) => given === name || [given, typedPath(context, given)].includes(subject));
    const meant = open.filter(({ subject, name }) => isMeant(subject, name));
    const files = held.filter((path) => isMeant(path, path));
    const undone = files.map((path) =>
      `- ${path}; undo: \`conclaude config undo ${quoteWord(path)}\``
    );
    // A command has a line of its own, so that it can be pasted.
    const lines = [...linesOf(meant), ...undone]
      .flatMap((line) => line.replace(/; undo: `(.+)`$/, "\n  undo: $1").split("\n"));
    const policy = meant.filter(({ kind }) => kind === "policy").map(({ subject }) => subject);
    if (!dryRun) {
      for (const { db, id } of meant) settleViolations(db, [id], Date.now());
      if (policy.length + files.length > 0) await acceptFiles(context, [...policy, ...files]);
    }
    const found = [...meant.map(({ subject }) => subject), ...files];
    return {
      json: { accepted: dryRun ? [] : found, open: dryRun ? found : [] },
      text: lines.length === 0
        ? "Nothing is open."
        : [`${count(found.length, "change")} ${dryRun ? "open" : "accepted"}:`, ...lines],
    };
  },
});

export const undo = verb({
  args: [text("A policy file that was changed", "file")],
  async run(context, _flags, file) {
    const path = typedPath(context, file);
    const { databases, open, held } = await openHere(context);
    const about = open.filter(({ subject, kind }) => subject === path && kind === "policy");
    if (about.length === 0 && !held.includes(path)) {
      const why = "no change of it is open; nothing was changed";
      const next = "conclaude config accept --dry-run";
      throw new UserError(`Cannot undo "${path}"`, { why, next });
    }
    const kept = databases.map((db) => keptText(db, path)).find((text) => text !== undefined);
    // A folder or link may lie in the file's place, or others have the right to write it.
    if (kept !== undefined && isFile(path)) chmodSync(path, statSync(path).mode! & 0o755);
    else if (exists(path)) removeSync(path);
    // Git runs its hooks.
    const mode = baseName(parentOf(path)) === "hooks" ? 0o755 : 0o644;
    if (kept !== undefined) writeTarget({ path, mode }, kept);
    // What was committed is undone by a commit.
    const settled = about.filter(({ before }) => !before.startsWith(COMMITTED));
    for (const { db, id } of settled) settleViolations(db, [id], Date.now());
    const done = kept === undefined ? "removed" : "put back";
    return { json: { path, done }, text: [`${path} is ${done}.`] };
  },
});
