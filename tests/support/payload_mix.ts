import { REPOSITORY } from "./process.ts";
import { seededRandom, sourceFiles, toolUseRecords } from "./tool_uses.ts";

/** Where the sessions of a mix take place. */
export interface MixOptions {
  /** The same number gives the same tool uses; ids and times differ. */
  readonly seed: number;
  readonly home: string;
  readonly project: string;
}

/**
 * What Claude Code would send for a day of ordinary work: PostToolUse payloads of 0.3 to 40 kB (shell output, reads, edits
 * with the original file, searches, writes, MCP answers), their texts taken from the sources of this program.
 */
export function payloadMix(count: number, options: MixOptions): Record<string, unknown>[] {
  const random = seededRandom(options.seed);
  const files = sourceFiles(`${REPOSITORY}/src`);
  return toolUseRecords(count, { random, files, startMs: Date.now() }).map((record) => {
    const { project_dir: _dir, ...toolUse } = JSON.parse(record.capture?.payload ?? "{}");
    return {
      session_id: record.sessionId,
      transcript_path: `${options.home}/.claude/projects/mix/${record.sessionId}.jsonl`,
      cwd: options.project,
      permission_mode: "default",
      hook_event_name: "PostToolUse",
      ...toolUse,
    };
  });
}
