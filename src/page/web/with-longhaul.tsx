import { useEffect, useState } from "preact/hooks";
import type { Bill, Replay } from "../data.ts";
import { count, money, percent, plural } from "../../core/text/figures.ts";
import { short } from "./format.ts";
import type { HeaderProps } from "./header.tsx";
import { Modes, Table } from "./tables.tsx";

interface ReplayProps extends HeaderProps {
  /** Draws the tokens of a replay over what happened, request by request. */
  readonly onShow: (sizes: readonly number[] | undefined) => void;
}

const QUESTION = "The same session with Longhaul in a window of";
const WINDOWS = [32_000, 64_000, 128_000, 200_000];

/** The session as Longhaul would have kept it in a window of one's choice, beside what happened. */
export function WithLonghaul({ source, id, data, onShow }: ReplayProps) {
  const known = data.replays ?? [];
  const [window, setWindow] = useState(known.at(-1)?.window ?? data.about.window);
  const [replay, setReplay] = useState<Replay>();
  const [problem, setProblem] = useState("");
  const sizes =
    known.length > 0
      ? known.map((one) => one.window)
      : [...new Set([...WINDOWS, data.about.window])].toSorted((one, other) => one - other);
  useEffect(() => {
    const stop = new AbortController();
    setProblem("");
    setReplay(undefined);
    const play = async (): Promise<void> => {
      const next =
        known.find((one) => one.window === window) ?? (await source.replay?.(id, window));
      if (stop.signal.aborted || next === undefined) return;
      setReplay(next);
      onShow(next.sizes);
    };
    play().catch((error: unknown) => setProblem(String(error)));
    return () => {
      stop.abort();
      onShow(undefined);
    };
  }, [window, id, data]);
  return (
    <section class="card replay" aria-label="With Longhaul">
      <div class="replay-form">
        <span aria-hidden="true">{QUESTION}</span>
        <Modes
          label={QUESTION}
          modes={sizes.map((size) => [size, short(size)] as const)}
          pressed={window}
          onMode={setWindow}
        />
        {known.length === 0 && <OtherWindow onWindow={setWindow} />}
      </div>
      {problem !== "" && <p role="alert">{problem}</p>}
      {replay === undefined && problem === "" && <p role="status">Playing it again …</p>}
      {replay !== undefined && <Outcome replay={replay} />}
    </section>
  );
}

function OtherWindow({ onWindow }: { readonly onWindow: (window: number) => void }) {
  return (
    <form
      class="other"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem("window");
        if (field instanceof HTMLInputElement && field.value !== "") onWindow(field.valueAsNumber);
      }}
    >
      <label>
        or <input name="window" type="number" min="4000" max="10000000" step="1" size={9} /> tokens
      </label>{" "}
      <button type="submit" class="more">
        Play
      </button>
    </form>
  );
}

const NAMES: Readonly<Record<Bill["name"], string>> = {
  longhaul: "With Longhaul",
  nothing: "Everything in every request",
  reported: "As its agent was reported to send it",
};

const LAST = ["Too large for this window", "Money"];

function Outcome({ replay }: { readonly replay: Replay }) {
  const { window, usable, sizes, edits, bills, note } = replay;
  const peak = sizes.reduce((most, size) => Math.max(most, size), 0);
  return (
    <>
      <p>
        {plural(sizes.length, "request")}, {plural(edits, "edit")}, the largest request{" "}
        {count(peak)} tokens of {count(usable)} usable in {count(window)}. Its line is drawn over
        the chart above. {note}
      </p>
      <Table
        label="The bill of both"
        none=""
        columns={["All requests together", "Tokens", "From the cache", "Not cached", ...LAST]}
        figures={[1, 5]}
        items={bills}
        cells={({ name, tokens, cached, over, cost }) => [
          <>
            {name === "longhaul" ? <b>{NAMES[name]}</b> : NAMES[name]}
            {name === "nothing" && over > 0 && (
              <>
                <br />
                <span class="quiet">would have ended at the first one that is too large</span>
              </>
            )}
          </>,
          short(tokens),
          percent(cached, tokens),
          short(tokens - cached),
          over === 0 ? "none" : count(over),
          cost === undefined ? "–" : money(cost),
        ]}
      />
    </>
  );
}
