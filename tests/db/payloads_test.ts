import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { UserError } from "../../src/base/errors.ts";
import {
  compressPayload,
  payloadText,
  plainPayloads,
  replacePayloads,
} from "../../src/db/payloads.ts";
import { readStoredPayload } from "../../src/db/queue.ts";
import { testWith } from "../support/fixtures.ts";
import { saveEvent, tempDatabase } from "../support/records.ts";

const LONG = JSON.stringify({ text: "conclaude ".repeat(500) });

Deno.test("compressPayload() gives a stream that payloadText() reads back, or nothing", () => {
  fc.assert(fc.property(fc.json(), fc.nat(40), (json, times) => {
    const text = JSON.stringify([JSON.parse(json), json.repeat(times)]);
    const bytes = new TextEncoder().encode(text);
    const compressed = compressPayload(bytes);
    if (compressed === null) return;
    assert.ok(compressed.length < bytes.length);
    const stored = {
      id: "x",
      encoding: "br",
      payload: compressed,
      rawBytes: bytes.length,
    } as const;
    assert.equal(payloadText(stored), text);
  }));
});

Deno.test("compressPayload() leaves what does not become smaller", () => {
  assert.equal(compressPayload(new TextEncoder().encode("{}")), null);
});

Deno.test("payloadText() says what is wrong with a damaged payload", () => {
  const bytes = new TextEncoder().encode(LONG);
  const good = compressPayload(bytes)!;
  const flipped = good.slice();
  flipped[good.length >> 1]! ^= 0xff;
  const damaged = {
    "cut short": good.subarray(0, good.length - 2),
    "empty": new Uint8Array(),
    "not a stream": new Uint8Array(64).fill(0xaa),
    "with a flipped byte": flipped,
    "text": LONG,
    "of another payload": compressPayload(new TextEncoder().encode(LONG.repeat(2)))!,
    "of a shorter one": compressPayload(new TextEncoder().encode(JSON.stringify("x".repeat(500))))!,
  };
  for (const [name, payload] of Object.entries(damaged)) {
    const stored = { id: "x", encoding: "br", payload, rawBytes: bytes.length } as const;
    assert.throws(() => payloadText(stored), (thrown) => {
      assert.ok(thrown instanceof UserError, name);
      assert.match(thrown.what, /payload of the capture "x"/);
      assert.match(thrown.why, /damaged/);
      return true;
    });
  }
  assert.throws(
    () => payloadText({ id: "x", encoding: "json", payload: '{"cut', rawBytes: 5 }),
    UserError,
  );
});

Deno.test("payloadText() does not let a stream grow beyond its size", () => {
  const bytes = new Uint8Array(5_000_000).fill(32);
  const bomb = compressPayload(bytes)!;
  assert.ok(bomb.length < 1000);
  assert.throws(
    () => payloadText({ id: "x", encoding: "br", payload: bomb, rawBytes: 100 }),
    (thrown) => thrown instanceof UserError && /larger than 100 bytes/.test(thrown.why),
  );
});

const ALL = { after: 0, maxRows: 9, maxBytes: 1e9 };

const test = testWith(tempDatabase);

test("plainPayloads() stops at its limits and goes on behind a place", (temp) => {
  const ids = Array.from({ length: 5 }, () => saveEvent(temp.db, { capture: { payload: LONG } }));
  const next = (after: number, maxRows: number, maxBytes: number) =>
    plainPayloads(temp.db, { after, maxRows, maxBytes });
  assert.deepEqual(next(0, 2, 1e9).map(({ id }) => id), ids.slice(0, 2));
  assert.deepEqual(next(0, 9, 1).map(({ id }) => id), ids.slice(0, 1));
  assert.deepEqual(next(next(0, 2, 1e9).at(-1)!.place, 9, 1e9).map(({ id }) => id), ids.slice(2));
  assert.deepEqual(next(next(0, 9, 1e9).at(-1)!.place, 9, 1e9), []);
});

test("replacePayloads() leaves a payload alone that is not the text any more", ({ db }) => {
  const id = saveEvent(db, { capture: { payload: LONG } });
  const [plain] = plainPayloads(db, ALL);
  const replacement = { id, bytes: plain!.bytes, compressed: compressPayload(plain!.bytes)! };
  db.prepare("UPDATE pending_queue SET payload = ?").run('{"new":1}');
  assert.equal(replacePayloads(db, [replacement]).count, 0);
  assert.equal(textOf(db, id), '{"new":1}');
  db.prepare("UPDATE pending_queue SET payload = ?").run(LONG);
  assert.deepEqual(replacePayloads(db, [replacement, replacement]), {
    count: 1,
    savedBytes: plain!.bytes.length - replacement.compressed.length,
  });
  assert.equal(textOf(db, id), LONG);
  assert.deepEqual(plainPayloads(db, ALL), []);
});

test("replacePayloads() makes a payload readable whose noted size was wrong", ({ db }) => {
  const id = saveEvent(db, { capture: { payload: LONG } });
  db.exec("UPDATE pending_queue SET raw_bytes = 1");
  const [plain] = plainPayloads(db, ALL);
  replacePayloads(db, [{ id, bytes: plain!.bytes, compressed: compressPayload(plain!.bytes)! }]);
  assert.equal(textOf(db, id), LONG);
});

function textOf(db: DatabaseSync, id: string): string {
  return payloadText(readStoredPayload(db, id)!);
}
