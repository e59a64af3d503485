/** Lists what waits for a person: questions, reviews, and sessions that ask. */
import { isOfSession } from "../claude/session_changes.ts";
import { folderName } from "./format.ts";
import type { Waiting } from "./notices.ts";
import type { Now, Question, SessionNow, Workflow } from "./types.ts";

/** Returns the questions of agents, and of sessions that are not listed; listed sessions show what they wait for. */
export function otherQuestions({ questions, sessions }: Now): readonly Question[] {
  const known = new Set(sessions.map(({ sessionId }) => sessionId));
  return questions.filter((one) => !isOfSession(one) || !known.has(one.sessionId ?? ""));
}

/** Whether a session waits in the middle of its turn. */
export function waitsInTurn({ waitsFor }: SessionNow): boolean {
  return waitsFor === "permission" || waitsFor === "question";
}

/** Returns the tool and its command or file: `Bash: npm test`. */
export function wantedText({ tool, wanted }: Pick<SessionNow, "tool" | "wanted">): string {
  return [tool ?? "", wanted].filter((part) => part !== "").join(": ");
}

/** Returns everything that gets a notice. */
export function waitingIn(now: Now, reviews: readonly Workflow[]): Waiting[] {
  return [
    ...otherQuestions(now).map(({ id, text }) => ({
      key: id,
      title: "A question",
      text,
      path: "/questions",
    })),
    ...reviews.map(({ id, name, taskTitle }) => ({
      key: id,
      title: "A review",
      text: taskTitle ?? name,
      path: `/questions/${id}`,
    })),
    ...now.sessions.filter(waitsInTurn).map((session) => ({
      key: `${session.sessionId} ${session.waitsFor}`,
      title: `A ${session.waitsFor} in ${folderName(session.projectDir)}`,
      text: wantedText(session) || session.title || session.sessionId,
      path: `/session/${session.sessionId}`,
    })),
  ];
}
