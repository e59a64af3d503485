/// <reference lib="dom" />
/** Draws lines over time. A separate script that only a screen with a chart loads. */
import UPlot from "uplot";
import { msText } from "./format.ts";

/** One line of a chart; `colour` names a property of the style sheet. */
export interface Line {
  readonly name: string;
  readonly colour: string;
  readonly values: readonly (number | null)[];
}

export interface ChartData {
  /** The time that the chart covers, in epoch seconds, even if it has few values. */
  readonly span: readonly [from: number, to: number];
  /** Epoch seconds, in rising order. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
}

const HEIGHT = 240;

/** Draws a chart as wide as its frame. @returns `show` draws other data, `end` removes the chart. */
export function drawChart(
  frame: HTMLElement,
  first: ChartData,
): { readonly show: (data: ChartData) => void; readonly end: () => void } {
  let { span } = first;
  const style = getComputedStyle(frame);
  const colourOf = (name: string) => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colourOf("--faint"),
    grid: { stroke: colourOf("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  const chart = new UPlot(
    {
      width: frame.clientWidth,
      height: HEIGHT,
      cursor: { drag: { x: false, y: false }, y: false },
      legend: { show: false },
      axes: [{ ...axis, size: 32, values: (_, splits) => splits.map(timeText) }, {
        ...axis,
        size: 64,
        values: (_, values) => values.map((ms) => msText(ms)),
      }],
      scales: {
        x: { range: () => [...span] },
        y: { range: (_, _least, most) => [0, Math.max(most, 1) * 1.1] },
      },
      series: [
        {},
        ...first.lines.map(({ name, colour }) => ({
          label: name,
          stroke: colourOf(colour),
          width: 2,
          spanGaps: false,
          points: { show: true, size: 4, fill: colourOf(colour) },
        })),
      ],
    },
    dataOf(first),
    frame,
  );
  const sizes = new ResizeObserver(() => {
    chart.setSize({ width: frame.clientWidth, height: HEIGHT });
  });
  sizes.observe(frame);
  return {
    show(data) {
      span = data.span;
      chart.setData(dataOf(data));
    },
    end() {
      sizes.disconnect();
      chart.destroy();
    },
  };
}

/** Formats an axis time: the hour, or the day at midnight. */
function timeText(seconds: number): string {
  const date = new Date(seconds * 1_000);
  return date.getHours() + date.getMinutes() === 0
    ? date.toLocaleDateString([], { month: "short", day: "numeric" })
    : date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", hour12: false });
}

function dataOf({ times, lines }: ChartData): UPlot.AlignedData {
  return [[...times], ...lines.map(({ values }) => [...values])];
}
