/**
 * Manages the rights of the page's tabs. A person's `conclaude ui` gets a code that works once, within a minute; the
 * page exchanges it for a token of its tab. A file holds only hashes of tokens, so that tabs survive a new daemon.
 */
import { createHash } from "node:crypto";
import { quietly } from "../base/errors.ts";
import { parentOf } from "../base/paths.ts";
import { readJsonFile } from "../system/on_disk.ts";
import { makePrivateFolder, writeWhole } from "../system/write_file.ts";

/** `act` permits every route, as its person. `read` permits routes that change nothing. */
export type TabRights = "act" | "read";

interface Tab {
  /** The SHA-256 of the tab's token, in hexadecimal digits. */
  readonly hash: string;
  readonly rights: TabRights;
  readonly usedAtMs: number;
}

interface StoredRights {
  /** The last port of the page, which a new daemon uses again so that open tabs still work. */
  readonly port: number | null;
  readonly tabs: readonly Tab[];
}

const CODE_MS = 60_000;
/** The time after which an unused tab loses its rights. */
const UNUSED_MS = 12 * 3_600_000;
/** The least time between two updates of a tab's `usedAtMs`. */
const NOTED_MS = 600_000;
/** The most tabs that are stored; older ones are dropped. */
const MAX_TABS = 100;

export class PageRights {
  readonly #path: string;
  #stored: StoredRights;
  readonly #codes = new Map<string, { readonly rights: TabRights; readonly endsAtMs: number }>();

  /** @param path The file with the stored rights. A damaged file counts as empty. */
  constructor(path: string) {
    this.#path = path;
    this.#stored = readStored(path);
  }

  get port(): number | null {
    return this.#stored.port;
  }

  /** Whether a tab may still be open, so that a new daemon must listen on the same port. */
  hasTabs(nowMs: number): boolean {
    return this.#stored.tabs.some(({ usedAtMs }) => nowMs - usedAtMs <= UNUSED_MS);
  }

  servedOn(port: number): void {
    if (this.port !== port) this.#store({ ...this.#stored, port });
  }

  /** Makes a code that works once. */
  newCode(rights: TabRights, nowMs: number): string {
    for (const [code, { endsAtMs }] of this.#codes) {
      if (endsAtMs <= nowMs) this.#codes.delete(code);
    }
    const code = secretText();
    this.#codes.set(code, { rights, endsAtMs: nowMs + CODE_MS });
    return code;
  }

  /** Exchanges a code for a tab's token; null if the code is unknown, spent, or too old. */
  newTab(code: string, nowMs: number) {
    const found = this.#codes.get(code);
    this.#codes.delete(code);
    if (found === undefined || found.endsAtMs <= nowMs) return null;
    const token = secretText();
    const { rights } = found;
    this.#keep({ hash: hashOf(token), rights, usedAtMs: nowMs });
    return { token, rights };
  }

  /** Returns the rights of a token; null for an unknown token, and for one that was not used for 12 hours. */
  rightsOf(token: string, nowMs: number): TabRights | null {
    if (token === "") return null;
    const hash = hashOf(token);
    const tab = this.#stored.tabs.find((one) => one.hash === hash);
    if (tab === undefined || nowMs - tab.usedAtMs > UNUSED_MS) return null;
    if (nowMs - tab.usedAtMs > NOTED_MS) this.#keep({ ...tab, usedAtMs: nowMs });
    return tab.rights;
  }

  /** Keeps the tab that was used last, and behind it as many others as there is room for. */
  #keep(tab: Tab): void {
    const others = this.#stored.tabs.filter(({ hash }) => hash !== tab.hash);
    this.#store({ ...this.#stored, tabs: [tab, ...others].slice(0, MAX_TABS) });
  }

  /** Writes the file. If that fails, tabs end with this daemon. */
  #store(stored: StoredRights): void {
    this.#stored = stored;
    quietly(() => {
      makePrivateFolder(parentOf(this.#path));
      writeWhole(this.#path, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
    });
  }
}

function readStored(path: string): StoredRights {
  const stored = readJsonFile(path) as StoredRights | null | undefined;
  if (!Array.isArray(stored?.tabs)) return { port: null, tabs: [] };
  return {
    port: Number.isInteger(stored.port) ? stored.port : null,
    tabs: stored.tabs.filter(({ hash, rights, usedAtMs }) =>
      typeof hash === "string" && ["act", "read"].includes(rights) && Number.isFinite(usedAtMs)
    ),
  };
}

/** Returns 256 random bits as text that is safe in an address. */
export function secretText(): string {
  return crypto.getRandomValues(new Uint8Array(32))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
