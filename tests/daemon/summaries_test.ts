import assert from "node:assert/strict";
import "../../src/operations/config_sections.ts";
import { ROUTES } from "../../src/daemon/routes.ts";
import SUMMARIES from "../../src/daemon/summaries.json" with { type: "json" };

Deno.test("the document of the API has a summary for every route and for nothing else", () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(Object.keys(SUMMARIES).sort(), names.sort());
});
