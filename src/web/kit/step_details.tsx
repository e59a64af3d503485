/** Shows the input and output of a step: an edit as a diff, a command with its output, or a message. */
import { short } from "../format.ts";
import { useData } from "../store.ts";
import type { Step } from "../../memory/tell/session_steps.ts";
import { Diff } from "./diff.tsx";
import { Problem } from "./parts.tsx";

type Fields = Readonly<Record<string, unknown>>;

interface Capture {
  readonly payload: Fields | string;
}

export function StepDetails(
  { session, step, onCopy }: { session: string; step: Step; onCopy: () => void },
) {
  const isKept = !step.id.startsWith("#");
  const path = isKept ? `/captures/${step.id}` : `/memory/${step.observation}`;
  const { value, error } = useData<Capture & { text?: string }>(path, [`session:${session}`]);
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined) return <p class="faint details" role="status">Loading …</p>;
  return (
    <div class="details">
      {isKept && typeof value.payload === "object"
        ? <Payload payload={value.payload} />
        : <pre>{short(value.text ?? String(value.payload))}</pre>}
      <p class="inline">
        <button type="button" onClick={onCopy}>Copy link to step</button>
        {step.observation === null
          ? null
          : <a href={`#/memory/${step.observation}`}>What memory made of it</a>}
      </p>
    </div>
  );
}

function Payload({ payload }: { payload: Fields }) {
  const input = fieldsIn(payload["tool_input"]);
  const result = payload["tool_response"] ?? payload["error"];
  const { prompt, last_assistant_message: message } = payload;
  if (typeof prompt === "string") return <pre class="words">{short(prompt)}</pre>;
  if (typeof message === "string") return <pre class="words">{short(message)}</pre>;
  const edits = editsIn(input);
  if (edits.length > 0) {
    return (
      <>
        <p class="faint">{String(input["file_path"] ?? "")}</p>
        {edits.map(([before, after], i) => <Diff key={i} before={before} after={after} />)}
      </>
    );
  }
  return (
    <>
      {typeof input["command"] === "string"
        ? <pre class="command">$ {short(input["command"])}</pre>
        : <pre>{short(textOf(payload["tool_input"]))}</pre>}
      <pre>{short(outputOf(result))}</pre>
    </>
  );
}

/** Returns the old and new text of each edit. */
function editsIn(input: Fields): (readonly [string, string])[] {
  const { old_string: old, new_string: young, content, edits } = input;
  if (Array.isArray(edits)) return edits.flatMap((edit) => editsIn(fieldsIn(edit)));
  if (typeof young === "string") return [[String(old ?? ""), young]];
  return typeof content === "string" && "file_path" in input ? [["", content]] : [];
}

function outputOf(result: unknown): string {
  const { stdout, stderr } = fieldsIn(result);
  if (typeof stdout === "string") {
    return [stdout, stderr].filter((text) => typeof text === "string" && text !== "").join("\n");
  }
  return textOf(result);
}

function fieldsIn(value: unknown): Fields {
  return typeof value === "object" && value !== null ? value as Fields : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "";
}
