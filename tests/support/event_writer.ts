/** Writes events of a session at full speed, in a thread of its own, while a test looks on. */

/** What is written. */
export interface Writing {
  readonly database: string;
  readonly sessionId: string;
  readonly perSecond: number;
  readonly seconds: number;
}

/** Writes uses of `Read`, of the files `written-0.ts` and on. @returns How many, when all are written. */
export function writeEvents(writing: Writing): Promise<number> {
  const thread = new URL("./event_writer_thread.ts", import.meta.url);
  const worker = new Worker(thread, { type: "module" });
  return new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => {
      worker.terminate();
      resolve(data as number);
    });
    worker.addEventListener("error", ({ message }) => reject(new Error(message)));
    worker.postMessage(writing);
  });
}
