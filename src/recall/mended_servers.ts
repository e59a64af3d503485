/** Closes failures of servers whose port was taken: it was freed, they were started anew, and they answer. */
import type { DatabaseSync } from "node:sqlite";
import {
  answeringPorts,
  mayShowServer,
  namesPort,
  sentToBackground,
} from "../memory/observe/served_ports.ts";
import { saysPortIsTaken } from "../memory/observe/surroundings.ts";
import { writingPart } from "../memory/observe/writing_commands.ts";
import type { Observed } from "../memory/observation.ts";
import { commandsBetween } from "../store/session_observations.ts";
import type { DoneBy } from "./done_by.ts";
import { mendFailure, openCommands, presence, ToldFixes } from "./mend_failure.ts";

/** What frees a port. */
const ENDS = ["services", "ended"] as const;
/** So many commands between a failure and its success are looked through. */
const MAX_COMMANDS = 200;

/**
 * A command shows that a server answers: it is open no more in its session that this one could not have its port, where
 * something was ended since and the same command sent to the background then. Else it may be the one that had the port.
 */
export function mendServers(
  db: DatabaseSync,
  { text, outcome, facts: { command = "" } }: Pick<Observed, "text" | "outcome" | "facts">,
  success: DoneBy,
): void {
  if (outcome === "failure" || !mayShowServer(command)) return;
  const at = text.indexOf(command);
  const output = at < 0 ? text : text.slice(at + command.length);
  const ports = [...answeringPorts(command, output)];
  if (ports.length === 0 || saysPortIsTaken(output)) return;
  const { capture, by } = success;
  const { sessionId, createdAtMs } = capture;
  const isThere = presence(db, capture);
  const told = new ToldFixes();
  for (const failure of openCommands(db, success)) {
    const { facts, title } = failure;
    const isTaken = failure.sessionId === sessionId && saysPortIsTaken(facts.error ?? title) &&
      ports.some((port) => namesPort(failure.text, port));
    if (!isTaken || !isThere(failure)) continue;
    const servers = sentToBackground(facts.command ?? "", true);
    const since = commandsBetween(db, sessionId, {
      fromMs: failure.updatedAtMs,
      untilMs: createdAtMs,
      limit: MAX_COMMANDS,
    }).map((one) => one.facts);
    const freed = since.findIndex((one) => writingPart(one.command ?? "", ENDS) !== null);
    const isAnew = freed >= 0 &&
      since.slice(freed).some(({ command = "", isStarted = false }) =>
        sentToBackground(command, isStarted).some((one) => servers.includes(one))
      );
    if (isAnew) mendFailure(db, failure, { capture, by, told });
  }
}
