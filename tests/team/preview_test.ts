import assert from "node:assert/strict";
import { statement } from "../../src/db/statement.ts";
import { needsPostgres, postgres } from "./support/postgres.ts";
import { testWhere } from "../support/requirements.ts";
import { makeTask } from "../support/tasks.ts";
import { proxyTo } from "./support/tcp_proxy.ts";
import { machine, PROJECT_NAME, setUpTeam } from "./support/team_machine.ts";

/** Words that no preview shows: a prompt, and what a tool was given. */
const KEPT = ["Quokka", "Wombat"];
const TOKEN = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;

testWhere(
  needsPostgres(),
  "what reached the server is what the preview showed, byte for byte",
  async () => {
    const server = await postgres();
    const team = await server.database();
    await setUpTeam(team, ["alice"], server);
    using proxy = proxyTo(server.port);
    using alice = machine("alice", team, { port: proxy.port });
    await alice.join();
    const [first] = await alice.notes([
      `The ledger lies in Zürich. The token was ${TOKEN}.`,
      'Ärger with "quotes" \\ and a line\nbreak.',
      "Quokka was typed.",
      "Wombat was an input.",
    ]);
    await alice.using((db) => {
      const rename = "UPDATE observations SET kind = ? WHERE text LIKE ?";
      statement(db, rename).run("prompt", "Quokka%");
      statement(db, rename).run("command", "Wombat%");
      makeTask(db, { title: "Move the ledger", repository: alice.project });
    });
    const { batches: [preview] } = await alice.json(["team", "preview"]);
    const { origin, bytes } = preview;
    assert.deepEqual(
      JSON.parse(bytes).map((
        { n, kind, uid }: Record<string, unknown>,
      ) => [n, kind, uid === first]),
      [[1, "note", true], [2, "note", false], [3, "task", false]],
    );
    assert.doesNotMatch(bytes, /ghp_|Quokka|Wombat/);

    await alice.json(["team", "sync"]);
    await alice.json(["team", "sync"]);
    const connections = proxy.sent().map(messagesOf);
    // A null has no bytes.
    const given = connections.flatMap((messages) => messages.flatMap(parametersOf))
      .filter((text) => text !== "");
    const numbers = given.filter((text) => /^\d+$/.test(text));
    assert.ok(numbers.every((text) => Number(text) <= 500));
    assert.deepEqual(
      new Set(given).difference(new Set(numbers)),
      new Set([PROJECT_NAME, origin, bytes]),
    );
    const all = proxy.sent().map((part) => new TextDecoder().decode(part)).join("\n");
    for (const word of [...KEPT, TOKEN, alice.home]) assert.ok(!all.includes(word), word);
    // What is said beside parameters is the same whoever speaks.
    const words = connections.flat().flatMap(({ type, body }) =>
      type === "P" ? [text(body).split("\0")[1]!] : type === "Q" ? [text(body)] : []
    );
    for (const sql of new Set(words)) {
      assert.doesNotMatch(sql, /ledger|Zürich|Ärger|'[^'"]{9,}'/, sql);
    }
    for (const { type, body } of connections.flat()) {
      assert.match(type, /^(?:start|[pPBDEHSXQ])$/);
      if (type !== "start") continue;
      const [, ...words] = text(body.subarray(4)).split("\0");
      assert.ok(words.includes("alice") && words.includes("conclaude"), words.join());
    }
  },
);

/** A message of the client; the first one of a connection has no type. */
interface Message {
  readonly type: string;
  readonly body: Uint8Array;
}

function messagesOf(bytes: Uint8Array): Message[] {
  const messages: Message[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length;) {
    const isStart = at === 0;
    const length = view.getInt32(isStart ? at : at + 1);
    const from = isStart ? at + 4 : at + 5;
    const until = (isStart ? at : at + 1) + length;
    messages.push({
      type: isStart ? "start" : String.fromCharCode(bytes[at]!),
      body: bytes.subarray(from, until),
    });
    at = until;
  }
  return messages;
}

/** The values that a statement was given. */
function parametersOf({ type, body }: Message): string[] {
  if (type !== "B") return [];
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  let at = body.indexOf(0) + 1;
  at = body.indexOf(0, at) + 1;
  at += 2 + 2 * view.getInt16(at);
  const values: string[] = [];
  const count = view.getInt16(at);
  at += 2;
  for (let i = 0; i < count; i++) {
    const length = view.getInt32(at);
    values.push(text(body.subarray(at + 4, at + 4 + Math.max(0, length))));
    at += 4 + Math.max(0, length);
  }
  return values;
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
