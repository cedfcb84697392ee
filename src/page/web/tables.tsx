import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Advice } from "../data.ts";
import { count, money, percent, plural, short } from "./format.ts";
import { editTitle, type Model, timeOf } from "./model.ts";
import { clock } from "./format.ts";
import type { PageEdit } from "../data.ts";

interface TableProps {
  readonly model: Model;
  readonly onMessage: (message: number) => void;
}

interface Column {
  readonly name: string;
  readonly isFigure?: boolean;
}

/** So many rows of a table are made at once. */
const ROWS = 200;

interface RowsProps<Item> {
  readonly label: string;
  readonly columns: readonly Column[];
  readonly items: readonly Item[];
  readonly cells: (item: Item, at: number) => readonly ComponentChildren[];
  readonly none: string;
}

function Table<Item>({ label, columns, items, cells, none }: RowsProps<Item>) {
  const [most, setMost] = useState(ROWS);
  if (items.length === 0) return <p class="empty">{none}</p>;
  return (
    <div class="table">
      <table aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ name, isFigure }) => (
              <th key={name} scope="col" class={isFigure ? "figure" : ""}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.slice(0, most).map((item, at) => (
            <tr key={at}>
              {cells(item, at).map((cell, column) => (
                <td key={column} class={columns[column]?.isFigure ? "figure" : ""}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {items.length > most && (
        <button type="button" class="more" onClick={() => setMost(most + ROWS * 5)}>
          Show more of {count(items.length)}
        </button>
      )}
    </div>
  );
}

function Go({ message, onMessage }: { readonly message: number } & Pick<TableProps, "onMessage">) {
  return (
    <button type="button" class="link number" onClick={() => onMessage(message)}>
      #{message}
    </button>
  );
}

const WHAT: Readonly<Record<Advice["what"], (times: number) => string>> = {
  file: (times) => `File, read ${plural(times, "time")}`,
  command: (times) => `Command, run ${plural(times, "time")}`,
  output: () => "One output",
  tool: () => "Tool",
  outside: () => "In every request",
  reasoning: () => "All of it",
  image: () => "All of them",
};

/** The largest items, each with what one could do about it. */
export function Largest({ model: { data }, onMessage }: TableProps) {
  return (
    <Table
      label="Largest items"
      none="Nothing stands out: no file was read again and again, and no output is large."
      columns={[
        { name: "What" },
        { name: "Tokens", isFigure: true },
        { name: "Each", isFigure: true },
        { name: "What one could do" },
      ]}
      items={data.advice}
      cells={({ what, subject, times, tokens, text, message }) => [
        <>
          <b class="wrap">{subject}</b>
          <br />
          <span class="quiet">{WHAT[what](times)} </span>
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
      columns={[
        { name: "Edit" },
        { name: "Before request", isFigure: true },
        { name: "Tokens saved", isFigure: true },
        { name: "In requests", isFigure: true },
        { name: "Sent anew", isFigure: true },
        { name: "Model", isFigure: true },
        { name: "Spared", isFigure: true },
        { name: "Cost", isFigure: true },
      ]}
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
      columns={[{ name: "File" }, { name: "What happened" }, { name: "Last" }]}
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
      columns={[{ name: "Command" }, { name: "Outcome" }, { name: "Message" }]}
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
      columns={[{ name: "What the person typed" }, { name: "Message" }]}
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
        columns={[
          { name: "Request" },
          { name: "At" },
          { name: "In the window", isFigure: true },
          { name: "Reported", isFigure: true },
          { name: "From the cache", isFigure: true },
          { name: "Written", isFigure: true },
          { name: "Output", isFigure: true },
          { name: "Money", isFigure: true },
        ]}
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
