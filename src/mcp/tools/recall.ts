import { count } from "../../counts.ts";
import { headed, plain } from "../../capture/plain.ts";
import type { ObservationKind } from "../../memory/observation.ts";
import { pathInProject } from "../../memory/paths.ts";
import { spokenTime } from "../../memory/spoken_time.ts";
import { withoutLine } from "../../paths.ts";
import { answerMemory, type SearchResult } from "../../recall/search.ts";
import { nowhereLine, outcomeWord, projectName } from "../../recall/view.ts";
import { rebuildText, withIndex } from "../../store/memory_index.ts";
import { EVERYTHING } from "../../store/memory_search.ts";
import { daysMs, relativeTime } from "../../time.ts";
import type { Call } from "../call.ts";

const LIMIT = 10;

/** `recall`: a line a result, the best first. */
export function recall({ db, project, nowMs, args }: Call): string {
  const everywhere = args["everywhere"] === true;
  const { file, days } = args;
  const options = {
    filter: {
      ...EVERYTHING,
      project: everywhere ? null : project.key,
      file: file === undefined ? null : pathInProject(withoutLine(String(file)), project.root),
      kind: (args["kind"] as ObservationKind | undefined) ?? null,
      sinceMs: days === undefined ? null : nowMs - daysMs(Number(days)),
    },
    limit: Number(args["limit"] ?? LIMIT),
    nowMs,
    time: spokenTime(String(args["query"]), nowMs),
  };
  const mended: string[] = [];
  const { results, quotedNowhere } = withIndex(
    db,
    () => answerMemory(db, String(args["query"]), options),
    (why) => mended.push(rebuildText(why)),
  );
  if (results.length === 0) {
    return everywhere ? "Nothing that matches is remembered of any project." : plain(
      `Nothing that matches is remembered of ${project.folder}; \`everywhere: true\` searches other projects too.`,
    );
  }
  return [
    headed(`Remembered of ${everywhere ? "all projects" : project.folder}`),
    ...quotedNowhere.length === 0 ? [] : [nowhereLine(quotedNowhere)],
    ...results.map((result) => lineOf(result, { nowMs, here: project.key })),
    ...mended,
  ].join("\n");
}

function lineOf(
  result: SearchResult,
  { nowMs, here }: { readonly nowMs: number; readonly here: string },
): string {
  const { id, kind, title, snippet, createdAtMs, tokens, project } = result;
  const outcome = outcomeWord(result);
  const where = project === here ? "" : ` [${projectName(project)}]`;
  return plain(
    `#${id} ${relativeTime(createdAtMs, nowMs)}, ${kind}${outcome === "" ? "" : ` (${outcome})`}` +
      `${where}: ${title}${snippet === title ? "" : ` — ${snippet}`} (${count(tokens, "token")})`,
  );
}
