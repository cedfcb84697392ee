import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ConversationRow, Found, PageData } from "../data.ts";
import { Session } from "./app.tsx";
import { Conversations } from "./conversations.tsx";
import { fileSource, serverSource, type Source } from "./source.ts";

const isFile = document.documentElement.dataset["home"] === "file";

/** Changes come as fast as an agent works; the page is drawn no more often than this. */
const REDRAW_MS = 400;

/** The conversations of the source, now and whenever it has something new. */
function useLive(source: Source) {
  const [rows, setRows] = useState<readonly ConversationRow[]>();
  const [wanted, open] = useState<string>();
  const [data, setData] = useState<PageData>();
  const [problem, setProblem] = useState<string>();
  // Of the session before its first view.
  const [share, setShare] = useState(0);
  const [isLost, setLost] = useState(false);
  const [version, setVersion] = useState(0);
  const id = wanted ?? rows?.[0]?.id ?? "";
  useEffect(() => {
    const stop = new AbortController();
    const load = async (): Promise<void> => {
      const list = await source.conversations();
      if (!stop.signal.aborted) setRows(list);
      const first = wanted ?? list[0]?.id ?? "";
      if (list.length === 0 && !isFile) return;
      const next = await source.data(first, setShare);
      if (stop.signal.aborted) return;
      document.title = `${next.about.title || next.about.agent} · Longhaul`;
      setData(next);
      setProblem(undefined);
    };
    load().catch((error: unknown) => {
      if (!stop.signal.aborted) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => stop.abort();
  }, [version, wanted]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    source.watch?.(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        setVersion((before) => before + 1);
      }, REDRAW_MS);
    }, setLost);
  }, []);
  return { rows, id, data, problem, share, isLost, open };
}

function Page({ source }: { readonly source: Source }) {
  const { rows, id, data, problem, share, isLost, open } = useLive(source);
  const [query, onQuery] = useState("");
  const [found, onFound] = useState<readonly Found[]>([]);
  if (problem !== undefined && data === undefined) return <Notice text={problem} isAlert />;
  const isWaiting = rows?.length === 0 && !isFile;
  const hasList = rows !== undefined && rows.length > 1;
  return (
    <>
      {isLost && (
        <p class="lost" role="status">
          The program behind this page has ended; what you see is its last word.
        </p>
      )}
      <div class={hasList ? "shell has-list" : "shell"}>
        {hasList && <Conversations {...{ rows, found }} open={id} onOpen={open} />}
        <main>
          {data !== undefined ? (
            <Session key={id} {...{ source, id, data, query, onQuery, onFound }} />
          ) : (
            <Notice
              text={isWaiting ? WAITING : "Reading the session …"}
              {...(share > 0 && { share })}
            />
          )}
        </main>
      </div>
    </>
  );
}

const WAITING = "No conversation yet. The page shows the first one as soon as it begins.";

interface NoticeProps {
  readonly text: string;
  readonly isAlert?: true;
  readonly share?: number;
}

function Notice({ text, isAlert, share }: NoticeProps) {
  return (
    <div class="loading" role={isAlert ? "alert" : "status"}>
      <h1>{text}</h1>
      {share !== undefined && <progress aria-label="Read so far" value={share} max={1} />}
    </div>
  );
}

const app = document.getElementById("app");
if (app !== null) {
  app.textContent = "";
  render(<Page source={isFile ? fileSource() : serverSource()} />, app);
}
