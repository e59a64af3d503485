/** Workflows, prompts and matchers of the older daemon as files of ours. A file of ours is never replaced. */
import { isSeq, parse as parseYaml, parseDocument, stringify } from "yaml";
import { messageOf } from "../../errors.ts";
import { writeWholeFile } from "../../maintenance/whole_file.ts";
import {
  type ConfigEntry,
  convertMapping,
  convertOldConfig,
  type NotTaken,
} from "../../orchestration/coven/old_config.ts";
import type { OldFile, Skipped } from "../../orchestration/coven/old_state.ts";
import { isMapping } from "../../orchestration/field_reader.ts";
import { parseMatchers } from "../../orchestration/matcher_file.ts";
import { textFaults } from "../../orchestration/template_check.ts";
import { joinPath } from "../../paths.ts";
import { lookForWorkflow, parseFile } from "../workflow_files.ts";
import type { OldPlace, OtherOldFiles } from "./old_files.ts";

/** A file that is to be made. */
export interface CopiedFile {
  readonly from: string;
  readonly to: string;
  readonly text: string;
}

/** What is made of what people have written. */
export interface FilesPlan {
  readonly writes: readonly CopiedFile[];
  /** Files of ours that say the same already. */
  readonly present: readonly string[];
  /** Keys for our configuration, and those that have no place in it. */
  readonly entries: readonly ConfigEntry[];
  readonly notTaken: readonly NotTaken[];
  readonly skipped: readonly Skipped[];
  readonly notes: readonly string[];
  readonly filesRead: number;
}

/** Plans the files; nothing is written. */
export function planFiles({ root }: OldPlace, other: OtherOldFiles): FilesPlan {
  const ours = joinPath(root, ".conclaude");
  const planning = new Planning();
  for (const file of other.grimoires) {
    const text = planning.textOf(file);
    if (text === null) continue;
    const parsed = parseFile({ name: file.name, path: file.path, text });
    if ("errors" in parsed) planning.skip(file.path, parsed.errors.join("; "));
    else planning.copy(file.path, joinPath(ours, `workflows/${file.name}.yaml`), text);
  }
  for (const file of other.spells) {
    const text = planning.textOf(file);
    if (text === null) continue;
    const [fault = null] = textFaults(text);
    if (fault !== null) planning.notes.push(`${file.path}: ${fault}`);
    planning.copy(file.path, joinPath(ours, `prompts/${file.name}.md`), text);
  }
  const mapping = planning.mappingOf(other.mapping);
  const { defaultWorkflow, matchers } = mapping === null
    ? { defaultWorkflow: null, matchers: [] }
    : convertMapping(mapping);
  if (defaultWorkflow !== null) {
    const isPlanned = planning.writes.some(({ to }) =>
      to === joinPath(ours, `workflows/${defaultWorkflow}.yaml`)
    );
    if (!isPlanned && lookForWorkflow(defaultWorkflow, root) === undefined) {
      planning.notes.push(
        `orchestration.defaultWorkflow: there is no workflow "${defaultWorkflow}"; ` +
          `tasks that get it are blocked until there is .conclaude/workflows/${defaultWorkflow}.yaml`,
      );
    }
  }
  const text = planning.matchersText(other.matchers, matchers);
  if (text !== null) {
    const from = (other.matchers ?? other.mapping)!.path;
    planning.copy(from, joinPath(ours, "workflow-matchers.yaml"), text);
  }
  const config = planning.mappingOf(other.config);
  const converted = config === null ? { entries: [], notTaken: [] } : convertOldConfig(config);
  return {
    writes: planning.writes,
    present: planning.present,
    entries: [
      ...converted.entries,
      ...defaultWorkflow === null
        ? []
        : [{ path: ["orchestration", "defaultWorkflow"], value: defaultWorkflow }],
    ],
    notTaken: [
      ...converted.notTaken,
      ...other.without.map((path) => ({ name: path, why: "it has no counterpart here" })),
    ],
    skipped: planning.skipped,
    notes: planning.notes,
    filesRead: planning.filesRead,
  };
}

/** Makes a planned file, whole. @throws {Error} What the file system says. */
export function writeCopy({ to, text }: CopiedFile): void {
  writeWholeFile(to, text, { mode: 0o644 });
}

class Planning {
  readonly writes: CopiedFile[] = [];
  readonly present: string[] = [];
  readonly skipped: Skipped[] = [];
  readonly notes: string[] = [];
  filesRead = 0;

  skip(path: string, why: string): void {
    this.skipped.push({ path, why });
  }

  textOf({ path, text, problem }: OldFile): string | null {
    if (text === null) this.skip(path, problem);
    else this.filesRead++;
    return text;
  }

  mappingOf(file: OldFile | null): Readonly<Record<string, unknown>> | null {
    const text = file === null ? null : this.textOf(file);
    if (text === null) return null;
    try {
      const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
      if (isMapping(value)) return value;
      this.skip(file!.path, "it holds no JSON object");
    } catch (thrown) {
      this.skip(file!.path, `it is no JSON: ${messageOf(thrown)}`);
    }
    this.filesRead--;
    return null;
  }

  /** Plans a copy, unless a file is there already. */
  copy(from: string, to: string, text: string): void {
    const there = readOrNull(to);
    const planned = this.writes.find((file) => file.to === to)?.text;
    if (there === text || planned === text) this.present.push(to);
    else if (there !== null || planned !== undefined) {
      this.skip(from, `${to} is there already and says something else; it stays`);
    } else this.writes.push({ from, to, text });
  }

  /** The matchers of the file, then those of the mapping; null when there are none. */
  matchersText(file: OldFile | null, more: readonly unknown[]): string | null {
    const given = file === null ? null : this.textOf(file);
    if (given === null) return more.length === 0 ? null : stringify({ matchers: more });
    try {
      const { warnings } = parseMatchers(parseYaml(given));
      this.notes.push(...warnings.map((warning) => `${file!.path}: ${warning}`));
    } catch (thrown) {
      this.skip(file!.path, `it is no YAML: ${messageOf(thrown)}`);
      this.filesRead--;
      return more.length === 0 ? null : stringify({ matchers: more });
    }
    if (more.length === 0) return given;
    const document = parseDocument(given);
    const list = isSeq(document.contents) ? document.contents : document.get("matchers", true);
    if (!isSeq(list)) {
      document.set("matchers", document.createNode(more));
    } else for (const one of more) list.add(document.createNode(one));
    return document.toString({ lineWidth: 0 });
  }
}

/** Null where there is nothing; what cannot be read is something else. */
function readOrNull(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? null : "\0";
  }
}
