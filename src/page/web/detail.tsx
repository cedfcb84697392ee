import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { PageBody, PagePart } from "../data.ts";
import { count, localTime, money, percent } from "../../core/text/figures.ts";
import { type Model, roleOf, tokensOf } from "./model.ts";
import { More } from "./tables.tsx";
import type { Texts } from "./texts.ts";

/** The texts of a message; `undefined` while they are loaded. */
function useBody(texts: Texts, message: number): PageBody | undefined {
  const [loaded, setLoaded] = useState<{ readonly message: number; readonly body: PageBody }>();
  const now = texts.of(message);
  const isThere = !(now instanceof Promise);
  useEffect(() => {
    const stop = new AbortController();
    const wait = async (): Promise<void> => {
      const body = await texts.of(message);
      if (!stop.signal.aborted) setLoaded({ message, body });
    };
    if (!isThere) wait().catch(() => undefined);
    return () => stop.abort();
  }, [texts, message, isThere]);
  if (isThere) return now;
  // A session that went on has the same text here: it stays until it was loaded again.
  return loaded?.message === message ? loaded.body : undefined;
}

export interface MessageProps {
  readonly model: Model;
  readonly texts: Texts;
  readonly message: number;
  readonly query: string;
  readonly onMessage: (message: number) => void;
}

/** A message in full; where something stood for it later, both. */
export function MessageDetail({ model, texts, message, query, onMessage }: MessageProps) {
  const { data } = model;
  const row = data.messages[message];
  if (row === undefined) return null;
  const placeholder = data.messages.findIndex(({ instead }) => instead === message);
  const { usage } = row;
  const prompt = usage && usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
  return (
    <article class="detail" aria-label={`Message ${message}`}>
      <header>
        <h2>
          <span class="number">#{message}</span> {roleOf(row)}
          {row.failed && <span class="badge bad">failed</span>}
        </h2>
        <p class="facts">
          <span>{count(tokensOf(row, data.scale))} tokens</span>
          {row.time !== undefined && <span>{localTime(row.time)}</span>}
          {usage && prompt !== undefined && (
            <span>
              request: {count(prompt)} in, {percent(usage.cacheRead ?? 0, prompt)} from the cache,{" "}
              {count(usage.output)} out
            </span>
          )}
          {row.cost !== undefined && <span>{money(row.cost)}</span>}
        </p>
      </header>
      {placeholder >= 0 && (
        <p class="note">
          An edit put something shorter in its place.{" "}
          <button type="button" class="link" onClick={() => onMessage(placeholder)}>
            See what stands there now
          </button>
        </p>
      )}
      {row.instead === undefined ? (
        <Parts texts={texts} message={message} query={query} />
      ) : (
        <Pair texts={texts} from={row.instead} to={message} query={query} />
      )}
    </article>
  );
}

interface PairProps extends Omit<PartsProps, "message"> {
  readonly from: number;
  readonly to: number;
}

/** An original beside what stands for it. */
export function Pair({ texts, from, to, query = "" }: PairProps) {
  if (from === to) return <Cut {...{ texts, query }} message={to} />;
  return (
    <div class="pair">
      <Side name="Before">
        <Parts texts={texts} message={from} query={query} />
      </Side>
      <Side name="After">
        <Parts texts={texts} message={to} query={query} />
      </Side>
    </div>
  );
}

function Side({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <section aria-label={name}>
      <h3>{name}</h3>
      {children}
    </section>
  );
}

/** A cut on arrival: the whole, where the archive has it, beside the part that the model got. */
function Cut({ texts, message, query = "" }: PartsProps) {
  const { original } = useBody(texts, message)?.find((part) => part.original !== undefined) ?? {};
  const load = original === undefined ? undefined : texts.original(original);
  const parts = <Parts texts={texts} message={message} query={query} />;
  if (load === undefined) return parts;
  return (
    <div class="pair">
      <Side name="As it came">
        <Original load={load} query={query} />
      </Side>
      <Side name="What the model got">{parts}</Side>
    </div>
  );
}

function Original({ load, query }: { load: () => Promise<string | undefined>; query: string }) {
  const [text, setText] = useState<string | false>();
  useEffect(() => {
    load()
      .then((loaded) => setText(loaded ?? false))
      .catch(() => setText(false));
  }, []);
  if (text === undefined) return <p class="quiet">Loading …</p>;
  if (text === false) return <p class="quiet">The archive has it no more, or it is too large.</p>;
  return <LongText text={text} query={query} />;
}

interface PartsProps {
  readonly texts: Texts;
  readonly message: number;
  readonly query?: string;
}

export function Parts({ texts, message, query = "" }: PartsProps) {
  const body = useBody(texts, message);
  if (body === undefined) return <p class="quiet">Loading …</p>;
  if (body.length === 0) return <p class="quiet">It holds nothing.</p>;
  return (
    <>
      {body.map((part, at) => (
        <PartView key={`${message} ${at}`} {...{ part, texts, query }} />
      ))}
    </>
  );
}

const NAMES: Readonly<Record<PagePart["type"], string>> = {
  text: "Text",
  reasoning: "Reasoning",
  call: "Call",
  result: "Output",
  file: "File",
  other: "Part",
};

function PartView({ part, texts, query }: { part: PagePart; texts: Texts; query: string }) {
  const [isOpen, setOpen] = useState(false);
  const { type, tool, failed, exitCode, original, pruned } = part;
  const load = original === undefined ? undefined : texts.original(original);
  const empty = type === "reasoning" ? "(only its signature is kept)" : "(empty)";
  return (
    <section class={`part part-${type}`}>
      {type !== "text" && (
        <h3>
          {tool && <b>{tool}</b>} {NAMES[type].toLowerCase()}
          {failed && <span class="badge bad">failed</span>}
          {exitCode !== undefined && <span class="badge">exit {exitCode}</span>}
          {pruned && <span class="badge prune">pruned</span>}
        </h3>
      )}
      <LongText text={part.text || empty} query={query} />
      {original && (
        <p class="quiet">
          The whole of it: <code>{original}</code>{" "}
          {load && (
            <button type="button" class="link" onClick={() => setOpen(!isOpen)}>
              {isOpen ? "Hide it" : "Show it"}
            </button>
          )}
        </p>
      )}
      {isOpen && load && <Original load={load} query={query} />}
    </section>
  );
}

/** Characters that are shown before a person asks for more. */
const SHOWN = 12_000;

/** Text as it is; nothing in it is ever taken for markup. */
function LongText({ text, query = "" }: { readonly text: string; readonly query?: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > SHOWN;
  // A hit further down would not be seen.
  const isFurther = isLong && query !== "" && !holds(text.slice(0, SHOWN), query);
  const isAll = isWhole || !isLong || (isFurther && holds(text, query));
  const shown = isAll ? text : text.slice(0, SHOWN);
  return (
    <>
      <pre class="text">{marked(shown, query)}</pre>
      {!isAll && (
        <More onClick={() => setWhole(true)}>Show all {count(text.length)} characters</More>
      )}
    </>
  );
}

function holds(text: string, query: string): boolean {
  return text.toLowerCase().includes(query.toLowerCase());
}

const MOST_HITS = 500;

function marked(text: string, query: string) {
  if (query === "") return text;
  const [lower, wanted] = [text.toLowerCase(), query.toLowerCase()];
  // Some letters are longer in lower case: then the places would not be those of the text.
  if (lower.length !== text.length) return text;
  const pieces: (string | preact.VNode)[] = [];
  let end = 0;
  for (let hits = 0; hits < MOST_HITS; hits += 1) {
    const at = lower.indexOf(wanted, end);
    if (at < 0) break;
    pieces.push(text.slice(end, at), <mark>{text.slice(at, at + wanted.length)}</mark>);
    end = at + wanted.length;
  }
  return [...pieces, text.slice(end)];
}
