import { joinPath, parentOf } from "../../base/paths.ts";
import { VERSION } from "../../base/version.ts";
import { marketplaceEntry, pluginFiles } from "../../claude/plugin/plugin_files.ts";
import { planHooks } from "../../claude/settings/hooks.ts";
import { DEFAULT_EVENTS } from "../../claude/settings/lanes.ts";
import { readText } from "../../system/on_disk.ts";
import { makeFolder, makePrivateFolder, writeWhole } from "../../system/write_file.ts";
import { toolsOfAllRules } from "../look_as_hook.ts";
import { ownProgram } from "../own_program.ts";
import { group, verb } from "../verb.ts";

const path = verb({
  async run(context) {
    const { program } = ownProgram(context.environment);
    const folder = joinPath(parentOf(context.locations.database), "plugin");
    const tools = await toolsOfAllRules(context);
    // Claude Code starts a plugin's hooks without a shell.
    const entries = planHooks(program, DEFAULT_EVENTS, { tools, exec: true });
    const files = pluginFiles(entries, { program, version: VERSION });
    makePrivateFolder(folder);
    const written: string[] = [];
    for (const [name, text] of files) {
      const file = joinPath(folder, name);
      if (readText(file) === text) continue;
      makeFolder(parentOf(file), 0o700);
      writeWhole(file, text, { mode: 0o600 });
      written.push(name);
    }
    const json = { path: folder, version: VERSION, written, entry: marketplaceEntry(program) };
    // Claude Code reads one line: the folder.
    return { json, text: folder, quoted: true };
  },
});

export const plugin = group({ path });
