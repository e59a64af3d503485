import { match, ok, strictEqual } from "node:assert/strict";
import { join } from "node:path";
import { digestOf } from "../../src/base/fnv.ts";
import { type EvalDocument, takeInDocuments } from "../../src/memory/search/eval.ts";
import { recallForFile, recallForPrompt } from "../../src/memory/search/recall.ts";
import { rememberNote } from "../../src/memory/drain/remember.ts";
import { openDatabase } from "../../src/db/database.ts";
import { tempFolder } from "../support/folders.ts";

const NOW = Date.UTC(2026, 6, 15, 10);

Deno.test("a prompt is told the whole answer that Claude once gave, where there is room for it", async () => {
  using folder = tempFolder();
  using db = await openDatabase(join(folder.path, "memory.db"), { busyTimeoutMs: 1_000 });

  const said = (id: string, role: string, text: string): EvalDocument => ({
    id,
    sessionId: "earlier",
    projectDir: "/work/app",
    text,
    createdAtMs: NOW - 86_400_000,
    role,
  });
  takeInDocuments(db, [
    said("1", "user", "The payment gateway answers 503 at times."),
    said(
      "2",
      "assistant",
      "I have read the client of the gateway and the logs of the last week, and asked operations.\n\n" +
        "Decision: retries against the payment gateway use exponential backoff, five attempts at most, " +
        "never for a charge without a key.",
    ),
  ]);
  const place = {
    sessionId: "now",
    project: "/work/app",
    branch: null,
    root: "/work/app",
    nowMs: NOW,
  };
  const told = recallForPrompt(db, "how do we retry calls to the payment gateway?", place);
  match(told, /message: [^]*exponential backoff, five attempts at most, never for a charge/);
  ok(told.length <= 870, String(told.length));
  strictEqual(recallForPrompt(db, "how do we retry calls to the payment gateway?", place), "");
});

Deno.test("recalled memory says whether its file has changed or is gone", async () => {
  using folder = tempFolder();
  using db = await openDatabase(join(folder.path, "memory.db"), { busyTimeoutMs: 1_000 });

  const file = join(folder.path, "upload.ts");
  Deno.writeTextFileSync(file, "wait(1)\n");
  const kept = {
    project: folder.path,
    branch: null,
    sessionId: null,
    root: folder.path,
    atMs: NOW,
  };
  rememberNote(db, "The client of the uploads waits in milliseconds", {
    ...kept,
    files: [{ path: file, digest: digestOf("wait(1)\n") }],
  });
  let session = 0;
  const place = () => ({
    sessionId: `s${session++}`,
    project: folder.path,
    branch: null,
    root: folder.path,
    nowMs: NOW,
  });
  const both = () => [
    recallForFile(db, file, place()),
    recallForPrompt(db, "how long does the client of the uploads wait?", place()),
  ];
  for (const text of both()) match(text, /in milliseconds$/);
  // Written again, with the same content.
  Deno.writeTextFileSync(file, "wait(1)\n");
  for (const text of both()) match(text, /in milliseconds$/);
  Deno.writeTextFileSync(file, "wait(2)\n");
  for (const text of both()) match(text, /in milliseconds \(its file has changed since\)$/);
  Deno.removeSync(file);
  for (const text of both()) match(text, /in milliseconds \(its file is gone\)$/);
});
