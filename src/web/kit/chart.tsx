/** Shows a chart of lines over time, with its legend; loads the drawing script at the first chart. */
import { useEffect, useRef } from "preact/hooks";
import { tell } from "../store.ts";
import type { ChartData, drawChart } from "../plot.ts";

/** The address at which the daemon serves the drawing script. */
const SCRIPT = "/page/plot.js";

type Drawn = ReturnType<typeof drawChart>;

export function Chart({ data, label }: { data: ChartData; label: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const drawn = useRef<Drawn | null>(null);
  const newest = useRef(data);
  newest.current = data;
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const draw = (make: typeof drawChart) => {
      drawn.current?.end();
      drawn.current = make(frame.current!, newest.current);
    };
    let redraw = () => {};
    (import(SCRIPT) as Promise<typeof import("../plot.ts")>).then((plot) => {
      // The person may have left the screen before the script came.
      if (frame.current === null) return;
      draw(plot.drawChart);
      // The chart's colours are drawn, not styled, so they must be drawn again.
      scheme.addEventListener("change", redraw = () => draw(plot.drawChart));
    }, () => tell("The chart cannot be drawn: the daemon does not answer", true));
    return () => {
      scheme.removeEventListener("change", redraw);
      drawn.current?.end();
    };
  }, []);
  useEffect(() => drawn.current?.show(data), [data]);
  return (
    <figure class="chart">
      <div class="chart-frame" ref={frame} role="img" aria-label={label} />
      <figcaption>
        {data.lines.map(({ name, colour }) => (
          <span key={name} class={`legend ${colour.replace("--", "")}`}>{name}</span>
        ))}
      </figcaption>
    </figure>
  );
}
