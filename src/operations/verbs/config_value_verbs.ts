/** `conclaude config get|set|accept|undo`: read or set one key, accept or undo changes of files. */
import "../config_sections.ts";
import { UserError } from "../../base/errors.ts";
import { quoteWord } from "../../claude/settings/hooks.ts";
import { configSchema } from "../../config/config_schema.ts";
import { sourcesIn, valueText } from "../../config/config_template.ts";
import { newFault, readings, textWith } from "../../config/config_edit.ts";
import { keysLike, readLayer } from "../../config/layer.ts";
import { parseConfig } from "../../config/parse.ts";
import { valueAt } from "../../config/yaml_tree.ts";
import {
  acceptFiles,
  databasesHere,
  ignoreAdvice,
  LAYER_FILES,
  layerOf,
  targetOf,
  writeAccepted,
  writeTarget,
} from "../config_target.ts";
import { filesInForce, heldText } from "../look_as_hook.ts";
import { parsed, proposing, text, toggle } from "../flags.ts";
import { many, verb } from "../verb.ts";
import { count } from "../../base/counts.ts";
import { baseName, parentOf } from "../../base/paths.ts";
import { keptText } from "../../config/store.ts";
import { linesOf } from "../../policy/effects/effect_text.ts";
import { openViolations, settleViolations } from "../../policy/store.ts";
import { chmodSync, isFile, removeSync, statSync } from "../../system/files.ts";
import { exists } from "../../system/on_disk.ts";
import { type CliContext, filesHere, typedPath } from "../context.ts";
import { placeOf } from "../open_store.ts";
import { projectHere } from "../session_lookup.ts";

export const LAYER_FLAGS = {
  user: toggle("The user's own: ~/.conclaude/config.yaml"),
  local: toggle("This folder's private one: .conclaude.local.yaml"),
} as const;

const KEY = proposing("key", text("The key with its sections: `memory.context.tokens`", "key"));

export const get = verb({
  args: [KEY],
  async run(context, _flags, named) {
    // A denial names a rule with its index: `stop.commands[0]`.
    const key = named.replace(/\[\d+\]$/, "");
    const path = pathOf(key, (known) => `conclaude config get ${known}`);
    const { files, held } = await filesInForce(context);
    const { config } = parseConfig(files);
    const value = valueAt(config, path);
    if (value === undefined) {
      const why = "no file sets it, and it has no default";
      throw new UserError(`Cannot show "${key}"`, { why, next: "conclaude config show" });
    }
    const { keys, rowName } = configSchema();
    const below = keys.map((row) => row.key).filter((name) => name.startsWith(`${key}.`));
    const about = keys.find((row) => row.key === rowName(path))?.description;
    const sourceOf = sourcesIn(files, config);
    const sources = Object.fromEntries(
      (below.length === 0 ? [key] : below).map((name) => [name, sourceOf(name)]),
    );
    return {
      json: { key, value, sources },
      text: [
        ...held.length === 0 ? [] : [heldText({ held }).trimEnd()],
        ...about === undefined ? [] : [`# ${about}`],
        ...Object.entries(sources).map(([name, source]) =>
          `${name}: ${valueText(valueAt(config, name.split(".")))}  # ${source}`
        ),
      ],
    };
  },
});

/** Returns the path of a known key, section or entry. @param again The command with another key. @throws {UserError} */
function pathOf(key: string, again: (known: string) => string): readonly string[] {
  const { keys, itemKeys, sections, rowName } = configSchema();
  const path = key.split(".");
  const name = rowName(path);
  const isKnown = [...keys, ...itemKeys, ...sections].some(({ key }) =>
    key === name || key.startsWith(`${name}.`)
  );
  if (isKnown) return path;
  const like = keysLike(name).filter((known) => !/[<[]/.test(known));
  const meant = like.map((known) => `"${known}"`).join(" or ");
  throw new UserError(`Unknown key "${key}"`, {
    why: `there is no such key${like.length === 0 ? "" : `; did you mean ${meant}?`}`,
    next: like.length === 1 ? again(like[0]!) : "conclaude config show",
  });
}

export const set = verb({
  person: "config set",
  flags: LAYER_FLAGS,
  args: [
    KEY,
    parsed(String, "The value as YAML: `[a, b]` is a list; `null` takes it out", "value"),
  ],
  async run(context, flags, key, given) {
    const layer = layerOf("set", flags);
    const { flag } = LAYER_FILES[layer];
    const target = targetOf(context, layer);
    const again = (known: string) => `conclaude config set ${known} ${quoteWord(given)}${flag}`;
    const path = pathOf(key, again);
    const { home } = context.locations;
    const at = { layer, path: target.path, home: home ?? undefined };
    const [first, ...others] = readings(given).map((value) => ({
      value,
      text: textWith(target, { path, value }),
    }));
    const meant = [first!, ...others].find(({ text }) => newFault(text, at, target) === null);
    if (meant === undefined) {
      const { message, suggestion } = newFault(first!.text, at, target)!;
      throw new UserError(`Cannot set "${key}"`, {
        why: `${message}; nothing was changed`,
        next: suggestion ?? "conclaude config show",
      });
    }
    const { unheeded } = readLayer({ ...at, text: meant.text });
    if (unheeded.some((one) => `${one}.`.startsWith(`${key}.`) || key.startsWith(`${one}.`))) {
      throw new UserError(`Cannot set "${key}"`, {
        why: "it counts only in the user's own file; nothing was changed",
        next: `conclaude config set ${key} ${quoteWord(given)} --user`,
      });
    }
    const changed = meant.text !== target.text;
    if (changed) await writeAccepted(context, target, meant.text);
    const files = filesHere(context);
    const source = sourcesIn(files, parseConfig(files).config)(key);
    const { path: file } = target;
    const what = meant.value !== null ? "is set" : changed ? "is no longer set" : "was not set";
    const hidden = meant.value === null || source === file || source === "default"
      ? ""
      : ` ${source} comes before it: the value there counts.`;
    return {
      json: { key, value: meant.value, path: file, changed, source },
      text: [
        `${key} ${what} in ${file}.${hidden}`,
        ...layer === "local" ? ignoreAdvice(target) : [],
      ],
    };
  },
});

/** Finds open violations of this project, and changed configuration files whose former version is in force. */
async function openHere(context: CliContext) {
  const project = projectHere(context.cwd);
  const databases = await databasesHere(context);
  const { config } = await placeOf(context);
  const open = databases.flatMap((db) => openViolations(db, project).map((one) => ({ db, one })));
  const held = config.held.filter((path) => open.every(({ one }) => one.subject !== path));
  return { databases, open, held };
}

export const accept = verb({
  person: "config accept",
  args: many(text("Files or branches; without one, all", "name")),
  flags: { dryRun: toggle("Only list them") },
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
        : [`${count(lines.length, "change")} ${what}:`, ...lines],
    };
  },
});

export const undo = verb({
  args: [text("A policy file that was changed", "file")],
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
    // Git runs its hooks.
    const mode = baseName(parentOf(path)) === "hooks" ? 0o755 : 0o644;
    if (kept !== undefined) {
      // A folder or link may lie in the file's place, or others have the right to write it.
      if (isFile(path)) chmodSync(path, statSync(path).mode! & 0o755);
      else if (exists(path)) removeSync(path);
      writeTarget({ path, mode }, kept);
    } else if (exists(path)) removeSync(path);
    for (const { db, one } of about) settleViolations(db, [one.id], Date.now());
    const done = kept === undefined ? "removed" : "put back";
    return { json: { path, done }, text: [`${path} is ${done}.`] };
  },
});
