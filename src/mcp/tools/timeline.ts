import { headed, plain } from "../../capture/plain.ts";
import { UserError } from "../../errors.ts";
import { formerNames } from "../../git/file_status.ts";
import { pathInProject } from "../../memory/paths.ts";
import { withoutLine } from "../../paths.ts";
import { observationLine } from "../../recall/view.ts";
import { timelineAround, timelineOfFile, timelineOfNames } from "../../store/memory_look.ts";
import { readObservations } from "../../store/observations.ts";
import type { Call } from "../call.ts";
import { folderOf, tellable } from "../project.ts";

const LIMIT = 20;

/** `timeline`: what came before and after an observation, or what there is of a file. */
export async function timeline({ db, project, nowMs, args }: Call): Promise<string> {
  const { id, file } = args;
  const everywhere = args["everywhere"] === true;
  const limit = Number(args["limit"] ?? LIMIT);
  if ((id === undefined) === (file === undefined)) {
    throw new UserError("Cannot call timeline", {
      why: id === undefined ? "neither `id` nor `file` is there" : "both `id` and `file` are there",
      next: "Call it with one of the two",
    });
  }
  if (id !== undefined) {
    const found = readObservations(db, [Number(id)]);
    const around = tellable(found, Number(id), { project, everywhere });
    const lines = timelineAround(db, around, limit);
    return [
      headed(`Around #${around.id} in ${folderOf(around)}`),
      ...lines.map((one) => `${one.id === around.id ? "> " : "  "}${observationLine(one, nowMs)}`),
    ].join("\n");
  }
  const path = pathInProject(withoutLine(String(file)), project.root);
  const names = [path, ...await formerNames(path, project.root)];
  const lines = timelineOfNames(db, names, { project: everywhere ? null : project.key, limit });
  if (lines.length === 0) {
    const isElsewhere = !everywhere &&
      timelineOfFile(db, path, { project: null, limit: 1 }).length > 0;
    return `Nothing is remembered of "${plain(path)}"${
      isElsewhere
        ? ` in ${
          plain(project.folder)
        }, but in another project: \`everywhere: true\` tells of it too.`
        : ", in any project."
    }`;
  }
  const where = everywhere ? "all projects" : project.folder;
  return [
    headed(`What became of ${path} in ${where}`),
    ...lines.map((one) => observationLine(one, nowMs)),
  ].join("\n");
}
