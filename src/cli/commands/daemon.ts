import { command, group, wholeNumber } from "../command.ts";

const load = () => import("../actions/daemon.ts");

const PORT = {
  kind: "parsed",
  parse: wholeNumber(0, 65_535),
  optional: true,
  brief: "Answer on this port of this machine too, with a token; 0 takes a free one",
  placeholder: "n",
} as const;

/** `conclaude daemon …` */
export const daemon = group({
  verbs: {
    run: command<{ readonly port?: number; readonly quiet: boolean }, []>({
      load: async () => (await load()).runHere,
      parameters: {
        flags: {
          port: PORT,
          quiet: {
            kind: "boolean",
            default: false,
            brief: "Write to the log alone, nothing to stderr",
          },
        },
      },
      brief: "Run the daemon in this terminal",
      about:
        "Runs the daemon of the database until Ctrl-C, SIGTERM or `conclaude daemon stop`. It answers on a unix " +
        "socket beside the database that is open to you alone. A database has one daemon. What it logs it writes to " +
        "stderr too, as text also with --json.",
      examples: ["conclaude daemon run", "conclaude daemon run --port 0"],
    }),
    start: command<{ readonly port?: number }, []>({
      load: async () => (await load()).startDaemon,
      parameters: { flags: { port: PORT } },
      brief: "Start the daemon in the background",
      about:
        "Starts the daemon so that it goes on when the terminal is closed, and waits until it answers. One that " +
        "runs already is left alone. The configuration that counts in this folder counts for it.",
      examples: ["conclaude daemon start", "conclaude daemon start --port 8377 --json"],
    }),
    stop: command<Record<never, never>, []>({
      load: async () => (await load()).stopDaemon,
      parameters: { flags: {} },
      brief: "Stop the daemon",
      about:
        "Tells the daemon to stop, and waits until it has. Agents that run go on; the next daemon takes them over.",
      examples: ["conclaude daemon stop"],
    }),
    status: command<Record<never, never>, []>({
      load: async () => (await load()).showStatus,
      parameters: { flags: {} },
      brief: "Say whether the daemon runs, and where",
      about:
        "Says whether the daemon of the database runs, with its process, socket, port and version. The exit status " +
        "is 0 either way; --json tells by `running`.",
      examples: ["conclaude daemon status", "conclaude daemon status --json"],
    }),
    logs: command<{ readonly lines: number; readonly follow: boolean }, []>({
      load: async () => (await load()).showLogs,
      parameters: {
        flags: {
          lines: {
            kind: "parsed",
            parse: wholeNumber(0, 100_000),
            default: "50",
            brief: "How many of the last lines",
            placeholder: "n",
          },
          follow: {
            kind: "boolean",
            default: false,
            brief: "Go on with what is written from now on",
          },
        },
      },
      brief: "Print what the daemon has logged",
      about: "Prints the last lines of the daemon's log.",
      examples: ["conclaude daemon logs --lines 100", "conclaude daemon logs --follow"],
    }),
  },
  brief: "The daemon: answers programs, runs workflows; nothing else needs it",
  examples: ["conclaude daemon start", "conclaude daemon status --json", "conclaude daemon stop"],
});
