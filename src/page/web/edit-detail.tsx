import { useState } from "preact/hooks";
import type { EditBill, PageEdit, SummaryLine } from "../data.ts";
import { type MessageProps, Pair } from "./detail.tsx";
import { count, money, plural } from "../../core/text/figures.ts";
import { short } from "./format.ts";
import { editTitle, type Model, roleOf, tokensOf, viewList } from "./model.ts";
import { Figure, Go, More } from "./tables.tsx";

interface EditProps extends Pick<MessageProps, "model" | "texts" | "onMessage"> {
  readonly edit: PageEdit;
}

/** An edit: figures, the summary by its writers, each piece, the list before and after. */
export function EditDetail({ model, texts, edit, onMessage }: EditProps) {
  const { data, totals } = model;
  const before = data.steps[edit.step - 1]?.reported;
  const after = data.steps[edit.step]?.reported;
  const { saved, dropped, replaced, summary } = edit;
  return (
    <article class="detail" aria-label={editTitle(edit)}>
      <header>
        <h2>
          <i class={`sign ${edit.type}`} aria-hidden="true" /> {editTitle(edit)}
        </h2>
        <p class="facts">
          <span>before request {count(edit.step + 1)}</span>
          {edit.type !== "truncate" && (
            <span>
              {short(totals[edit.step - 1] ?? 0)} → {short(totals[edit.step] ?? 0)} tokens
            </span>
          )}
          {saved > 0 && <span>{count(saved)} tokens left the window</span>}
          {before !== undefined && after !== undefined && (
            <span>
              the provider reported {count(before)} before it, {count(after)} after it
            </span>
          )}
          {dropped > 0 && <span>{plural(dropped, "message")} went</span>}
        </p>
      </header>
      {edit.bill && <Bill saved={saved} bill={edit.bill} />}
      {summary && <Summary lines={summary.lines} onMessage={onMessage} />}
      {replaced.length > 0 && <Pieces texts={texts} edit={edit} model={model} />}
      {edit.view !== undefined && <Lists model={model} edit={edit} onMessage={onMessage} />}
    </article>
  );
}

/** The cost of an edit beside what it spared. */
function Bill({ saved, bill }: { readonly saved: number; readonly bill: EditBill }) {
  const { rewritten, requests, model, isEstimated, spent, spared } = bill;
  return (
    <dl class="figures bill">
      <Figure
        name="Spared"
        value={spared === undefined ? short(saved * requests) : money(spared)}
        note={`${short(saved)} tokens in each of ${plural(requests, "request")} up to the next compaction`}
      />
      <Figure
        name="Cost"
        value={spent === undefined ? short(rewritten + model.input + model.output) : money(spent)}
        note={`${short(rewritten)} tokens anew, which the cache had`}
      />
      <Figure
        name="Model"
        value={model.output > 0 ? `${short(model.input)} in` : "none"}
        note={
          model.output > 0
            ? `${short(model.output)} out${isEstimated ? ", estimated: nothing was reported" : ""}`
            : "no model was asked"
        }
      />
    </dl>
  );
}

const WRITERS: Readonly<Record<SummaryLine["by"], string>> = {
  model: "A model wrote it",
  record: "Recorded by a program",
  frame: "",
};

interface SummaryProps extends Pick<EditProps, "onMessage"> {
  readonly lines: readonly SummaryLine[];
}

function Summary({ lines, onMessage }: SummaryProps) {
  const count = (by: SummaryLine["by"]): number => lines.filter((line) => line.by === by).length;
  return (
    <section>
      <h3>
        Summary <span class="key model">{plural(count("model"), "line")} of a model</span>
        <span class="key record">{plural(count("record"), "line")} recorded</span>
      </h3>
      <div class="summary">
        {lines.map(({ text, by, from }, at) => (
          <p key={at} class={by} title={WRITERS[by]}>
            {text.startsWith("#") ? (
              <strong>{text.replace(/^#+\s*/, "")}</strong>
            ) : (
              text || "\u00A0"
            )}
            {from !== undefined && <Go message={from} onMessage={onMessage} />}
          </p>
        ))}
      </div>
    </section>
  );
}

const SHOWN = 5;

function Pieces({ texts, edit, model: { data } }: Omit<EditProps, "onMessage">) {
  const [most, setMost] = useState(SHOWN);
  const pairs = Array.from({ length: edit.replaced.length / 2 }, (_, at) => ({
    from: edit.replaced[at * 2] ?? 0,
    to: edit.replaced[at * 2 + 1] ?? 0,
  }));
  const left = pairs.length - most;
  return (
    <section>
      <h3>{edit.type === "truncate" ? "As it came to the model" : "Pieces, before and after"}</h3>
      {pairs.slice(0, most).map(({ from, to }) => {
        const row = data.messages[from];
        return (
          <details key={to} class="piece" open={pairs.length <= 2}>
            <summary>
              <span class="number">#{from}</span> {row && roleOf(row)}{" "}
              <span class="subject">{row?.subject}</span>
              <span class="figure">{row && count(tokensOf(row, data.scale))}</span>
            </summary>
            <Pair texts={texts} from={from} to={to} />
          </details>
        );
      })}
      {left > 0 && (
        <More onClick={() => setMost(most + 50)}>
          Show {plural(Math.min(50, left), "more piece")}
        </More>
      )}
    </section>
  );
}

/** The list before an edit and after it, side by side. */
function Lists({ model: { data }, edit: { view = 0 }, onMessage }: Omit<EditProps, "texts">) {
  const before = viewList(data, view - 1);
  const after = viewList(data, view).slice(0, data.views[view]?.start ?? 0);
  const [inBefore, inAfter] = [new Set(before), new Set(after)];
  return (
    <section>
      <h3>The list before and after</h3>
      <div class="pair lists">
        <Rows title="Before" list={before} other={inAfter} {...{ data, onMessage }} />
        <Rows title="After" list={after} other={inBefore} {...{ data, onMessage }} />
      </div>
    </section>
  );
}

interface RowsProps extends Pick<EditProps, "onMessage"> {
  readonly title: string;
  readonly list: readonly number[];
  readonly other: ReadonlySet<number>;
  readonly data: Model["data"];
}

/** Rows that are made at once: the list of an edit is as long as a window. */
const ROWS = 300;

function Rows({ title, list, other, data, onMessage }: RowsProps) {
  const [most, setMost] = useState(ROWS);
  return (
    <section aria-label={title}>
      <h3>
        {title} <span class="quiet">{plural(list.length, "message")}</span>
      </h3>
      <ol class="rows" tabIndex={0} aria-label={`Messages ${title.toLowerCase()} the edit`}>
        {list.slice(0, most).map((number) => {
          const row = data.messages[number];
          if (row === undefined) return null;
          const isSame = other.has(number);
          return (
            <li key={number} class={isSame ? "same" : title === "Before" ? "gone" : "new"}>
              <button type="button" onClick={() => onMessage(number)}>
                <span class="number">#{number}</span>
                <span class="subject">
                  <b>{roleOf(row)}</b> {row.subject}
                </span>
                <span class="figure">{short(tokensOf(row, data.scale))}</span>
              </button>
            </li>
          );
        })}
      </ol>
      {list.length > most && <More onClick={() => setMost(most + ROWS * 4)}>Show more</More>}
    </section>
  );
}
