import type { DatabaseSync } from "node:sqlite";
import { baseName, parentOf } from "../../base/paths.ts";
import { relativeTime } from "../../base/time.ts";
import { quickIdentity } from "../../system/git/identity.ts";
import { findRepository, type Repository } from "../../system/git/repository.ts";
import { newestOfProject } from "../../memory/tell/told_rows.ts";
import { countSessions, listSessions, tellingId } from "../../db/sessions.ts";
import { formerFolders } from "../../memory/store.ts";
import { switchOn } from "../flags.ts";
import { readVerb } from "../list_and_show.ts";
import { moveCommand } from "../next_command.ts";
import { openHere, openLines } from "../open_here.ts";
import { careOf, healthLines, protectionsText } from "../status_care.ts";
import { factLines, firstLines, section } from "../table.ts";

export const status = readVerb({
  flags: { verbose: switchOn("With the database, the queue, the hooks, and the configuration") },
  async run({ context, ...opened }, { verbose }) {
    const { db } = opened;
    const repository = findRepository(opened.place.looks);
    const project = repository?.commonDir ?? context.cwd;
    const shown = repository === undefined ? project : projectFolder(repository);
    const folder = context.environment.variable("CLAUDE_PROJECT_DIR") ?? context.cwd;
    const here = { project, folder, nowMs: Date.now() };
    const isWhole = context.globals.json || verbose;
    const lookedAt = isWhole ? undefined : LOOKED_AT;
    const recent = recentOf(db, project, { nowMs: here.nowMs, lookedAt });
    const care = await careOf(context, opened, here);
    const whole = isWhole ? await import("../status_report.ts") : null;
    const report = whole?.statusReportOf(context, opened, { ...here, care, recent });
    const lines = [
      `project  ${shown}`,
      `rules    ${protectionsText(care)}`,
      recent.formerFolders.map((former) =>
        `         known from ${former}, which is gone: \`${moveCommand(former, shown)}\``
      ),
      recentLines(db, project, recent),
      "",
      care.team.map(({ name, said }) => `team     ${name}: ${said}`),
      healthLines(care, { isWhole }).map((text, i) => (i === 0 ? "health" : "").padEnd(9) + text),
      "",
      whole
        ? factLines(whole.factsOf(report!, care), 15)
        : "Everything else: `conclaude status --verbose`",
    ];
    return { json: report ?? null, text: lines };
  },
});

/** The most failures that are read, the newest first, so that a person does not wait long. */
const LOOKED_AT = 40;
/** How many lines each list of `status` has at most. */
const MAX = { sessions: 5, open: 3, decided: 3 } as const;

/** Collects the recent work in a project: the last sessions, open items, decisions and notes. */
export function recentOf(
  db: DatabaseSync,
  project: string,
  reading: { readonly nowMs: number; readonly lookedAt: number | undefined },
) {
  const newest = newestOfProject(db, project);
  const titles = new Map(
    newest.flatMap(({ kind, sessionId, title }) =>
      kind === "summary" ? [[sessionId, title.replace(/^Session: /, "")]] : []
    ),
  );
  return {
    /** Removed folders that held the same repository. */
    formerFolders: formerFolders(db, project, { ...quickIdentity(project), onlyIfNew: false }),
    sessions: listSessions(db, { project, status: null, onlyWorked: true, limit: MAX.sessions + 1 })
      .map(({ sessionId, status, title: prompt, updatedAtMs }) => {
        const title = titles.get(sessionId) ?? prompt;
        return { sessionId, status, title, updatedAtMs };
      }),
    open: openHere(db, project, { ...reading, newest }),
    decided: newest.filter(({ kind }) => kind === "decision" || kind === "note")
      .map(({ id, title, author, updatedAtMs }) => ({ id, title, author, updatedAtMs })),
  };
}

function recentLines(
  db: DatabaseSync,
  project: string,
  { sessions, open, decided }: ReturnType<typeof recentOf>,
): string[] {
  const when = (atMs: number) => relativeTime(atMs, Date.now()).padEnd(9);
  const ran = sessions.slice(0, MAX.sessions).map(({ sessionId, status, title, updatedAtMs }) =>
    `${tellingId(db, sessionId)}  ${when(updatedAtMs)}  ${title ?? `(no prompt, ${status})`}`
  );
  const none = ["None yet: hooks write them while Claude Code works here."];
  return [
    ...section("Last sessions", [
      firstLines(ran.length === 0 ? none : ran, MAX.sessions),
      sessions.length > ran.length &&
      `… and ${
        countSessions(db, project).total - ran.length
      } more: \`conclaude session list --here\``,
    ]),
    ...openLines(open, MAX.open, "`conclaude memory open`"),
    ...section(
      "Decided and noted",
      firstLines(
        decided.map(({ id, title, author, updatedAtMs }) =>
          `#${id} ${when(updatedAtMs)} ${author === null ? "" : `by ${author}: `}${title}`
        ),
        MAX.decided,
        "`conclaude memory list --here --kind decision`",
      ),
    ),
  ];
}

/** Returns the folder of a project: the main checkout, or the working tree of a bare repository. */
function projectFolder({ commonDir, root }: Repository): string {
  return baseName(commonDir) === ".git" ? parentOf(commonDir) : root;
}
