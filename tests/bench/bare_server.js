// What the daemon is compared with: a server of the same runtime that inserts one row in one transaction per request.
import { DatabaseSync } from "node:sqlite";

const [path, socket] = Deno.args;
const db = new DatabaseSync(path, { timeout: 1_000 });
db.exec(
  `PRAGMA journal_mode = WAL;
   PRAGMA synchronous = NORMAL;
   CREATE TABLE requests (id INTEGER PRIMARY KEY, path TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT`,
);
const insert = db.prepare("INSERT INTO requests (path, at_ms) VALUES (?, ?)");
const signals = Promise.withResolvers();
Deno.addSignalListener("SIGTERM", signals.resolve);
const server = Deno.serve({ path: socket, onListen: () => {} }, (request) => {
  db.exec("BEGIN IMMEDIATE");
  const { lastInsertRowid } = insert.run(request.url, Date.now());
  db.exec("COMMIT");
  return Response.json({ id: Number(lastInsertRowid) });
});
await signals.promise;
await server.shutdown();
db.close();
