/** What is told of a daemon, whoever asks for it. */
import type { FoundDaemon } from "../daemon/client.ts";
import { covenNotice, type CovenPlace } from "../engine/coven_place.ts";
import { VERSION } from "../version.ts";
import type { CliContext } from "./context.ts";
import { hintsHere, nextHere } from "./next_command.ts";
import type { Place } from "./store.ts";
import type { View } from "./view.ts";

/** What is known beside the daemon itself. */
export interface Beside extends Pick<Place, "database"> {
  /** Whether this command has started it. */
  readonly started?: boolean;
  readonly globals: CliContext["globals"];
  /** State of the older daemon here that nobody has decided about. */
  readonly oldState: CovenPlace | null;
}

/** What is told of a daemon, and of the state of the older one. */
export function stateView(found: FoundDaemon, { oldState, ...beside }: Beside): View {
  const view = daemonView(found, beside);
  if (oldState === null) return view;
  return {
    ...view,
    json: { ...view.json, oldState: oldState.folder },
    text: `${view.text}\n${hintsHere(covenNotice(oldState), beside.globals)}`,
  };
}

function daemonView(
  found: FoundDaemon,
  { database, started, globals }: Omit<Beside, "oldState">,
): View & { readonly json: object } {
  const more = started === undefined ? {} : { started };
  if (found.kind === "none") {
    return {
      json: { running: false, database },
      text: `The daemon of ${database} is not running. Start it with \`${
        nextHere("conclaude daemon start", globals)
      }\`.`,
    };
  }
  if (found.kind === "silent") {
    return {
      json: {
        running: true,
        answers: false,
        database,
        pid: null,
        socket: null,
        port: null,
        startedAtMs: null,
      },
      text: `The daemon of ${database} is just starting or stopping.`,
    };
  }
  const { state, answers } = found;
  const isSame = state.version === VERSION;
  return {
    json: { running: true, answers, ...more, database, ...state, programVersion: VERSION },
    text: [
      `The daemon of ${database} ${
        started ? "has started" : started === false ? "is running already" : "is running"
      }.`,
      `  process: ${state.pid}, since ${new Date(state.startedAtMs).toISOString()}`,
      `  socket:  ${state.socket ?? "none"}`,
      ...state.port === null ? [] : [`  port:    127.0.0.1:${state.port}`],
      `  version: ${state.version}${
        isSame ? "" : `, but this program is ${VERSION}: stop it and start it again`
      }`,
      ...answers ? [] : [
        hintsHere("  It does not answer: see `conclaude daemon logs`.", globals),
      ],
    ].join("\n"),
  };
}
