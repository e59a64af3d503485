import assert from "node:assert/strict";
import { embeddedStart, ID_BYTES, OVERLAY, type Overlay } from "../../src/tasks/overlay.ts";
import { layOverlay, takeApart } from "../../src/tasks/lay_overlay.ts";

const RUNTIME = "the runtime";
const PAYLOAD = "d3n0l4nd what is embedded ";

/** An executable as a compiler for Linux leaves it: at its end stands how long what is embedded is. */
function executable(payload = PAYLOAD): Uint8Array<ArrayBuffer> {
  const end = new Uint8Array(8);
  new DataView(end.buffer).setBigUint64(0, BigInt(payload.length + end.length), true);
  return new Uint8Array([...new TextEncoder().encode(RUNTIME + payload), ...end]);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "conclaude-overlay-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a bundle is taken apart into what is compiled and what lies in the overlay", () =>
  inFolder(async (folder) => {
    const bundle = `${folder}/bundle`;
    await Deno.mkdir(`${bundle}/hook`, { recursive: true });
    await Deno.writeTextFile(`${bundle}/main.js`, `globalThis.seen=${OVERLAY};`);
    await Deno.writeTextFile(`${bundle}/packed.bin`, "packed");
    await Deno.writeTextFile(`${bundle}/hook/hot.bin`, "hot");
    const { overlay, main } = await takeApart(bundle, `${folder}/copy`);
    assert.equal(main, `${folder}/copy/main.js`);
    const left = (path: string) => [...Deno.readDirSync(`${folder}/${path}`)].map((it) => it.name);
    assert.deepEqual(left("copy"), ["main.js"]);
    assert.deepEqual(left("bundle").sort(), ["hook", "main.js", "packed.bin"]);
    await import(`file://${main}`);
    const { seen } = globalThis as unknown as { seen: Overlay };
    const text = new TextDecoder().decode(overlay);
    const laid = Object.entries(seen.files).map(([path, [start, bytes]]) =>
      [path, text.slice(start, start + bytes)] as const
    );
    assert.deepEqual(Object.fromEntries(laid), { "hook/hot.bin": "hot", "packed.bin": "packed" });
    assert.equal(seen.bytes, overlay.length);
    assert.equal(seen.id, text.slice(-ID_BYTES));
    await Deno.writeTextFile(`${bundle}/hook/hot.bin`, "not");
    const other = await takeApart(bundle, `${folder}/other`);
    assert.notEqual(new TextDecoder().decode(other.overlay).slice(-ID_BYTES), seen.id);
  }));

Deno.test("an overlay lies between the runtime and what is embedded, which stays at the end", () =>
  inFolder(async (folder) => {
    const path = `${folder}/program`;
    await Deno.writeFile(path, executable(), { mode: 0o755 });
    await layOverlay(path, new TextEncoder().encode("overlay"));
    const bytes = await Deno.readFile(path);
    const text = new TextDecoder("latin1").decode(bytes);
    assert.ok(text.startsWith(`${RUNTIME}overlay${PAYLOAD}`), text);
    const read = (start: number, length: number) => bytes.slice(start, start + length);
    assert.equal(embeddedStart(read, bytes.length), `${RUNTIME}overlay`.length);
    if (Deno.build.os !== "windows") assert.equal((await Deno.stat(path)).mode! & 0o777, 0o755);
  }));

Deno.test("an executable that ends otherwise gets no overlay and stays as it is", () =>
  inFolder(async (folder) => {
    const path = `${folder}/program`;
    for (const bytes of [executable("something else "), executable().slice(0, -1)]) {
      await Deno.writeFile(path, bytes);
      await assert.rejects(layOverlay(path, new Uint8Array(9)), {
        message: `${path} does not end with what is embedded`,
      });
      assert.deepEqual(await Deno.readFile(path), bytes);
    }
  }));
