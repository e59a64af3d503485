/** Counts what the daemon does, and writes metrics as text for Prometheus. */

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric: a counter if its name ends in `_total`, else a gauge. */
export type Figure = readonly [name: string, help: string, value: number | readonly Sample[]];

/** The ends of the histogram's buckets, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, Infinity];

/** Counters that start at 0 with the daemon. */
const COUNTERS = {
  lease_expiries: "Claims that were taken back because nobody renewed them",
  retention_removals: "Rows that retention removed",
  sse_connections: "Event streams that were opened",
};

export class Metrics {
  readonly #requests = new Map<string, Sample>();
  readonly #buckets = BUCKETS.map(() => 0);
  readonly #counters = new Map<string, number>();
  #seconds = 0;

  countRequest(labels: Sample["labels"], seconds: number): void {
    const key = Object.values(labels).join(" ");
    this.#requests.set(key, { labels, value: (this.#requests.get(key)?.value ?? 0) + 1 });
    this.#buckets[BUCKETS.findIndex((end) => seconds <= end)]! += 1;
    this.#seconds += seconds;
  }

  add(name: keyof typeof COUNTERS, by = 1): void {
    this.#counters.set(name, (this.#counters.get(name) ?? 0) + by);
  }

  /** Returns all metrics as text. @param figures Metrics that the caller has just read. */
  text(figures: readonly Figure[]): string {
    const all: readonly Figure[] = [
      ...figures,
      ["requests_total", "Requests by route and status", [...this.#requests.values()]],
      ...Object.entries(COUNTERS).map(([name, help]): Figure => {
        return [`${name}_total`, help, this.#counters.get(name) ?? 0];
      }),
    ];
    return all.map(figureText).join("") + this.#histogramText();
  }

  #histogramText(): string {
    const name = "conclaude_request_seconds";
    let sum = 0;
    const rows = BUCKETS.map((end, i) => {
      sum += this.#buckets[i]!;
      return `${name}_bucket{le="${end === Infinity ? "+Inf" : end}"} ${sum}\n`;
    });
    return `# HELP ${name} How long requests took\n# TYPE ${name} histogram\n${rows.join("")}` +
      `${name}_sum ${this.#seconds}\n${name}_count ${sum}\n`;
  }
}

function figureText([name, help, value]: Figure): string {
  const full = `conclaude_${name}`;
  const samples = typeof value === "number" ? [{ labels: {}, value }] : value;
  const rows = samples.map(({ labels, value }) => {
    const words = Object.entries(labels).map(([label, text]) => `${label}=${quoted(text)}`);
    return `${full}${words.length === 0 ? "" : `{${words.join(",")}}`} ${value}\n`;
  });
  const type = name.endsWith("_total") ? "counter" : "gauge";
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${rows.join("")}`;
}

function quoted(label: string | number): string {
  const text = String(label).replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
  return `"${text}"`;
}
