/** Shows what the rules would decide about a tool use, the deciding rule first. */
import { useState } from "preact/hooks";
import { count } from "../../base/counts.ts";
import { withQuery } from "../api.ts";
import { short } from "../format.ts";
import { Badge, Empty, Panel, Problem, type Tone } from "../kit/parts.tsx";
import { useData } from "../store.ts";

interface Saying {
  readonly rule: string;
  readonly glob: string;
  readonly says: string;
  readonly why: string;
}

interface Explained {
  readonly decision: "allow" | "deny";
  readonly doubts: readonly string[];
  readonly deciding: readonly Saying[];
  readonly rules: readonly Saying[];
}

/** The tools that the form suggests; a person may type any other. */
const TOOLS = ["Bash", "Edit", "Write", "Read", "WebFetch", "Agent", "Skill", "mcp__SERVER__TOOL"];

const TONES: Readonly<Record<string, Tone>> = {
  forbids: "bad",
  "cannot tell": "warn",
  allows: "good",
};

export function ExplainForm({ folder, session }: { folder: string; session: string }) {
  const [tool, setTool] = useState("Bash");
  const [input, setInput] = useState("");
  const [use, setUse] = useState<{ tool: string; input: string } | null>(null);
  const path = use && withQuery("/explain", { folder, session, ...use });
  const { value, error } = useData<Explained>(path, ["rules"]);
  return (
    <Panel title="Would it be allowed?">
      <form
        class="explain"
        onSubmit={(event) => {
          event.preventDefault();
          setUse({ tool: tool.trim(), input });
        }}
      >
        <input
          aria-label="Tool"
          list="tools"
          value={tool}
          onInput={({ currentTarget }) => setTool(currentTarget.value)}
        />
        <datalist id="tools">{TOOLS.map((name) => <option key={name} value={name} />)}</datalist>
        <input
          class="wide"
          aria-label="Input"
          title="A command, a file, or the whole input as JSON"
          placeholder="git push --force, or a file"
          value={input}
          onInput={({ currentTarget }) => setInput(currentTarget.value)}
        />
        <button type="submit" disabled={tool.trim() === "" || input.trim() === ""}>Explain</button>
      </form>
      {error === undefined ? null : <Problem error={error} />}
      {value === undefined ? null : <Explanation explained={value} />}
    </Panel>
  );
}

function Explanation({ explained }: { explained: Explained }) {
  const { decision, doubts, deciding, rules } = explained;
  const isSame = (one: Saying) =>
    deciding.some(({ rule, glob, why }) =>
      one.rule === rule && one.glob === glob && one.why === why
    );
  const others = rules.filter((one) => !isSame(one));
  return (
    <div role="status">
      <p>
        <Badge tone={decision === "deny" ? "bad" : "good"}>
          {decision === "deny" ? "denied" : "allowed"}
        </Badge>
      </p>
      {doubts.map((doubt) => <p key={doubt} class="faint">Not known before it runs: {doubt}</p>)}
      {rules.length === 0 ? <Empty title="There are no rules here." /> : null}
      <Sayings sayings={deciding} />
      {others.length === 0 ? null : (
        <details>
          <summary>{count(others.length, "rule decides", "rules decide")} nothing here</summary>
          <Sayings sayings={others} />
        </details>
      )}
    </div>
  );
}

function Sayings({ sayings }: { sayings: readonly Saying[] }) {
  return (
    <ul class="rows">
      {sayings.map(({ rule, says, why }, i) => (
        <li key={i} class="row tall">
          <Badge tone={TONES[says] ?? "plain"}>{says}</Badge>
          <span class="grow">
            {rule} <span class="faint block">{short(why, 600)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}
