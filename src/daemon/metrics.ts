/** Counts what the daemon does, and writes metrics as text for Prometheus. */

interface CountedRequest {
  readonly route: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
}

export interface Figure {
  readonly name: string;
  readonly help: string;
  readonly type: "gauge" | "counter";
  readonly samples: readonly {
    readonly labels?: Readonly<Record<string, string>>;
    readonly value: number;
  }[];
}

/** The buckets of the histogram of requests, in seconds. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Counters that start at 0 with the daemon. */
export type CounterName = "lease_expiries" | "retention_removals" | "sse_connections";

const COUNTERS: Readonly<Record<CounterName, string>> = {
  lease_expiries: "Claims that were taken back because nobody renewed them",
  retention_removals: "Rows that retention removed",
  sse_connections: "Event streams that were opened",
};

/** Makes a metric: a counter if the name ends in `_total`, else a gauge. */
export function figure(name: string, help: string, value: number | Figure["samples"]): Figure {
  const samples = typeof value === "number" ? [{ value }] : value;
  return { name, help, type: name.endsWith("_total") ? "counter" : "gauge", samples };
}

export class Metrics {
  readonly #requests = new Map<string, { readonly labels: CountedRequest; count: number }>();
  readonly #buckets = new Array<number>(BUCKETS.length + 1).fill(0);
  readonly #counters = new Map<CounterName, number>();
  #seconds = 0;
  #count = 0;

  countRequest(request: CountedRequest): void {
    const key = `${request.method} ${request.route} ${request.status}`;
    const known = this.#requests.get(key);
    if (known === undefined) this.#requests.set(key, { labels: request, count: 1 });
    else known.count++;
    const bucket = BUCKETS.findIndex((end) => request.seconds <= end);
    this.#buckets[bucket < 0 ? BUCKETS.length : bucket]! += 1;
    this.#seconds += request.seconds;
    this.#count++;
  }

  add(name: CounterName, by = 1): void {
    this.#counters.set(name, (this.#counters.get(name) ?? 0) + by);
  }

  /** Returns all metrics as text. @param figures Metrics that the caller has just read. */
  text(figures: readonly Figure[]): string {
    const requests = [...this.#requests.values()].map(({ labels, count }) => ({
      labels: { method: labels.method, route: labels.route, status: String(labels.status) },
      value: count,
    }));
    const counted: Figure[] = [
      figure("requests_total", "Requests by route and status", requests),
      ...Object.entries(COUNTERS).map(([name, help]) =>
        figure(`${name}_total`, help, this.#counters.get(name as CounterName) ?? 0)
      ),
    ];
    return [...figures, ...counted].map(figureText).join("") + this.#histogramText();
  }

  #histogramText(): string {
    const name = "conclaude_request_seconds";
    let sum = 0;
    const rows = [...BUCKETS, Infinity].map((end, i) => {
      sum += this.#buckets[i]!;
      return `${name}_bucket{le="${end === Infinity ? "+Inf" : end}"} ${sum}\n`;
    });
    return `# HELP ${name} How long requests took\n# TYPE ${name} histogram\n${rows.join("")}` +
      `${name}_sum ${this.#seconds}\n${name}_count ${this.#count}\n`;
  }
}

function figureText({ name, help, type, samples }: Figure): string {
  const full = `conclaude_${name}`;
  const rows = samples.map(({ labels = {}, value }) => {
    const words = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${full}${words.length === 0 ? "" : `{${words.join(",")}}`} ${value}\n`;
  });
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${rows.join("")}`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}
