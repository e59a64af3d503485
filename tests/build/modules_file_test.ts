import assert from "node:assert/strict";
import { embeddedStart, ID_BYTES, type Modules, MODULES_FILE } from "../../src/build/load.ts";
import { joined, layOverlay, scriptOf, writeBundle } from "../../src/build/modules_file.ts";
import { tempFolder } from "../support/folders.ts";
import { testWith } from "../support/fixtures.ts";

const test = testWith(tempFolder);

const RUNTIME = "the runtime";
const PAYLOAD = "d3n0l4nd what is embedded ";

/** An executable as a compiler for Linux leaves it: at its end stands how long what is embedded is. */
function executable(payload = PAYLOAD): Uint8Array<ArrayBuffer> {
  const end = new Uint8Array(8);
  new DataView(end.buffer).setBigUint64(0, BigInt(payload.length + end.length), true);
  return new Uint8Array([...new TextEncoder().encode(RUNTIME + payload), ...end]);
}

test("a bundle's main file knows where each of its scripts lies", async ({ path: folder }) => {
  const modules = [scriptOf(0, "return{a:“ﬂ”}"), scriptOf(1, "return{}")];
  const group = { entries: [1], source: joined(modules), code: new Uint8Array([0, 255, 7]) };
  await writeBundle(folder, { main: "globalThis.seen=$modules", modules, groups: [group] }, true);
  await import(`file://${folder}/main.js`);
  const { seen } = globalThis as unknown as { seen: string };
  const known: Modules = JSON.parse(seen);
  const file = await Deno.readFile(`${folder}/${MODULES_FILE}`);
  assert.equal(known.bytes, file.length);
  assert.ok(known.isLaid);
  const [start, length, code] = placeOf(known, known.together[1]![0]!);
  assert.equal(new TextDecoder().decode(file.subarray(start, start + length)), group.source);
  assert.deepEqual([...file.subarray(start + length, start + length + code)], [0, 255, 7]);
  const [second, bytes] = placeOf(known, 1);
  assert.equal(new TextDecoder().decode(file.subarray(second, second + bytes)), modules[1]);
});

function placeOf({ scripts }: Modules, number: number): [number, number, number] {
  return scripts.slice(3 * number, 3 * number + 3) as [number, number, number];
}

test("an overlay lies between the runtime and what is embedded, which stays at the end", async ({ path: folder }) => {
  const path = `${folder}/program`;
  await Deno.writeFile(path, executable(), { mode: 0o755 });
  await layOverlay(path, new TextEncoder().encode("overlay"));
  const bytes = await Deno.readFile(path);
  const text = new TextDecoder("latin1").decode(bytes);
  assert.match(text, /^the runtimeoverlay[0-9a-f]{64}d3n0l4nd what is embedded /);
  const read = (start: number, length: number) => bytes.slice(start, start + length);
  assert.equal(embeddedStart(read, bytes.length), `${RUNTIME}overlay`.length + ID_BYTES);
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(path)).mode! & 0o777, 0o755);
});

test("an executable that ends otherwise gets no overlay and stays as it is", async ({ path: folder }) => {
  const path = `${folder}/program`;
  for (const bytes of [executable("something else "), executable().slice(0, -1)]) {
    await Deno.writeFile(path, bytes);
    await assert.rejects(layOverlay(path, new Uint8Array(9)), {
      message: `${path} does not end with what is embedded`,
    });
    assert.deepEqual(await Deno.readFile(path), bytes);
  }
});
