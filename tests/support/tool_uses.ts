import { capturePriority, filesTouched, inputExcerpt } from "../../src/claude/payload.ts";
import type { HookRecord } from "../../src/db/captures.ts";
import { hookRecord } from "./records.ts";

/** A tool use with the shape that Claude Code gives it, its texts taken from real source files. */
type ToolUse = Readonly<{ tool: string; input: Record<string, unknown>; response: unknown }>;

/** A source file: where it lies, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/**
 * Source files of ordinary size, 1 to 30 kB: the files below a folder by path, one to five of them joined in turn, since
 * those of this project are smaller than usual.
 */
export function sourceFiles(folder: string): SourceFile[] {
  const files = filesBelow(folder);
  const joined: SourceFile[] = [];
  for (let i = 0, size = 1; i < files.length; i += size, size = size % MOST_JOINED + 1) {
    const group = files.slice(i, i + size);
    joined.push({ path: group[0]!.path, text: group.map(({ text }) => text).join("") });
  }
  return joined;
}

const MOST_JOINED = 5;

function filesBelow(folder: string): SourceFile[] {
  return [...Deno.readDirSync(folder)]
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .flatMap(({ name, isDirectory }): SourceFile[] => {
      const path = `${folder}/${name}`;
      if (isDirectory) return filesBelow(path);
      return /\.(ts|sql)$/.test(name) ? [{ path, text: Deno.readTextFileSync(path) }] : [];
    });
}

/** What a session of ordinary work consists of, in parts of all tool uses. */
const SHARES: readonly (readonly [share: number, make: typeof bash])[] = [
  [0.34, bash],
  [0.24, read],
  [0.2, edit],
  [0.09, grep],
  [0.06, write],
  [0.04, mcp],
  [0.03, todo],
];

type Dice = { readonly random: () => number; readonly files: readonly SourceFile[] };

/** Records of tool uses as the hooks write them: two hundred tool uses a session, 0.3 to 40 kB of payload each. */
export function toolUseRecords(
  count: number,
  dice: Dice & { readonly startMs: number },
): HookRecord[] {
  const sessions = Math.ceil(count / 200);
  const ids = Array.from({ length: sessions }, () => crypto.randomUUID());
  return Array.from({ length: count }, (_, i) => {
    const atMs = dice.startMs + i * 20_000;
    return toolUseRecord(pickUse(dice), { atMs, sessionId: ids[Math.floor(i / 200)]!, dice });
  });
}

function toolUseRecord(
  { tool, input, response }: ToolUse,
  about: { readonly atMs: number; readonly sessionId: string; readonly dice: Dice },
): HookRecord {
  const { atMs, sessionId, dice } = about;
  const toolUseId = `toolu_01${letters(dice.random, 22)}`;
  const rest = {
    prompt_id: crypto.randomUUID(),
    effort: { level: "medium" },
    tool_use_id: toolUseId,
    duration_ms: Math.floor(dice.random() * 900),
  };
  const payload = {
    tool_name: tool,
    tool_input: input,
    tool_response: response,
    project_dir: "/home/ana/work/conclaude",
    ...rest,
  };
  const files = filesTouched(tool, input);
  const text = JSON.stringify(payload);
  return hookRecord({
    atMs,
    sessionId,
    session: {
      projectDir: "/home/ana/work/conclaude",
      repository: "/home/ana/work/conclaude/.git",
      branch: "main",
      cwd: "/home/ana/work/conclaude",
      permissionMode: "default",
      transcriptPath: `/home/ana/.claude/projects/-home-ana-work-conclaude/${sessionId}.jsonl`,
      claudePid: 4711,
    },
    execution: {
      toolName: tool,
      toolUseId,
      durationMs: 20 + dice.random() * 10,
      metadata: { config: "none", files, input: inputExcerpt(text) },
    },
    capture: {
      toolName: tool,
      toolUseId,
      priority: capturePriority(tool),
      filesTouched: files,
      payload: text,
    },
    counters: ["tool_uses"],
  });
}

function pickUse(dice: Dice): ToolUse {
  let at = dice.random();
  for (const [share, make] of SHARES) {
    if (at < share) return make(dice);
    at -= share;
  }
  return bash(dice);
}

function pick<Item>(items: readonly Item[], random: () => number): Item {
  return items[Math.floor(random() * items.length)]!;
}

/** Some lines of a file, from `start`, at most so many characters. */
function part({ text }: SourceFile, random: () => number, maxChars: number) {
  const lines = text.split("\n");
  const start = Math.floor(random() * lines.length * 0.6);
  const taken: string[] = [];
  for (let chars = 0, i = start; i < lines.length && chars < maxChars; i++) {
    taken.push(lines[i]!);
    chars += lines[i]!.length;
  }
  return { start, taken };
}

function bash({ random, files }: Dice): ToolUse {
  const file = pick(files, random);
  const { taken } = part(file, random, 80 * Math.exp(random() * 4.6));
  // A search for the text of a blank line or a bracket would be that of many other tool uses.
  const long = taken.filter((line) => line.trim().length > 20);
  return {
    tool: "Bash",
    input: {
      command: `cd /home/ana/work/conclaude && grep -rn "${
        pick(long.length > 0 ? long : taken, random).trim().slice(0, 30)
      }" src | head -40; deno test -A tests/ 2>&1 | tail -20`,
      description: "Look for the caller and run the tests",
    },
    response: {
      stdout: taken.map((line, i) => `${file.path}:${i}:${line}`).join("\n"),
      stderr: "",
      interrupted: false,
      isImage: false,
      noOutputExpected: false,
    },
  };
}

function read({ random, files }: Dice): ToolUse {
  const file = pick(files, random);
  const lines = file.text.split("\n").length;
  const whole = random() < 0.6;
  const { start, taken } = whole
    ? { start: 0, taken: [file.text] }
    : part(file, random, 2_000 + random() * 4_000);
  return {
    tool: "Read",
    input: { file_path: file.path, ...whole ? {} : { offset: start, limit: taken.length } },
    response: {
      type: "text",
      file: {
        filePath: file.path,
        content: taken.join("\n"),
        numLines: whole ? lines : taken.length,
        startLine: start + 1,
        totalLines: lines,
      },
    },
  };
}

function edit({ random, files }: Dice): ToolUse {
  const file = pick(files, random);
  const { start, taken } = part(file, random, 100 + random() * 700);
  const oldString = taken.join("\n");
  const added = part(pick(files, random), random, 60 + random() * 400).taken;
  const newString = [...taken.slice(0, -1), ...added].join("\n");
  return {
    tool: "Edit",
    input: {
      file_path: file.path,
      old_string: oldString,
      new_string: newString,
      replace_all: false,
    },
    response: {
      filePath: file.path,
      oldString,
      newString,
      originalFile: file.text,
      structuredPatch: [{
        oldStart: start,
        oldLines: taken.length,
        newStart: start,
        newLines: taken.length + added.length - 1,
        lines: [...taken.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
      }],
      userModified: false,
      replaceAll: false,
    },
  };
}

function grep({ random, files }: Dice): ToolUse {
  const found = Array.from({ length: 1 + Math.floor(random() * 25) }, () => pick(files, random));
  const content = found.map((file, i) => `${file.path}:${i}:${pick(file.text.split("\n"), random)}`)
    .join("\n");
  return {
    tool: "Grep",
    input: {
      pattern: "function \\w+Session",
      path: "/home/ana/work/conclaude",
      output_mode: "content",
    },
    response: { mode: "content", numFiles: found.length, filenames: [], content },
  };
}

function write({ random, files }: Dice): ToolUse {
  const { path, text } = pick(files, random);
  return {
    tool: "Write",
    input: { file_path: path, content: text },
    response: {
      type: "create",
      filePath: path,
      content: text,
      structuredPatch: [],
      originalFile: null,
      userModified: false,
    },
  };
}

function mcp({ random, files }: Dice): ToolUse {
  const { path, text } = pick(files, random);
  return {
    tool: "mcp__github__get_file_contents",
    input: { owner: "ana", repo: "conclaude", path },
    response: [{ type: "text", text: JSON.stringify({ path, sha: letters(random, 40), text }) }],
  };
}

function todo({ random, files }: Dice): ToolUse {
  const todos = Array.from({ length: 6 }, () => ({
    content: `Correct ${pick(files, random).path}`,
    status: "pending",
    activeForm: `Correcting ${pick(files, random).path}`,
  }));
  return { tool: "TodoWrite", input: { todos }, response: { oldTodos: todos, newTodos: todos } };
}

function letters(random: () => number, count: number): string {
  const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz0123456789";
  return Array.from({ length: count }, () => alphabet[Math.floor(random() * alphabet.length)])
    .join("");
}
