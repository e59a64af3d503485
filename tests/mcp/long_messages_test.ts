import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type MessageId, withoutLong } from "../../src/mcp/run.ts";

/** Sends a text in pieces of some bytes. @returns The messages that pass, and the ids of those that are too long. */
async function through(text: string, maxBytes: number, pieceBytes: number) {
  const long: MessageId[] = [];
  const filter = withoutLong({ maxBytes, onLong: (id) => void long.push(id) });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    filter.write(bytes.subarray(at, at + pieceBytes));
  }
  filter.end();
  let passed = "";
  for await (const part of filter) passed += part;
  return { passed, long };
}

const message = (id: number, length: number) =>
  `${`{"jsonrpc":"2.0","id":${id},"x":"`.padEnd(length - 3, "a")}"}\n`;

Deno.test("a message of just the most bytes, its newline included, passes; one of a byte more is named", async () => {
  for (const pieceBytes of [1, 7, 10_000]) {
    const fits = message(1, 100);
    const { passed, long } = await through(
      fits + message(2, 101) + message(3, 100),
      100,
      pieceBytes,
    );
    assert.equal(passed, fits + message(3, 100));
    assert.deepEqual(long, [2]);
  }
});

Deno.test("a long message that ends with the input is named, and one that fits passes without a newline", async () => {
  const { passed, long } = await through(message(1, 200).trimEnd(), 100, 64);
  assert.deepEqual([passed, long], ["", [1]]);
  assert.equal((await through(message(1, 80).trimEnd(), 100, 64)).passed, message(1, 80).trimEnd());
});
