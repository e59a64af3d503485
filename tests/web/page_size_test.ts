import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { runDaemon } from "../support/daemon.ts";
import { tempHome } from "../support/program.ts";

/** All scripts and the style of the page, packed as a browser may ask for them, in bytes. */
const MOST_BYTES = 80_000;

Deno.test("the page is small, its script for charts included", async () => {
  using home = tempHome();
  await using daemon = await runDaemon(home);
  const parts = await Promise.all(
    ["/", "/page/plot.js"].map((path) => daemon.ask("GET", path, { port: true })),
  );
  const sizes = parts.map(({ text }) => gzipSync(text).length);
  for (const size of sizes) assert.ok(size > 5_000, "it is bundled");
  const all = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(all <= MOST_BYTES, `${sizes.join(" + ")} bytes`);
});
