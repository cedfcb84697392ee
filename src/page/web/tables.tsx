import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { PageEdit } from "../data.ts";
import { count, money, percent, plural } from "../../core/text/figures.ts";
import { clock, short } from "./format.ts";
import { editTitle, type Model, timeOf } from "./model.ts";

interface TableProps {
  readonly model: Model;
  readonly onMessage: (message: number) => void;
}

/** Rows of a table that are made at once. */
const ROWS = 200;

interface RowsProps<Item> {
  readonly label: string;
  readonly columns: readonly string[];
  /** The first and the last column of figures, counted from 0. @default there is none */
  readonly figures?: readonly [from: number, to: number];
  readonly items: readonly Item[];
  readonly cells: (item: Item, at: number) => readonly ComponentChildren[];
  readonly none: string;
}

export function Table<Item>(props: RowsProps<Item>) {
  const { label, columns, figures: [from, to] = [0, -1], items, cells, none } = props;
  const [most, setMost] = useState(ROWS);
  const classOf = (column: number): string => (column >= from && column <= to ? "figure" : "");
  if (items.length === 0) return <p class="empty">{none}</p>;
  return (
    <div class="table">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map((name, column) => (
              <th key={name} scope="col" class={classOf(column)}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.slice(0, most).map((item, at) => (
            <tr key={at}>
              {cells(item, at).map((cell, column) => (
                <td key={column} class={classOf(column)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > most && (
        <More onClick={() => setMost(most + ROWS * 5)}>Show more of {count(items.length)}</More>
      )}
    </div>
  );
}

export function Go({
  message,
  onMessage,
}: { readonly message: number } & Pick<TableProps, "onMessage">) {
  return (
    <button type="button" class="link number" onClick={() => onMessage(message)}>
      #{message}
    </button>
  );
}

/** The largest items, each with what one could do about it. */
export function Largest({ model: { data }, onMessage }: TableProps) {
  return (
    <Table
      label="Largest items"
      none="Nothing stands out: no file was read again and again, and no output is large."
      columns={["What", "Tokens", "Each", "What one could do"]}
      figures={[1, 2]}
      items={data.advice}
      cells={({ subject, times, tokens, text, message }) => [
        <>
          <b class="wrap">{subject}</b>
          <br />
          <span class="quiet">{times > 1 && plural(times, "time")} </span>
          {message !== undefined && <Go message={message} onMessage={onMessage} />}
        </>,
        count(tokens),
        times > 1 ? count(tokens / times) : "",
        text,
      ]}
    />
  );
}

export function Edits({
  model,
  onEdit,
}: Pick<TableProps, "model"> & { readonly onEdit: (edit: PageEdit) => void }) {
  return (
    <Table
      label="Edits"
      none="Nobody edited this conversation: the model saw all of it, as it was said."
      columns={["Edit", "Before request", "Tokens saved", ...BILL]}
      figures={[1, 7]}
      items={model.data.edits}
      cells={(edit) => [
        <button type="button" class="link" onClick={() => onEdit(edit)}>
          <i class={`sign ${edit.type}`} aria-hidden="true" /> {editTitle(edit)}
        </button>,
        count(edit.step + 1),
        edit.saved > 0 ? count(edit.saved) : "",
        ...billCells(edit),
      ]}
    />
  );
}

const BILL = ["In requests", "Sent anew", "Model", "Spared", "Cost"];

function billCells({ bill }: PageEdit): readonly string[] {
  if (bill === undefined) return ["", "", "", "", ""];
  const { rewritten, requests, model, isEstimated, spent, spared } = bill;
  const asked = model.input + model.output;
  return [
    count(requests),
    count(rewritten),
    asked === 0 ? "none" : `${isEstimated ? "≈ " : ""}${count(asked)}`,
    spared === undefined ? "–" : money(spared),
    spent === undefined ? "–" : money(spent),
  ];
}

export function Files({ model: { data }, onMessage }: TableProps) {
  return (
    <Table
      label="Files"
      none="No file was touched."
      columns={["File", "What happened", "Last"]}
      items={data.files.toSorted((one, other) => other.last - one.last)}
      cells={({ path, ops, last }) => [
        <code class="wrap">{path}</code>,
        ops.join(", "),
        <Go message={last} onMessage={onMessage} />,
      ]}
    />
  );
}

export function Commands({ model: { data }, onMessage }: TableProps) {
  return (
    <Table
      label="Commands"
      none="No command was run."
      columns={["Command", "Outcome", "Message"]}
      items={data.commands}
      cells={({ command, outcome, exitCode, at }) => [
        <code class="wrap">{command.length > 400 ? `${command.slice(0, 400)} …` : command}</code>,
        <span class={outcome === "failed" ? "badge bad" : "badge"}>
          {outcome}
          {exitCode ? ` (${exitCode})` : ""}
        </span>,
        <Go message={at} onMessage={onMessage} />,
      ]}
    />
  );
}

export function Instructions({ model: { data }, onMessage }: TableProps) {
  return (
    <Table
      label="Instructions"
      none="Nobody typed anything."
      columns={["What the person typed", "Message"]}
      items={data.instructions}
      cells={({ text, at }) => [
        <p class="typed">{text.length > 1_200 ? `${text.slice(0, 1_200)} …` : text}</p>,
        <Go message={at} onMessage={onMessage} />,
      ]}
    />
  );
}

/** Tokens, cache and money, for each request and all together. */
export function Requests({ model, onMessage }: TableProps) {
  const { data, totals } = model;
  const answered = data.steps.filter(({ answer }) => answer !== undefined);
  const { spent } = data;
  return (
    <>
      {spent === undefined ? (
        <p class="empty">The session does not say what its requests took; sizes are estimates.</p>
      ) : (
        <dl class="figures">
          <Figure name="Requests" value={count(spent.requests)} />
          <Figure name="Input, not cached" value={short(spent.input)} />
          <Figure name="Read from the cache" value={short(spent.cacheRead)} />
          <Figure name="Written to the cache" value={short(spent.cacheWrite)} />
          <Figure name="Output" value={short(spent.output)} />
          <Figure name="Money" value={spent.cost === undefined ? "–" : money(spent.cost)} />
        </dl>
      )}
      <Table
        label="Requests"
        none="There was no request."
        columns={["Request", "At", "In the window", ...REPORTED]}
        figures={[2, 7]}
        items={answered}
        cells={(step, at) => {
          const { answer = 0, reported } = step;
          const { usage, cost } = data.messages[answer] ?? {};
          const time = timeOf(data, step);
          return [
            <>
              {count(at + 1)} <Go message={answer} onMessage={onMessage} />
            </>,
            time === undefined ? "" : clock(time),
            count(totals[at] ?? 0),
            reported === undefined ? "" : count(reported),
            usage && reported ? percent(usage.cacheRead ?? 0, reported) : "",
            usage?.cacheWrite ? count(usage.cacheWrite) : "",
            usage ? count(usage.output) : "",
            cost === undefined ? "" : money(cost),
          ];
        }}
      />
    </>
  );
}

const REPORTED = ["Reported", "From the cache", "Written", "Output", "Money"];

interface MoreProps {
  readonly onClick: () => void;
  readonly children: ComponentChildren;
}

export function More({ onClick, children }: MoreProps) {
  return (
    <button type="button" class="more" onClick={onClick}>
      {children}
    </button>
  );
}

interface ModesProps<Mode> {
  readonly label: string;
  readonly modes: readonly (readonly [Mode, string])[];
  readonly pressed: Mode;
  readonly onMode: (mode: Mode) => void;
}

export function Modes<Mode extends string | number>(props: ModesProps<Mode>) {
  const { label, modes, pressed, onMode } = props;
  return (
    <div class="modes" role="group" aria-label={label}>
      {modes.map(([mode, name]) => (
        <button
          type="button"
          key={mode}
          aria-pressed={mode === pressed}
          onClick={() => onMode(mode)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

/** Tokens of the usable ones as a bar. */
export function Meter({ tokens, usable }: { readonly tokens: number; readonly usable: number }) {
  return (
    <span class="meter" aria-hidden="true">
      <i style={{ width: `${Math.min(100, (tokens / Math.max(1, usable)) * 100)}%` }} />
    </span>
  );
}

export function Figure({ name, value, note }: { name: string; value: string; note?: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value}
        {note && <small>{note}</small>}
      </dd>
    </div>
  );
}
