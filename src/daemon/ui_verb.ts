import { makeToken, revokeToken } from "../policy/store.ts";
import { UserError } from "../base/errors.ts";
import { openKeptStore } from "../operations/open_store.ts";
import { switchOn, toggle } from "../operations/flags.ts";
import { verb } from "../operations/verb.ts";
import { openInBrowser } from "../system/process/browser.ts";
import { askDaemon, doorOf, readState } from "./client.ts";
import { daemonOnPort, daemonPlace } from "./daemon_verbs.ts";

export const ui = verb({
  flags: {
    open: toggle("Open the browser", true),
    readOnly: switchOn("The page may only look"),
  },
  person: "ui",
  about:
    "Opens the page of conclaude in the browser: what every session and agent does now, what waits for you, memory, " +
    "rules, health. It starts the daemon where none runs; the page is served on this machine alone. The address works " +
    "once, within a minute; the tab then keeps its right for 12 hours without use.",
  examples: ["conclaude ui", "conclaude ui --no-open", "conclaude ui --read-only"],
  async run(context, { open, readOnly }) {
    const place = await daemonPlace(context);
    const port = await daemonOnPort(context, place);
    const { db } = await openKeptStore(context, "open the page");
    const proof = await makeToken(db, Date.now());
    const answer = await askDaemon(doorOf(place.files, readState(place.files.state)), {
      method: "POST",
      path: "/page/codes",
      headers: { "conclaude-token": proof },
      body: { readOnly },
    });
    await revokeToken(db, proof);
    const code = Object(answer?.body).code;
    if (answer?.status !== 201 || typeof code !== "string") {
      throw new UserError("Cannot open the page", {
        why: String(Object(Object(answer?.body).error).why ?? "the daemon gave no code"),
        next: "conclaude daemon logs",
      });
    }
    const address = `http://127.0.0.1:${port}/#code=${code}`;
    const isOpened = open && openInBrowser(address, context.environment);
    return {
      json: { address, opened: isOpened, readOnly },
      text: (isOpened ? "Your browser opens the page. If it does not, open" : "Open") +
        ` this address within a minute; it works once:\n${address}`,
    };
  },
});
