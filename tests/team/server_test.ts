import assert from "node:assert/strict";
import { connect } from "../../src/team/server.ts";
import { homeAlone, tempHome } from "../support/program.ts";

Deno.test("a server that does not answer in time is said to be away, whatever the client calls that", async () => {
  using home = tempHome();
  using silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const way = { address: `postgres://ana@127.0.0.1:${silent.addr.port}/team` };
  const connecting = connect(way, { environment: homeAlone(home.path), connectMs: 20 });
  await assert.rejects(connecting, { why: /cannot be reached/, reason: "OFFLINE" });
});
