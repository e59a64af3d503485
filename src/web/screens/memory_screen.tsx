/** The screen "Memory": search, open matters, the next session's context, notes, and forgetting. */
import { useEffect, useState } from "preact/hooks";
import { rights, withQuery } from "../api.ts";
import { folderName, folderOf, short } from "../format.ts";
import { Badge, Empty, More, Panel, Problem, Rows, Screen, Time } from "../kit/parts.tsx";
import { useList, useWhole } from "../list.ts";
import { useData } from "../store.ts";
import type { Line, Observation } from "../types.ts";
import { Forget, ForgetText, NoteForm, Receipt } from "./memory_acts.tsx";

const KINDS = [
  "edit",
  "command",
  "failure",
  "fix",
  "test",
  "commit",
  "prompt",
  "message",
  "decision",
  "note",
  "summary",
];
const TYPING_MS = 200;
/** How many results a search shows at first; the best ones come first. */
const FIRST_FOUND = 20;

/** Loads the projects of all sessions, the most recent first. */
export function useProjects(): readonly string[] {
  return useData<{ projects: string[] }>("/projects", ["sessions"]).value?.projects ?? [];
}

export function ProjectChoice(
  { projects, chosen, onChoose, all }: {
    projects: readonly string[];
    chosen: string;
    onChoose: (project: string) => void;
    all?: string;
  },
) {
  return (
    <select
      aria-label="Project"
      value={chosen}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    >
      {all === undefined ? null : <option value="">{all}</option>}
      {projects.map((path) => (
        <option key={path} value={path} title={path}>{folderName(path)}</option>
      ))}
    </select>
  );
}

export function MemoryScreen({ id }: { id: string | undefined }) {
  const projects = useProjects();
  const [project, setProject] = useState("");
  const [typed, setTyped] = useState("");
  const [words, setWords] = useState("");
  const [kind, setKind] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const filters = { project, kind };
  const isSearch = words.trim() !== "";
  const search = withQuery("/memory/search", { ...filters, words });
  const found = useWhole<Observation>(isSearch ? search : null, {
    name: "results",
    parts: ["memory"],
    first: FIRST_FOUND,
  });
  const newest = useList<Observation>(isSearch ? null : withQuery("/memory", filters), {
    name: "observations",
    parts: ["memory"],
    keyOf: ({ id }) => id,
    atOf: ({ createdAtMs }) => createdAtMs,
  });
  const list = isSearch ? found : newest;
  const folder = project || projects[0];
  return (
    <Screen
      title="Memory"
      beside={
        <>
          <ProjectChoice
            projects={projects}
            chosen={project}
            onChoose={setProject}
            all="All projects"
          />
          <select
            aria-label="Kind"
            value={kind}
            onChange={({ currentTarget }) => setKind(currentTarget.value)}
          >
            <option value="">All kinds</option>
            {KINDS.map((one) => <option key={one} value={one}>{one}</option>)}
          </select>
          <input
            type="search"
            data-find
            placeholder="Search in any words"
            aria-label="Search memory"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </>
      }
    >
      <Receipt />
      {id === undefined ? null : <Whole key={id} id={id} />}
      <div class="two">
        <Panel title={words === "" ? "Newest" : "Found"}>
          <Rows
            rows={list.rows}
            error={list.error}
            empty={<Empty title="Nothing is remembered that matches." />}
          >
            {(one) => (
              <li key={one.id}>
                <a class="row" href={`#/memory/${one.id}`}>
                  <Badge
                    tone={one.outcome === "failure"
                      ? one.resolvedBy === null ? "bad" : "good"
                      : "plain"}
                  >
                    {one.kind}
                  </Badge>
                  <span class="grow">{short(one.title, 300)}</span>
                  <Time at={one.createdAtMs} />
                </a>
              </li>
            )}
          </Rows>
          <More list={list} rest="conclaude memory search WORDS --limit N" />
        </Panel>
        <div>
          {folder === undefined ? null : (
            <>
              {rights() !== "act" ? null : (
                <Panel title={`Note for ${folderName(folder)}`}>
                  <NoteForm key={folder} folder={folder} />
                </Panel>
              )}
              <OpenHere folder={folder} />
              <NextContext folder={folder} />
            </>
          )}
          {rights() === "act" ? <ForgetText /> : null}
        </div>
      </div>
    </Screen>
  );
}

function Whole({ id }: { id: string }) {
  const { value, error } = useData<Observation>(`/memory/${id}`, ["memory"]);
  const [isReplacing, setReplacing] = useState(false);
  if (error !== undefined) return <Problem error={error} />;
  if (value === undefined) return <p class="faint" role="status">Loading …</p>;
  const mayReplace = value.kind === "note" || value.kind === "decision";
  return (
    <Panel title={`#${value.id} · ${value.kind}`}>
      <h3>{short(value.title)}</h3>
      <p class="faint">
        {folderName(value.project)}
        {value.branch ? ` · ${value.branch}` : ""} · <Time at={value.createdAtMs} /> ·{" "}
        <a href={`#/session/${value.sessionId}`}>its session</a>
        {value.resolvedBy
          ? (
            <>
              {" "}·{" "}
              <a href={`#/memory/${value.resolvedBy}`}>
                {mayReplace ? "replaced" : "mended"} by #{value.resolvedBy}
              </a>
            </>
          )
          : null}
      </p>
      <pre class="words">{short(value.text ?? "")}</pre>
      {rights() !== "act" ? null : (
        <>
          {isReplacing
            ? (
              <NoteForm
                folder={value.project === null ? undefined : folderOf(value.project)}
                replaced={value}
                onDone={() => setReplacing(false)}
              />
            )
            : null}
          {mayReplace && value.resolvedBy === null && !isReplacing
            ? <button type="button" onClick={() => setReplacing(true)}>Replace …</button>
            : null} <Forget key={id} what={{ id: String(value.id) }} label="Forget" />
        </>
      )}
    </Panel>
  );
}

interface Open {
  readonly failures: readonly Line[];
  readonly todos: readonly { readonly text: string }[];
  readonly tasks: readonly { readonly id: string; readonly title: string }[];
}

function OpenHere({ folder }: { folder: string }) {
  const path = withQuery("/memory/open", { folder });
  const { value, error } = useData<Open>(path, ["memory", "work"]);
  const rows = value && [
    ...value.failures.map(({ id, title }) => ["failed", title, `#/memory/${id}`] as const),
    ...value.todos.map(({ text }) => ["todo", text, "#/memory"] as const),
    ...value.tasks.map(({ title }) => ["task", title, "#/work"] as const),
  ];
  return (
    <Panel title={`Open in ${folderName(folder)}`}>
      <Rows rows={rows} error={error} empty={<Empty title="Nothing is open." />}>
        {([kind, title, href]) => (
          <li key={title}>
            <a class="row" href={href}>
              <Badge tone={kind === "failed" ? "bad" : "warn"}>{kind}</Badge>
              <span class="grow">{title}</span>
            </a>
          </li>
        )}
      </Rows>
    </Panel>
  );
}

interface Context {
  readonly text: string;
  readonly tokens: number;
  readonly lines: readonly {
    readonly text: string;
    readonly tokens: number;
    readonly why: string;
  }[];
}

function NextContext({ folder }: { folder: string }) {
  const path = withQuery("/memory/context", { folder });
  const { value, error } = useData<Context>(path, ["memory", "work"]);
  if (error !== undefined) return <Problem error={error} />;
  return (
    <Panel title={`Next context${value ? ` · ${value.tokens} tokens` : ""}`}>
      {value === undefined
        ? <p class="faint" role="status">Loading …</p>
        : value.text === ""
        ? <Empty title="The next session here is told nothing." />
        : (
          <>
            <pre class="words">{short(value.text)}</pre>
            <details>
              <summary>Tokens and reason of each line</summary>
              <ul class="lines">
                {value.lines.map(({ text, tokens, why }, i) => (
                  <li key={i}>
                    <span class="number">{tokens}</span> {short(text, 120)}{" "}
                    <span class="faint">{why}</span>
                  </li>
                ))}
              </ul>
            </details>
          </>
        )}
    </Panel>
  );
}
