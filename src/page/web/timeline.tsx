import { Chart, type ChartProps } from "./chart.tsx";
import { variableOf } from "./colours.ts";
import { count, localTime, percent } from "../../core/text/figures.ts";
import { timeOf } from "./model.ts";

/** The chart, what its colours mean, and the slider that goes through the requests. */
export function Timeline(props: ChartProps) {
  const { model, step, onStep } = props;
  const { data, totals } = model;
  const last = data.steps.length - 1;
  const total = totals[step] ?? 0;
  const time = timeOf(data, data.steps[step]);
  const name = step === last ? "The next request" : `Request ${count(step + 1)} of ${count(last)}`;
  const words = `${count(total)} tokens, ${percent(total, data.about.usable)} of usable`;
  return (
    <section class="card timeline" aria-label="The window over time">
      <Chart {...props} />
      <div class="slider">
        <input
          type="range"
          id="step"
          min={0}
          max={last}
          value={step}
          aria-label="Request"
          aria-valuetext={`${name}, ${words}`}
          onInput={(event) => onStep(Number(event.currentTarget.value))}
        />
        <p>
          <b>{name}</b>
          <span>{words}</span>
          {time !== undefined && <span class="quiet">{localTime(time)}</span>}
          <EditSteps {...props} />
        </p>
      </div>
      <Legend {...props} />
    </section>
  );
}

function EditSteps({ model: { editsAt }, step, onStep }: ChartProps) {
  const steps = [...editsAt.keys()].toSorted((one, other) => one - other);
  if (steps.length === 0) return null;
  const [before, after] = [steps.findLast((at) => at < step), steps.find((at) => at > step)];
  return (
    <span class="edit-steps">
      <button type="button" disabled={before === undefined} onClick={() => onStep(before ?? 0)}>
        ← edit
      </button>
      <button type="button" disabled={after === undefined} onClick={() => onStep(after ?? 0)}>
        edit →
      </button>
    </span>
  );
}

function Legend({ model: { data, series, totals }, step, beside }: ChartProps) {
  const types = new Set(data.edits.map(({ type }) => type));
  const marks = [
    ["compact", "compacted"],
    ["prune", "pruned"],
    ["truncate", "cut on arrival"],
  ] as const;
  const hasReports = data.steps.some(({ reported }) => reported !== undefined);
  return (
    <ul class="legend" aria-label="What fills the window with this request">
      {data.areas.map(({ id, label }, area) => {
        const peak = series[area]?.some((tokens) => tokens >= 1);
        return (
          peak && (
            <li key={id}>
              <i class="swatch" style={{ background: `var(--${variableOf(data.areas, area)})` }} />
              {label} <span>{percent(series[area]?.[step] ?? 0, totals[step] ?? 0)}</span>
            </li>
          )
        );
      })}
      {hasReports && (
        <li>
          <i class="stroke" /> reported by the provider
        </li>
      )}
      {beside !== undefined && (
        <li>
          <i class="stroke ours" /> with Longhaul
        </li>
      )}
      {marks.map(
        ([type, name]) =>
          types.has(type) && (
            <li key={type}>
              <i class={`sign ${type}`} /> {name}
            </li>
          ),
      )}
    </ul>
  );
}
