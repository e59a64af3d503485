/**
 * Handles the files of an agent, in a private folder beside the database, and checks whether its process lives. The
 * agent writes its output into its own files; the daemon numbers the lines and stores them in another file. After a
 * kill, the daemon goes on where the stored lines end, so that no line is lost and no number is used twice.
 */
import { quietly } from "../../base/errors.ts";
import { joinPath } from "../../base/paths.ts";
import { exists, readHead, readText } from "../../system/on_disk.ts";
import { livesOn, lookAtProcesses } from "../../system/process/process_identity.ts";
import type { Agent } from "../agents_table.ts";
import { removeSync, truncateSync, writeTextFileSync } from "../../system/files.ts";

export function agentsFolder(database: string): string {
  return `${database.replace(/\.db$/, "")}.agents`;
}

export function filesOfAgent(database: string, agentId: string) {
  const folder = joinPath(agentsFolder(database), agentId);
  const file = (name: string) => joinPath(folder, name);
  return {
    folder,
    /** The standard input of the agent: its prompt. */
    input: file("input"),
    stdout: file("stdout"),
    stderr: file("stderr"),
    /** Exists since the agent was allowed to begin; without this file it has done nothing. */
    begun: file("begun"),
    /** The exit code, which the agent's shell writes. */
    exit: file("exit"),
    /** The numbered lines: {@linkcode OutputLine} as JSON Lines. This file stays when the others are removed. */
    output: file("output.jsonl"),
  };
}

export type AgentFiles = Readonly<ReturnType<typeof filesOfAgent>>;

/** Reads the exit code that the agent's shell has written; null while there is none. */
export function readExit(files: AgentFiles): number | null {
  const code = Number.parseInt(readText(files.exit) ?? "");
  return Number.isNaN(code) ? null : code;
}

/** The text that the shell writes as the exit code when the program does not exist. */
export const NOT_FOUND = "127 not found";

export function wasNotFound(files: AgentFiles): boolean {
  return readText(files.exit)?.trim() === NOT_FOUND;
}

/** Tells whether an agent may have begun. Without any files it may have, so it must not be started again. */
export function hasBegun(files: AgentFiles): boolean {
  return exists(files.begun) || areGone(files);
}

/** Tells whether somebody has removed all files of an agent, which exist before its process. */
export function areGone({ folder }: AgentFiles): boolean {
  return !exists(folder);
}

/** Removes the files that only a running agent needs. Never throws. */
export function removeRunFiles({ input, stdout, stderr, begun, exit }: AgentFiles): void {
  for (const path of [input, stdout, stderr, begun, exit]) {
    quietly(() => removeSync(path, { recursive: true }));
  }
}

/** Removes all files of an agent. Never throws. */
export function removeAgentFiles({ folder }: AgentFiles): void {
  quietly(() => removeSync(folder, { recursive: true }));
}

/** The variable that tells the processes of an agent which agent they work for. */
export const AGENT_VARIABLE = "CONCLAUDE_AGENT_ID";

/** Tells whether an agent's process lives: it has the recorded time of its start, and the agent's id in its command. */
export async function isAlive(
  { id, pid, processMark }: Pick<Agent, "id" | "pid" | "processMark">,
): Promise<boolean> {
  return pid !== null && await livesOn({ pid, processMark }, (line) => line.includes(id));
}

/** Tells whether another process has the number by now, which must get no signal. */
export async function isReused(
  { pid, processMark }: Pick<Agent, "pid" | "processMark">,
): Promise<boolean> {
  if (pid === null) return true;
  const state = (await lookAtProcesses([pid])).get(pid);
  return state !== undefined && state.alive && processMark !== null && state.mark !== null &&
    state.mark !== processMark;
}

export function environmentMark(agentId: string): string {
  return `${AGENT_VARIABLE}=${agentId}`;
}

export interface OutputLine {
  readonly seq: number;
  readonly ts: string;
  readonly stream: "stdout" | "stderr";
  /** The text without the line break, with secrets masked. */
  readonly data: string;
  /** The offset of the next line in the agent's file, in bytes. */
  readonly next: number;
}

export interface FreshLine {
  readonly stream: OutputLine["stream"];
  /** The offset of the line in the agent's file, in bytes. */
  readonly at: number;
  /** The text with secrets masked. */
  readonly data: string;
  readonly raw: string;
}

/** The most to read at once, in bytes: masking this much blocks the daemon for some hundredths of a second. */
const CHUNK_BYTES = 1 << 16;

/** The length at which a line is cut, in bytes, so that it cannot fill the memory. */
const MAX_LINE_BYTES = 4 << 20;

const STREAMS = ["stdout", "stderr"] as const;

export class OutputReader {
  readonly #files: AgentFiles;
  readonly #mask: (text: string) => string;
  readonly #next = { stdout: 0, stderr: 0 };
  #seq = 0;

  constructor(files: AgentFiles, mask: (text: string) => string) {
    this.#files = files;
    this.#mask = mask;
    this.#resume();
  }

  /**
   * Stores a part of the agent's new output, so that the caller can do other work between two parts.
   * @param options `isOver`: the output is complete, so the last line may have no line break. `look` receives the lines
   * before they are stored, so that it misses none when this process dies in between.
   * @returns Whether there was new output, and so may be more.
   */
  take(
    options: { readonly isOver: boolean; readonly look: (lines: readonly FreshLine[]) => void },
    nowMs: number,
  ): boolean {
    let took = false;
    for (const stream of STREAMS) {
      const { lines, next } = this.#read(stream, options.isOver);
      if (lines.length === 0) continue;
      options.look(lines);
      const ts = new Date(nowMs).toISOString();
      const kept = lines.map(({ data }, i): OutputLine => {
        return { seq: this.#seq + i + 1, ts, stream, data, next: lines[i + 1]?.at ?? next };
      });
      const text = kept.map((line) => `${JSON.stringify(line)}\n`).join("");
      writeTextFileSync(this.#files.output, text, { append: true, mode: 0o600 });
      this.#seq += kept.length;
      this.#next[stream] = next;
      took = true;
    }
    return took;
  }

  /** Reads the next whole lines of a stream, up to a limit. */
  #read(stream: OutputLine["stream"], isOver: boolean) {
    const start = this.#next[stream];
    let bytes = readAt(this.#files[stream], start, CHUNK_BYTES);
    let end = bytes.lastIndexOf(10) + 1;
    if (end === 0 && bytes.length === CHUNK_BYTES) {
      bytes = readAt(this.#files[stream], start, MAX_LINE_BYTES);
      end = bytes.lastIndexOf(10) + 1;
      if (end === 0 && bytes.length === MAX_LINE_BYTES) end = bytes.length;
    }
    if (end === 0 && isOver) end = bytes.length;
    const lines: FreshLine[] = [];
    const decoder = new TextDecoder();
    for (let at = 0; at < end;) {
      const newline = bytes.indexOf(10, at);
      const stop = newline < 0 || newline >= end ? end : newline;
      const raw = decoder.decode(bytes.subarray(at, stop)).replace(/\r$/, "");
      lines.push({ stream, at: start + at, data: this.#mask(raw), raw });
      at = stop + 1;
    }
    return { lines, next: start + end };
  }

  /** Finds where an earlier process stopped, and drops its unfinished line. */
  #resume(): void {
    const { output } = this.#files;
    const text = readText(output) ?? "";
    const complete = text.slice(0, text.lastIndexOf("\n") + 1);
    if (complete !== text) truncateSync(output, new TextEncoder().encode(complete).length);
    for (const { seq, stream, next } of parseOutput(complete)) {
      this.#seq = seq;
      this.#next[stream] = next;
    }
  }
}

function parseOutput(text: string): OutputLine[] {
  return text.split("\n").slice(0, -1).map((line) => JSON.parse(line));
}

/** Reads at most `max` bytes of a file from an offset; returns none when there is no file. */
export function readAt(path: string, start: number, max: number): Uint8Array {
  return readHead(path, max, start) ?? new Uint8Array();
}

/**
 * Reads stored lines of an agent after a number.
 * @returns `lastSeq`: the number of the last line, from which the caller goes on. `more`: whether further lines exist.
 */
export function readOutputPage(
  path: string,
  { since, limit }: { readonly since: number; readonly limit: number },
) {
  const all = parseOutput(readText(path) ?? "");
  const found = all.filter(({ seq }) => seq > since);
  const lines = found.slice(0, limit).map(({ next: _, ...line }) => line);
  return {
    lines,
    lastSeq: lines.at(-1)?.seq ?? Math.min(since, all.at(-1)?.seq ?? 0),
    more: found.length > limit,
  };
}
