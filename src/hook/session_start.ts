import { count } from "../base/counts.ts";
import type { DatabaseSync } from "node:sqlite";
import { summarizeInput } from "../claude/payload.ts";
import { hasWrittenRules, isLeftOut } from "../config/discover.ts";
import { quietly } from "../base/errors.ts";
import { answerToUnreadable } from "../policy/guards/guard_policy.ts";
import type { StopPolicy } from "../policy/stops/stop_blocks.ts";
import { MAX_CONTEXT_CHARS, toldIn } from "../memory/tell/context_text.ts";
import { lookAtProcesses, lookForLife } from "../system/process/process_identity.ts";
import { emptyBeginning } from "../db/notes.ts";
import { activeSessions, goneSessions, type SessionProcess } from "../db/sessions.ts";
import { lastSeenAtMs, noteClaimTold } from "../memory/store.ts";
import { toldContext } from "../operations/told_context.ts";
import type { Answer, HookWork } from "./handler.ts";
import { partOf } from "./part.ts";
import { nameOf, withContext } from "./protocol.ts";
import { statSync } from "../system/files.ts";

const MAX_OTHERS = 20;
const TOKEN_NOTICE =
  "conclaude: Claude Code was started with CONCLAUDE_TOKEN, so its agent can read a person's token. " +
  "Start it without; `conclaude token --revoke` on a terminal makes the token worthless.";

/** Begins or resumes the session, marks dead sessions as abandoned, and tells Claude what was done before. */
export async function handle(work: HookWork): Promise<Answer> {
  await (await import("./told.ts")).saveTold(work);
  const { sessionId } = work;
  const seenAtMs = attempt(work.db, (db) => lastSeenAtMs(db, sessionId)) ?? null;
  const among = { except: sessionId, limit: MAX_OTHERS };
  const others = attempt(work.db, (db) => activeSessions(db, among)) ?? [];
  const processes = await lookAtOthers(others, work.claudePid);
  const required = work.config.requirements === ""
    ? null
    : (await import("./session_requirements.ts")).beginRequirements(work);
  await work.save({
    session: {
      effect: "revive",
      source: nameOf(work.event.own["source"]) ?? "startup",
      claudeProcess: work.claudePid === null ? null : processes.get(work.claudePid)?.mark ?? null,
    },
    metadata: work.keepsContent ? summarizeInput(work.event.own) : {},
    changes: required?.changes ?? [],
  });
  const { projectDir, home, environment } = work;
  const isPlugin = environment.variable("CLAUDE_PLUGIN_ROOT") !== undefined;
  const twice = isPlugin && projectDir !== null
    ? (await import("../policy/armed_gates.ts")).twiceNotice({ projectDir, home, environment })
    : null;
  // The other hook of this start tells everything else.
  if (work.isTwin) return twice === null ? null : { systemMessage: twice };
  const db = work.spareDb();
  if (db !== null && work.config.stop !== "") await lookAtRoot(db, work);
  const gone = goneSessions(others, processes, work.claudePid);
  if (gone.length > 0) {
    const { abandonSessions } = await import("../work/store.ts");
    attempt(db, (db) => abandonSessions(db, gone, work.atMs));
  }
  await tellLeftOut(work);
  const begun = attempt(db, emptyBeginning) ?? null;
  if (begun !== null) await tellBeginning(work, begun.atMs);
  tellProblems(work);
  for (const path of work.config.held) {
    work.tell(
      `conclaude: ${
        work.hide(path)
      } was changed while a session was active, and its version before is in force. ` +
        "Run `conclaude config accept`, or `conclaude config undo FILE`.",
    );
  }
  const tellIfAny = (notice: string | null | undefined) => notice && work.tell(notice);
  const { stop, subagentStop, prompts } = work.config;
  const mayGuard = hasWrittenRules(work.config) || `${stop}${subagentStop}${prompts}` !== "";
  if (mayGuard && projectDir !== null) {
    const { modNotice, unarmedNotice } = await import("../policy/armed_gates.ts");
    tellIfAny(unarmedNotice(work.config, { projectDir, home, environment }));
    tellIfAny(modNotice({ projectDir, home, environment }));
    (await import("./past_gate_notice.ts")).tellPastGates(work, "earlier sessions");
  }
  tellIfAny(twice);
  if (environment.variable("CONCLAUDE_TOKEN") !== undefined) work.tell(TOKEN_NOTICE);
  const briefing = required === null
    ? ""
    : await partOf(work, "what requirements are open", () => required.text());
  const at = { seenAtMs, before: briefing };
  const memory = db === null
    ? ""
    : await partOf(work, "what is remembered", () => contextOf(db, work, at));
  if (memory === "" && work.config.memoryEnabled && work.repository !== undefined) {
    const { movedNotice } = await import("./moved_notice.ts");
    tellIfAny(quietly(() => movedNotice(work)));
  }
  if (work.config.recallsPrompts || work.config.recallsEdits) {
    attempt(db, (db) => noteClaimTold(db, sessionId, toldIn(memory), work.atMs));
  }
  return withContext(null, "SessionStart", briefing, memory);
}

/** Looks at the processes of other sessions, and at this session's own if a tool must be started anyway. */
async function lookAtOthers(others: readonly SessionProcess[], own: number | null) {
  const elsewhere = others.filter(({ claudePid }) => claudePid !== own);
  const pids = elsewhere.map(({ claudePid }) => claudePid);
  if (elsewhere.every(({ claudeProcess }) => claudeProcess === null)) {
    return await lookForLife(pids);
  }
  return await lookAtProcesses(own === null ? pids : [own, ...pids]);
}

function tellProblems({ config, configFiles, tell }: HookWork): void {
  const { problems, problemKeys, brokenRequirements, unreadable } = config;
  if (problems <= configFiles.filter(isLeftOut).length && answerToUnreadable(config) === "allow") {
    return;
  }
  const more = problems > problemKeys.length ? " and more" : "";
  const what = unreadable === ""
    ? `the configuration has ${count(problems, "problem")}, in ${problemKeys.join(", ")}${more}`
    : unreadable;
  const whenBlind = answerToUnreadable(config);
  const meaning = whenBlind !== "allow"
    ? `Until it can be read, every change is ${whenBlind === "deny" ? "refused" : "asked about"}.`
    : unreadable === ""
    ? "The rest of it counts."
    : "Nothing of that file counts.";
  const off = brokenRequirements === ""
    ? ""
    : ` Switched off by it: the requirements ${brokenRequirements}.`;
  tell(`conclaude: ${what}.${off} ${meaning} Run \`conclaude config validate\`.`);
}

/** Tells the person once that the database began anew, because something had emptied its file. */
async function tellBeginning(
  { db, database, locations, atMs: nowMs, tell }: HookWork,
  begunMs: number,
): Promise<void> {
  const { claimNotice } = await import("../system/log.ts");
  const about = { sessionId: "any", spoolFolders: locations.spoolFolders };
  // The notice is claimed first, since the search for earlier content opens every backup.
  if (!claimNotice(`began-anew-${begunMs}`, about)) return;
  const { beganAnew } = await import("../upkeep/care/backup.ts");
  const begun = attempt(db, (db) => beganAnew(db, { locations, database, nowMs }));
  if (begun) tell(`conclaude: ${begun.text}. Run \`${begun.next}\`.`);
}

/** Names the files that are ignored because other users could have written them. A compaction begins no session. */
async function tellLeftOut(work: HookWork): Promise<void> {
  const { configFiles, event, projectDir, repository } = work;
  const mayBe = configFiles.some(isLeftOut) ||
    [projectDir, repository?.root].some((folder) =>
      folder && quietly(() => statSync(`${folder}/.conclaude`)) !== undefined
    );
  if (!mayBe || event.own["source"] === "compact") return;
  const { leftOutNotice } = await import("../config/left_out.ts");
  const notice = leftOutNotice(configFiles, projectDir, work.locations);
  if (notice !== null) work.tell(notice);
}

/** Stores which files the project's folder holds, for the stops of this session. A compaction begins no session. */
async function lookAtRoot(db: DatabaseSync, { config, event, sessionId, atMs }: HookWork) {
  const { watchedRoot: root }: StopPolicy = JSON.parse(config.stop);
  if (root === null || event.own["source"] === "compact") return;
  const { takeSnapshot } = await import("../policy/stops/root_additions.ts");
  attempt(db, (db) => takeSnapshot(db, { sessionId, root }, atMs));
}

/** Returns what memory tells the session. @throws {Error} When the database cannot answer. */
async function contextOf(
  db: DatabaseSync,
  work: HookWork,
  { seenAtMs, before }: { readonly seenAtMs: number | null; readonly before: string },
): Promise<string> {
  const { config, repository, projectDir, sessionId, atMs, home, hide, environment } = work;
  const project = hide(repository?.commonDir ?? projectDir);
  if (project === null) return "";
  const at = {
    sessionId,
    project,
    branch: hide(repository?.branch ?? null),
    root: repository?.root ?? projectDir,
    source: nameOf(work.event.own["source"]) ?? "startup",
    seenAtMs,
    nowMs: atMs,
    home,
    environment,
  };
  const room = MAX_CONTEXT_CHARS - before.length;
  const { text, notice } = await toldContext(db, at, { config, room });
  const isBeginning = at.source === "startup" || at.source === "resume";
  if (config.tellsPerson && isBeginning && notice !== "") work.tell(notice);
  return text;
}

/** Runs a query; undefined without a database, and when the query fails, which saving the event reports. */
function attempt<Result>(
  db: DatabaseSync | null,
  question: (db: DatabaseSync) => Result,
): Result | undefined {
  return db === null ? undefined : quietly(() => question(db));
}
