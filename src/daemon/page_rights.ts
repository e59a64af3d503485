/**
 * Who may ask through the page. A person's `conclaude ui` gets a code that works once, within a minute; the page changes it
 * for the token of its tab. Only hashes of tokens are kept, beside the database, so that a tab survives a new daemon.
 */
import { createHash } from "node:crypto";
import { quietly } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { readText } from "../system/on_disk.ts";
import { makePrivateFolder, writeWhole } from "../system/write_file.ts";

/** `act`: as its person, by every route. `read`: by routes that change nothing. */
export type TabRights = "act" | "read";

interface Tab {
  /** SHA-256 of its token, in hexadecimal digits. */
  readonly hash: string;
  readonly rights: TabRights;
  usedAtMs: number;
}

/** What the file holds. */
interface Kept {
  /** The port on which the page was served the last time, so that its addresses stay right. */
  readonly port: number | null;
  readonly tabs: readonly Tab[];
}

const CODE_MS = 60_000;
/** A tab that was unused for longer has to be opened anew. */
const UNUSED_MS = 12 * 3_600_000;
/** The least time between two notes that a tab is in use. */
const NOTED_MS = 600_000;
/** More tabs than that are old ones that nobody closed. */
const MAX_TABS = 100;

export class PageRights {
  readonly #path: string;
  #port: number | null;
  #tabs: Tab[];
  readonly #codes = new Map<string, { readonly rights: TabRights; readonly endsAtMs: number }>();

  /** @param path The file in which they are kept. A damaged one counts as empty. */
  constructor(path: string) {
    this.#path = path;
    const kept = readKept(path);
    this.#port = kept.port;
    this.#tabs = [...kept.tabs];
  }

  get port(): number | null {
    return this.#port;
  }

  /** Whether a tab may still be open: a new daemon serves it on its port again. */
  hasTabs(nowMs: number): boolean {
    return this.#tabs.some(({ usedAtMs }) => nowMs - usedAtMs <= UNUSED_MS);
  }

  /** Notes on which port the page is served. */
  servedOn(port: number): void {
    if (this.#port === port) return;
    this.#port = port;
    this.#keep();
  }

  /** A code that works once. */
  newCode(rights: TabRights, nowMs: number): string {
    for (const [code, { endsAtMs }] of this.#codes) {
      if (endsAtMs <= nowMs) this.#codes.delete(code);
    }
    const code = secretText();
    this.#codes.set(code, { rights, endsAtMs: nowMs + CODE_MS });
    return code;
  }

  /** Changes a code for a tab's token; null when the code is unknown, spent, or too old. */
  newTab(
    code: string,
    nowMs: number,
  ): { readonly token: string; readonly rights: TabRights } | null {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    if (found === undefined || found.endsAtMs <= nowMs) return null;
    const token = secretText();
    const { rights } = found;
    this.#tabs.push({ hash: hashOf(token), rights, usedAtMs: nowMs });
    this.#keep();
    return { token, rights };
  }

  /** What a token lets its tab do; null for an unknown token, and for one that was not used for 12 hours. */
  rightsOf(token: string, nowMs: number): TabRights | null {
    if (token === "") return null;
    const hash = hashOf(token);
    const tab = this.#tabs.find((one) => one.hash === hash);
    if (tab === undefined || nowMs - tab.usedAtMs > UNUSED_MS) return null;
    if (nowMs - tab.usedAtMs > NOTED_MS) {
      tab.usedAtMs = nowMs;
      this.#keep();
    }
    return tab.rights;
  }

  /** Writes the file. Where that fails, tabs end with this daemon. */
  #keep(): void {
    this.#tabs = this.#tabs.toSorted((a, b) => b.usedAtMs - a.usedAtMs).slice(0, MAX_TABS);
    const kept: Kept = { port: this.#port, tabs: this.#tabs };
    quietly(() => {
      makePrivateFolder(parentOf(this.#path));
      writeWhole(this.#path, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 });
    });
  }
}

function readKept(path: string): Kept {
  const nothing: Kept = { port: null, tabs: [] };
  const kept = quietly((): Kept => JSON.parse(readText(path) ?? ""));
  if (kept === undefined || !Array.isArray(kept.tabs)) return nothing;
  return {
    port: Number.isInteger(kept.port) ? kept.port : null,
    tabs: kept.tabs.filter(({ hash, rights, usedAtMs }) =>
      typeof hash === "string" && ["act", "read"].includes(rights) && Number.isFinite(usedAtMs)
    ),
  };
}

/** 256 bits, fit for an address. */
export function secretText(): string {
  return crypto.getRandomValues(new Uint8Array(32))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
