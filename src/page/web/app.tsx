import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Found, PageData, PageEdit } from "../data.ts";
import { Header, type HeaderProps } from "./header.tsx";
import { type Chosen, type Listed, Messages } from "./messages.tsx";
import { type Model, modelOf } from "./model.ts";
import { Commands, Edits, Files, Instructions, Largest, Requests } from "./tables.tsx";
import { Tabs, type Tab } from "./tabs.tsx";
import { createTexts, type Finding, type Texts } from "./texts.ts";
import { Timeline } from "./timeline.tsx";
import { WithLonghaul } from "./with-longhaul.tsx";

interface SessionProps extends HeaderProps {
  /** Stays when another conversation is opened. */
  readonly query: string;
  readonly onQuery: (query: string) => void;
  /** Hears of the hits in all conversations. */
  readonly onFound: (found: readonly Found[]) => void;
}

const SEARCH_AFTER_MS = 150;

export function Session(props: SessionProps) {
  const { source, id, data } = props;
  const model = useMemo(() => modelOf(data), [data]);
  const texts = useMemo(() => createTexts(source, id, data), [source, id, data]);
  const [tab, setTab] = useState("messages");
  const [beside, setBeside] = useState<readonly (number | null)[]>();
  const place = usePlace(model, props.query === "" ? "said" : "found");
  const search = useSearch(texts, props, () => place.setListed("found"));
  const { step, setStep, choose } = place;
  const onMessage = useCallback(
    (message: number) => {
      setTab("messages");
      choose({ type: "message", message });
    },
    [choose],
  );
  const onEdit = (edit: PageEdit): void => {
    setTab("messages");
    choose({ type: "edit", edit });
  };
  const hitSteps = useMemo(
    () => new Set(search.hits.map((message) => model.firstStep[message] ?? 0)),
    [search.hits, model],
  );
  const table = { model, onMessage };
  const canServe = source.replay !== undefined && data.about.isLive !== true;
  const canReplay = canServe || data.replays !== undefined;
  return (
    <>
      <Header {...{ data, id, source }} />
      {data.steps.length > 1 && (
        <Timeline {...{ model, step, beside }} hits={hitSteps} onStep={setStep} />
      )}
      <Tabs tabs={tabsOf(data, canReplay)} open={tab} onOpen={setTab}>
        {tab === "messages" && (
          <Messages
            {...{ model, texts, step }}
            {...search}
            chosen={place.chosen}
            listed={place.listed}
            onListed={place.setListed}
            onChoose={choose}
          />
        )}
        {tab === "edits" && <Edits model={model} onEdit={onEdit} />}
        {tab === "largest" && <Largest {...table} />}
        {tab === "files" && <Files {...table} />}
        {tab === "commands" && <Commands {...table} />}
        {tab === "instructions" && <Instructions {...table} />}
        {tab === "requests" && <Requests {...table} />}
        {tab === "longhaul" && <WithLonghaul {...{ source, id, data }} onShow={setBeside} />}
      </Tabs>
    </>
  );
}

function tabsOf(data: PageData, canReplay: boolean): Tab[] {
  return [
    { id: "messages", name: "Messages", count: data.messages.length },
    { id: "edits", name: "Edits", count: data.edits.length },
    { id: "largest", name: "Largest" },
    { id: "files", name: "Files", count: data.files.length },
    { id: "commands", name: "Commands", count: data.commands.length },
    { id: "instructions", name: "Instructions", count: data.instructions.length },
    { id: "requests", name: "Requests", count: data.steps.length - 1 },
    ...(canReplay ? [{ id: "longhaul", name: "With Longhaul" }] : []),
  ];
}

/** The chosen request, and message or edit. A page that goes on stays at its end. */
function usePlace(model: Model, first: Listed) {
  const last = model.data.steps.length - 1;
  const [wanted, setWanted] = useState<number>();
  const [chosen, setChosen] = useState<Chosen>();
  const [listed, setListed] = useState<Listed>(first);
  const step = Math.min(wanted ?? last, last);
  const setStep = (next: number): void => {
    setWanted(next === last ? undefined : next);
    const { answer } = model.data.steps[next] ?? {};
    const edit = model.editsAt.get(next)?.find(({ view }) => view !== undefined);
    if (edit !== undefined) setChosen({ type: "edit", edit });
    else setChosen(answer === undefined ? undefined : { type: "message", message: answer });
  };
  const choose = useCallback(
    (next: Chosen | undefined) => {
      setChosen(next);
      if (next?.type === "edit") setWanted(next.edit.step);
      if (next?.type === "message" && listed === "said") {
        setWanted(model.firstStep[next.message]);
      }
    },
    [model, listed],
  );
  return { step, chosen, listed, setStep, setListed, choose };
}

const NOTHING: Finding = { hits: [], share: 1 };

function useSearch(
  texts: Texts,
  { query, onQuery: setQuery, onFound }: SessionProps,
  onFirst: () => void,
) {
  const [finding, setFinding] = useState<Finding>(NOTHING);
  const last = useRef("");
  useEffect(() => {
    const wanted = query.trim();
    // A conversation that went on keeps its hits until it is searched again.
    if (wanted !== last.current) {
      setFinding({ ...NOTHING, share: wanted === "" ? 1 : 0 });
      onFound([]);
    }
    last.current = wanted;
    if (wanted === "") return undefined;
    let stop = (): void => undefined;
    const timer = setTimeout(() => {
      stop = texts.search(wanted, (found) => {
        setFinding(found);
        onFound(found.everywhere ?? []);
      });
    }, SEARCH_AFTER_MS);
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [query, texts]);
  useEffect(focusBySlash, []);
  const onQuery = (next: string): void => {
    if (query === "" && next !== "") onFirst();
    setQuery(next);
  };
  return { query, ...finding, onQuery };
}

/** The key / leads to the search, as in many programs. */
function focusBySlash(): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const { target } = event;
    const isTyping = target instanceof HTMLInputElement && target.type !== "range";
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    const search = document.getElementById("search");
    if (search === null) return;
    event.preventDefault();
    search.focus();
  };
  document.addEventListener("keydown", onKey);
  return () => document.removeEventListener("keydown", onKey);
}
