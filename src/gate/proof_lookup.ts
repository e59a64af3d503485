/** Looks for proofs in the transcripts of Claude Code. Loaded only where a satisfaction has to be proven. */
import { joinPath, parentOf } from "../paths.ts";
import { linesWith } from "../project/lines_backwards.ts";
import { isFile, namesIn } from "../project/on_disk.ts";
import { type Missing, type Proof, saidIn, signOf } from "../requirement/proof.ts";

/** How far from the end it is searched. */
const MAX_BYTES = 50 * 1_048_576;

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
    for (const line of linesWith(path, signOf(proof, skill), MAX_BYTES)) {
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
  return (namesIn(all) ?? []).map((name) => inFolder(joinPath(all, name))).find(isFile) ?? null;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
