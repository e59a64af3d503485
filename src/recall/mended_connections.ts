/** Closes failures of services that could not be reached: the same client was answered there since, whatever it asked. */
import type { DatabaseSync } from "node:sqlite";
import { calledPlaces, mayCallClient, onlyPlace } from "../memory/observe/client_places.ts";
import { saysUnreachable } from "../memory/observe/surroundings.ts";
import type { Observed } from "../memory/observation.ts";
import type { DoneBy } from "./done_by.ts";
import { mendFailure, openCommands, presence, ToldFixes } from "./mend_failure.ts";

/** A client was answered by a service: it is open no more that the same one could not reach it there. */
export function mendConnections(
  db: DatabaseSync,
  { text, outcome, facts: { command = "" } }: Pick<Observed, "text" | "outcome" | "facts">,
  success: DoneBy,
): void {
  if (outcome === "failure" || !mayCallClient(command) || saysUnreachable(text)) return;
  const places = calledPlaces(command);
  if (places.length === 0) return;
  const { capture, by } = success;
  const isThere = presence(db, capture);
  const told = new ToldFixes();
  for (const failure of openCommands(db, success)) {
    const { facts, title } = failure;
    const place = saysUnreachable(facts.error ?? title) ? onlyPlace(facts.command ?? "") : null;
    if (place === null || !places.includes(place) || !isThere(failure)) continue;
    mendFailure(db, failure, { capture, by, told, passing: command });
  }
}
