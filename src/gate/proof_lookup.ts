/** Looks for proofs in the transcripts of Claude Code. Loaded only where a satisfaction has to be proven. */
import { joinPath, parentOf } from "../paths.ts";
import { type Missing, type Proof, saidIn, signOf } from "../requirement/proof.ts";

/** The line is new, so it mostly stands near the end. */
const FIRST_BYTES = 262_144;
/** How far from the end it is searched. */
const MAX_BYTES = 50 * 1_048_576;
const LINE_BREAK = 10;

/** An id that may become part of a path, since it leads to no other folder. */
const PLAIN_NAME = /^[\w-]+$/;

/**
 * Looks for a proof.
 *
 * @param near The transcript of a session: those of other sessions lie around it.
 * @param sessionId The session of that transcript.
 */
export function lookForProof(
  proof: Proof,
  skill: string,
  { near, sessionId }: { readonly near: string | null; readonly sessionId: string },
): { readonly foundIn: string } | { readonly missing: Missing } {
  const path = near === null ? null : transcriptOf(proof, near, sessionId);
  if (path === null) return { missing: "no transcript" };
  if (proof.id === null) return { missing: "not shown" };
  try {
    for (const line of linesWith(path, signOf(proof, skill))) {
      const said = saidIn(parsed(line), proof, skill);
      if (said !== null) return said === "done" ? { foundIn: path } : { missing: "not shown" };
    }
    return { missing: "not shown" };
  } catch {
    return { missing: "no transcript" };
  }
}

/** The transcript that would show the proof; null where there is none. */
function transcriptOf({ sessionId, agentId }: Proof, near: string, whose: string): string | null {
  const session = sessionId === whose && isFile(near) ? near : sessionBeside(near, sessionId);
  if (session === null || agentId === null) return session;
  if (!PLAIN_NAME.test(agentId)) return null;
  const folder = joinPath(session.replace(/\.jsonl$/, ""), "subagents");
  const path = joinPath(folder, `agent-${agentId}.jsonl`);
  return isFile(path) ? path : null;
}

/** The transcript of another session, in the same folder or in that of another project. */
function sessionBeside(near: string, sessionId: string): string | null {
  if (!PLAIN_NAME.test(sessionId)) return null;
  const folder = parentOf(near);
  const inFolder = (folder: string) => joinPath(folder, `${sessionId}.jsonl`);
  if (isFile(inFolder(folder))) return inFolder(folder);
  const all = parentOf(folder);
  try {
    for (const { name } of Deno.readDirSync(all)) {
      const path = inFolder(joinPath(all, name));
      if (isFile(path)) return path;
    }
  } catch {
    // The caller says that there is none.
  }
  return null;
}

/** A pipe under this name would be waited for without end. */
function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** The lines of a file that hold a text, the last one first. It reads larger and larger parts from the end. */
function* linesWith(path: string, text: string): Generator<string> {
  using file = Deno.openSync(path);
  const decoder = new TextDecoder();
  let end = file.statSync().size;
  const first = Math.max(0, end - MAX_BYTES);
  // The end of a line whose beginning is not read yet.
  let rest = new Uint8Array();
  for (let size = FIRST_BYTES; end > first; size *= 4) {
    const start = Math.max(first, end - size);
    const bytes = new Uint8Array(end - start + rest.length);
    file.seekSync(start, Deno.SeekMode.Start);
    for (let at = 0; at < end - start;) {
      const read = file.readSync(bytes.subarray(at, end - start));
      if (read === null) return;
      at += read;
    }
    bytes.set(rest, end - start);
    const from = start === 0 ? 0 : bytes.indexOf(LINE_BREAK) + 1;
    if (from > 0 || start === 0) {
      const part = decoder.decode(bytes.subarray(from));
      if (part.includes(text)) {
        yield* part.split("\n").filter((line) => line.includes(text)).reverse();
      }
      rest = bytes.subarray(0, from);
    } else {
      rest = bytes;
    }
    end = start;
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
