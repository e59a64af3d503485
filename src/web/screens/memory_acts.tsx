/** Forms with which a person writes and replaces notes, and forgets with a preview and a receipt. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { count } from "../../base/counts.ts";
import { ask, Refused } from "../api.ts";
import { ConfirmButton, Panel } from "../kit/parts.tsx";
import { act, go } from "../store.ts";
import type { Observation } from "../types.ts";

type Counts = Readonly<Record<string, number>>;

interface Forgetting {
  readonly wouldRemove?: Counts;
  readonly receipt: { readonly id: string; readonly removed: Counts } | null;
  /** Sentences about what could not be removed. */
  readonly left?: readonly string[];
  /** Transcripts of Claude Code that may still hold the content. */
  readonly transcripts: readonly string[];
}

const GONE_ALREADY = new Refused("Nothing fits any more", {
  why: "it was forgotten meanwhile, and nothing was changed",
  next: "conclaude memory list",
  status: 200,
});

/** The result of the last forgetting. */
const receipt = signal<Forgetting | null>(null);

/** Formats counts: `2 observations, 1 capture`. */
function countsIn(counts: Counts = {}): string {
  const some = Object.entries(counts).filter(([, n]) => n > 0);
  const parts = some.map(([name, n]) => count(n, name.replaceAll("_", " ").replace(/s$/, "")));
  return parts.join(", ") || "nothing";
}

/** Previews what would be forgotten, and forgets it after confirmation. @param what The input of `memory forget`. */
export function Forget(
  { what, label }: { what: { readonly id: string } | { readonly text: string }; label: string },
) {
  const [preview, setPreview] = useState<Forgetting | null>(null);
  const forget = (dryRun: boolean) =>
    ask<Forgetting>("POST", "/memory/forget", { ...what, dryRun });
  if (preview === null) {
    return (
      <button
        type="button"
        disabled={Object.values(what).some((value) => value.trim() === "")}
        onClick={() =>
          void act("This is what would go.", async () => setPreview(await forget(true)))}
      >
        {label} …
      </button>
    );
  }
  const isNothing = Object.keys(preview.wouldRemove ?? {}).length === 0;
  return (
    <p class="inline">
      <span>
        {countsIn(preview.wouldRemove)} would go.{preview.transcripts.length === 0
          ? ""
          : ` Claude Code's own transcript still tells of it: ${preview.transcripts[0]}.`}
      </span>
      {isNothing ? null : (
        <ConfirmButton
          label="Forget them"
          sure="Forget for ever"
          onYes={() =>
            void act("It is forgotten.", async () => {
              const result = await forget(false);
              setPreview(null);
              if (result.receipt === null) throw GONE_ALREADY;
              receipt.value = result;
              if (location.hash.startsWith("#/memory")) {
                go("/memory");
              }
            })}
        />
      )}
      <button type="button" onClick={() => setPreview(null)}>Keep it</button>
    </p>
  );
}

/** Shows what was removed, and the command that checks later whether it is still gone. */
export function Receipt() {
  const result = receipt.value;
  if (result?.receipt == null) return null;
  const { receipt: { id, removed }, left = [] } = result;
  return (
    <Panel title="Receipt">
      <p>Forgot {countsIn(removed)}.</p>
      {left.map((line) => <p key={line} class="problem">Left: {line}</p>)}
      <p>
        That it is still gone shows <code>conclaude memory verify {id}</code>
      </p>
      <button type="button" onClick={() => receipt.value = null}>Close</button>
    </Panel>
  );
}

/** A form that forgets a text everywhere. */
export function ForgetText() {
  const [text, setText] = useState("");
  return (
    <Panel title="Forget a text everywhere">
      <p>
        <input
          class="wide"
          aria-label="Text to forget"
          placeholder="A name, a password …"
          autocomplete="off"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </p>
      <Forget key={text} what={{ text }} label="Forget this text" />
    </Panel>
  );
}

/** A form that writes a note for a project, or replaces an older note. */
export function NoteForm(
  { folder, replaced, onDone }: {
    folder: string | undefined;
    replaced?: Observation;
    onDone?: () => void;
  },
) {
  const [text, setText] = useState(replaced?.text ?? replaced?.title ?? "");
  const name = replaced === undefined ? "Note" : "New note";
  return (
    <form
      class="note"
      onSubmit={(event) => {
        event.preventDefault();
        const replaces = replaced === undefined ? {} : { replaces: String(replaced.id) };
        void act(
          replaced === undefined ? "The note is kept." : "The note is replaced.",
          () => ask<{ id: number }>("POST", "/memory", { text, folder, ...replaces }),
        ).then((isDone) => {
          if (!isDone) return;
          setText("");
          onDone?.();
        });
      }}
    >
      <textarea
        aria-label={name}
        placeholder="What the next sessions should know"
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <button type="submit" disabled={text.trim() === ""}>
        {replaced === undefined ? "Remember" : "Replace it"}
      </button>
    </form>
  );
}
