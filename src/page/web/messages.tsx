import { useMemo } from "preact/hooks";
import type { PageEdit } from "../data.ts";
import { variableOf } from "./colours.ts";
import { MessageDetail } from "./detail.tsx";
import { EditDetail } from "./edit-detail.tsx";
import { count, percent, plural } from "../../core/text/figures.ts";
import { clock, short } from "./format.ts";
import { editTitle, type Model, roleOf, seenAt, tokensOf } from "./model.ts";
import { Modes } from "./tables.tsx";
import type { Texts } from "./texts.ts";
import { VirtualList } from "./virtual-list.tsx";

export type Chosen =
  | { readonly type: "message"; readonly message: number }
  | { readonly type: "edit"; readonly edit: PageEdit };

/** All that was said, what the model saw with one request, or what was found. */
export type Listed = "said" | "seen" | "found";

interface MessagesProps {
  readonly model: Model;
  readonly texts: Texts;
  readonly step: number;
  readonly chosen: Chosen | undefined;
  readonly listed: Listed;
  readonly query: string;
  readonly hits: readonly number[];
  /** Of everything, how much was searched. */
  readonly share: number;
  readonly onQuery: (query: string) => void;
  readonly onListed: (listed: Listed) => void;
  readonly onChoose: (chosen: Chosen | undefined) => void;
}

const ROW_HEIGHT = 36;

/** The list of messages and edits, and beside it the chosen one in full. */
export function Messages(props: MessagesProps) {
  const { model, texts, step, chosen, listed, query, hits, onChoose } = props;
  const rows = useMemo(
    () => rowsOf(model, listed, { step, hits }),
    [model, listed, hits, listed === "seen" ? step : 0],
  );
  const inWindow = useMemo(() => new Set(seenAt(model.data, step)), [model, step]);
  const most = useMemo(() => {
    const { messages, scale } = model.data;
    return messages.reduce((largest, entry) => Math.max(largest, tokensOf(entry, scale)), 1);
  }, [model]);
  const row = rows.findIndex((one) => isSame(one, chosen));
  const onMessage = (message: number): void => onChoose({ type: "message", message });
  return (
    <div class={chosen ? "split has-detail" : "split"}>
      <section class="pane" aria-label="Messages">
        <Toolbar {...props} found={rows.length} />
        {rows.length === 0 ? (
          <p class="empty">{nothing(props)}</p>
        ) : (
          <VirtualList
            label="Messages and edits"
            length={rows.length}
            rowHeight={ROW_HEIGHT}
            chosen={row}
            onChoose={(number) => onChoose(rows[number])}
            row={(number) => <Row row={rows[number]} {...{ model, inWindow, most }} />}
          />
        )}
      </section>
      <div class="pane side" role="region" aria-label="Details">
        {chosen === undefined ? (
          <p class="empty">Choose a message or an edit to see all of it.</p>
        ) : (
          <>
            <button type="button" class="back" onClick={() => onChoose(undefined)}>
              ← Back to the list
            </button>
            {chosen.type === "message" ? (
              <MessageDetail {...{ model, texts, query, onMessage }} message={chosen.message} />
            ) : (
              <EditDetail
                key={`${chosen.edit.step} ${chosen.edit.type}`}
                {...{ model, texts, onMessage }}
                edit={chosen.edit}
              />
            )}
          </>
        )}
      </div>
    </div>
  );
}

function nothing({ query, listed, share }: MessagesProps): string {
  if (query === "" || listed !== "found") return "There is nothing here.";
  return share < 1 ? "Searching …" : `Nothing holds “${query}”.`;
}

function Toolbar(props: MessagesProps & { readonly found: number }) {
  const { step, listed, query, hits, share, onQuery, onListed } = props;
  const modes: readonly (readonly [Listed, string])[] = [
    ["said", "All that was said"],
    ["seen", `Seen at request ${count(step + 1)}`],
    ...(query === "" ? [] : [["found", "Found"] as const]),
  ];
  return (
    <div class="toolbar">
      <label class="search">
        <span class="hidden">Search in everything</span>
        <input
          id="search"
          type="search"
          placeholder="Search in everything ( / )"
          value={query}
          onInput={(event) => onQuery(event.currentTarget.value)}
        />
      </label>
      <Modes label="Which messages" modes={modes} pressed={listed} onMode={onListed} />
      <p class="quiet" role="status">
        {query === ""
          ? plural(props.found, "row")
          : `${plural(hits.length, "message")} found${share < 1 ? ` so far, ${percent(share, 1)} searched` : ""}`}
      </p>
    </div>
  );
}

function rowsOf(
  { data, said, editsAt, firstStep }: Model,
  listed: Listed,
  { step, hits }: { readonly step: number; readonly hits: readonly number[] },
): Chosen[] {
  if (listed === "seen") return seenAt(data, step).map(messageRow);
  if (listed === "found") return hits.map(messageRow);
  const rows: Chosen[] = [];
  let at = 0;
  const addEdits = (to: number): void => {
    for (; at <= to; at += 1) rows.push(...editRows(editsAt.get(at)));
  };
  for (const message of said) {
    // An edit stands before the first message that came after it.
    const first = firstStep[message] ?? 0;
    addEdits(data.steps[first - 1]?.answer === message ? first - 1 : first);
    rows.push(messageRow(message));
  }
  addEdits(data.steps.length - 1);
  return rows;
}

/** A cut on arrival is told with its message. */
function editRows(edits: readonly PageEdit[] = []): Chosen[] {
  return edits.flatMap((edit) => (edit.view === undefined ? [] : [{ type: "edit", edit }]));
}

function messageRow(message: number): Chosen {
  return { type: "message", message };
}

function isSame(one: Chosen, other: Chosen | undefined): boolean {
  if (one.type === "message") return other?.type === "message" && other.message === one.message;
  return other?.type === "edit" && other.edit === one.edit;
}

interface RowProps extends Pick<MessagesProps, "model"> {
  readonly row: Chosen | undefined;
  /** Messages of the request that is chosen. */
  readonly inWindow: ReadonlySet<number>;
  readonly most: number;
}

function Row({ row, model: { data }, inWindow, most }: RowProps) {
  if (row === undefined) return null;
  if (row.type === "edit") {
    const { edit } = row;
    return (
      <div class={`edit-row ${edit.type}`}>
        <i class={`sign ${edit.type}`} aria-hidden="true" />
        <span>{editTitle(edit)}</span>
        <span class="figure">{edit.saved > 0 && `−${short(edit.saved)}`}</span>
      </div>
    );
  }
  const { message } = row;
  const entry = data.messages[message];
  if (entry === undefined) return null;
  const tokens = tokensOf(entry, data.scale);
  return (
    <div class={inWindow.has(message) ? "message" : "message away"}>
      <i
        class="swatch"
        style={{ background: `var(--${variableOf(data.areas, largestArea(entry.shares))})` }}
      />
      <span class="number">{message}</span>
      <span class={entry.failed ? "role failed" : "role"}>{roleOf(entry)}</span>
      <span class="subject">{entry.subject}</span>
      <span class="when">{entry.time !== undefined && clock(entry.time)}</span>
      <span class="figure">
        {short(tokens)}
        <i class="size" style={{ width: `${Math.max(2, Math.sqrt(tokens / most) * 44)}px` }} />
      </span>
    </div>
  );
}

function largestArea(shares: readonly number[]): number {
  let [area, most] = [0, -1];
  for (let at = 0; at < shares.length; at += 2) {
    if ((shares[at + 1] ?? 0) > most) [area, most] = [shares[at] ?? 0, shares[at + 1] ?? 0];
  }
  return area;
}
