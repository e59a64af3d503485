import assert from "node:assert/strict";
import fc from "fast-check";
import { anyText } from "./support/any_text.ts";
import { firstIdAt, idAt, newId, normalizeSessionId, shortSessionId } from "../src/base/ids.ts";

Deno.test("newId() is a UUIDv7 that carries its time", () => {
  const id = newId(1_795_215_906_552);
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(parseInt(id.replaceAll("-", "").slice(0, 12), 16), 1_795_215_906_552);
});

Deno.test("newId() sorts by time, and firstIdAt() lies before every id of its moment", () => {
  fc.assert(fc.property(fc.nat(2 ** 47), fc.nat(1000), (ms, later) => {
    assert.ok(newId(ms) < newId(ms + later + 1));
    assert.ok(firstIdAt(ms) <= newId(ms));
    assert.ok(firstIdAt(ms + 1) > newId(ms));
  }));
});

Deno.test("newId() sorts by order of making within one millisecond", () => {
  for (const ms of [1, 2, 3]) {
    const ids = Array.from({ length: 2_048 }, () => newId(ms));
    assert.deepEqual(ids, ids.toSorted());
  }
});

Deno.test("newId() does not repeat within a moment", () => {
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newId(1))).size, 10_000);
});

Deno.test("shortSessionId() takes the first eight characters, and twice is once", () => {
  assert.equal(shortSessionId("cad0ac4d-3933-45ad-9a1c-14aec05bb940"), "cad0ac4d");
  fc.assert(fc.property(fc.string(), (id) => {
    assert.equal(shortSessionId(shortSessionId(id)), shortSessionId(id));
  }));
});

Deno.test("normalizeSessionId() keeps what can be stored, and knows when there is nothing", () => {
  assert.equal(normalizeSessionId("a\u0000b\n c"), "abc");
  for (const nothing of [undefined, null, 5, "", " \n", {}, []]) {
    assert.equal(normalizeSessionId(nothing), undefined);
  }
  fc.assert(fc.property(anyText(300), (text) => {
    const id = normalizeSessionId(text);
    assert.ok(id === undefined || id.isWellFormed() && id.length <= 128);
    assert.equal(normalizeSessionId(id), id);
  }));
});

Deno.test("normalizeSessionId() knows a UUID in every spelling", () => {
  const id = "cad0ac4d-3933-45ad-9a1c-14aec05bb940";
  for (const spelled of [id, id.toUpperCase(), id.replaceAll("-", ""), ` ${id}\n`]) {
    assert.equal(normalizeSessionId(spelled), id);
  }
  assert.equal(normalizeSessionId("CAD0AC4D"), "CAD0AC4D");
});

Deno.test("idAt() gives the same UUIDv7 for the same time and digits, between the ids of that time", () => {
  const id = idAt(1_700_000_000_123, "0123456789abcdef0123456789abcdef");
  assert.equal(id, "018bcfe5-687b-7012-b456-789abcdef012");
  assert.equal(id, idAt(1_700_000_000_123, "0123456789abcdef0123456789abcdef"));
  assert.ok(id > firstIdAt(1_700_000_000_123) && id < firstIdAt(1_700_000_000_124));
});
