/** Looks which rows that stay tell some of what was forgotten. */
import type { DatabaseSync } from "node:sqlite";
import { textMatcher } from "../memory/forget_text.ts";
import type { Chosen } from "../store/forget_choice.ts";
import { observationsTelling, tellingTexts } from "../store/forget_look.ts";
import { openToLook } from "../store/identity.ts";
import type { ForgetPlace } from "./forget_files.ts";
import { bytesLeft } from "./forget_proof.ts";

/** Pieces of what was forgotten that are looked for. */
const MAX_PIECES = 24;
const MIN_CHARS = 40;
/** A short text is looked for as a whole: others may begin and go on in the same words. */
const MAX_CHARS = 80;

/** Pieces of what is removed. */
export interface Pieces {
  readonly inBytes: RegExp;
  readonly maxBytes: number;
  /** Whether one of them stands in a text, or in JSON. */
  readonly areIn: (told: { readonly text: string; readonly json: string }) => boolean;
}

/** Pieces of rows that are about to be removed, long enough to be theirs alone; null when they have none. */
export function piecesOf(
  db: DatabaseSync,
  chosen: Chosen,
): Pieces | null {
  const pieces = tellingTexts(db, chosen, MAX_PIECES)
    .map((text) => text.replace(/\s+/g, " ").trim())
    .filter((text) => text.length >= MIN_CHARS)
    .map((text) => {
      const start = Math.max(0, text.length - MAX_CHARS) >> 1;
      return textMatcher(text.slice(start, start + MAX_CHARS).toWellFormed());
    });
  if (pieces.length === 0) return null;
  return {
    inBytes: new RegExp(pieces.map(({ inBytes }) => inBytes.source).join("|"), "g"),
    maxBytes: Math.max(...pieces.map(({ maxBytes }) => maxBytes)),
    areIn: ({ text, json }) => pieces.some((piece) => piece.isIn(text) || piece.isInJson(json)),
  };
}

/** The observations that would stay and tell some of what is chosen. */
export function tellingBeside(db: DatabaseSync, chosen: Chosen): number[] {
  const pieces = piecesOf(db, chosen);
  if (pieces === null) return [];
  const changing = new Set([...chosen.observations, ...chosen.remade.map(({ id }) => id)]);
  return observationsTelling(db, pieces.areIn, changing);
}

/** Tables whose rows stay and have such pieces, and which of the observations these are. */
export interface ToldElsewhere {
  readonly tables: readonly string[];
  readonly observations: readonly number[];
}

/** Who tells some of the same, once what was chosen is gone. */
export function toldElsewhere(place: ForgetPlace, pieces: Pieces | null): ToldElsewhere {
  if (pieces === null) return { tables: [], observations: [] };
  const { tables } = bytesLeft(place, pieces);
  if (!tables.includes("observations")) return { tables, observations: [] };
  const db = openToLook(place.database);
  try {
    return { tables, observations: observationsTelling(db, pieces.areIn) };
  } finally {
    db.close();
  }
}
