import { headed, plain, plainLines } from "../../capture/plain.ts";
import { UserError } from "../../errors.ts";
import { shortened } from "../../memory/text.ts";
import { observationFacts } from "../../recall/view.ts";
import { capturesOfObservation } from "../../store/memory_look.ts";
import { readObservations } from "../../store/observations.ts";
import type { Call } from "../call.ts";
import { folderOf, tellable } from "../project.ts";

/** About 1,600 tokens of text; with what stands around it a part is about 2,000 at most. */
const PART_CHARS = 5_600;
const MAX_FACT_CHARS = 240;
const MAX_FILES = 8;
const MAX_CAPTURES = 3;

/** `open`: an observation whole, a long text in parts. */
export function open({ db, project, nowMs, args }: Call): string {
  const id = Number(args["id"]);
  const found = readObservations(db, [id]);
  const observation = tellable(found, id, { project, everywhere: args["everywhere"] === true });
  const parts = partsOf(observation.text);
  const part = Number(args["part"] ?? 1);
  const text = parts[part - 1];
  if (text === undefined) {
    throw new UserError(`Cannot open part ${part} of #${id}`, {
      why: parts.length === 1 ? "it is whole in one part" : `it has ${parts.length} parts`,
      next: `open {"id": ${id}}`,
    });
  }
  const rest = part < parts.length ? `: open {"id": ${id}, "part": ${part + 1}} goes on` : "";
  const place = parts.length === 1 ? [] : ["", `[part ${part} of ${parts.length}${rest}]`];
  const heading = headed(`Observation #${id} of ${folderOf(observation)}`);
  if (part > 1) return [heading, plainLines(text), ...place].join("\n");
  const { files } = observation;
  const captures = capturesOfObservation(db, observation).map(({ id }) => id);
  return [
    heading,
    plain(observation.title),
    ...observationFacts(observation, nowMs)
      .map(([name, value]) => `${name}: ${shortened(value, MAX_FACT_CHARS)}`),
    ...listed("files", files.map((path) => plain(shortened(path, MAX_FACT_CHARS))), MAX_FILES),
    ...listed("made of", captures, MAX_CAPTURES, "conclaude queue show ID"),
    "",
    plainLines(text),
    ...place,
  ].join("\n");
}

/** Parts of a text, each whole lines where that is possible; one for an empty text. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let at = 0;
  do {
    const piece = text.slice(at, at + PART_CHARS);
    const line = at + PART_CHARS < text.length ? piece.lastIndexOf("\n") : -1;
    let end = at + (line > PART_CHARS / 2 ? line + 1 : piece.length);
    // Not between the halves of a character.
    if (/[\ud800-\udbff]/.test(text[end - 1] ?? "") && end < text.length) end--;
    parts.push(text.slice(at, end).trimEnd());
    at = end;
  } while (at < text.length);
  return parts;
}

function listed(
  name: string,
  all: readonly string[],
  limit: number,
  hint?: string,
): string[] {
  if (all.length === 0) return [];
  const more = all.length > limit ? `, and ${all.length - limit} more` : "";
  const how = hint === undefined ? "" : ` (${hint})`;
  return [`${name}: ${all.slice(0, limit).join(", ")}${more}${how}`];
}
