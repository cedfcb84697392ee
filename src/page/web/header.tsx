import { useState } from "preact/hooks";
import type { PageData } from "../data.ts";
import { count, localTime, money, percent, plural } from "../../core/text/figures.ts";
import { short } from "./format.ts";
import type { Source } from "./source.ts";
import { Figure, Meter } from "./tables.tsx";

export interface HeaderProps {
  readonly data: PageData;
  readonly id: string;
  readonly source: Source;
}

export function Header({ data, id, source }: HeaderProps) {
  const { about } = data;
  const { title, agent, model, cwd, startedAt, updatedAt, warnings } = about;
  const facts = [
    agent,
    model,
    cwd,
    startedAt === undefined ? undefined : localTime(startedAt),
    updatedAt === undefined ? undefined : `to ${localTime(updatedAt)}`,
  ];
  return (
    <header class="head">
      <p class="brand">Longhaul</p>
      {source.export && <Save name={title || agent} file={() => source.export?.(id)} />}
      <h1>{title || agent}</h1>
      <p class="facts">
        {facts.map((fact) => fact !== undefined && <span key={fact}>{fact}</span>)}
      </p>
      <Fullness data={data} />
      {warnings.length > 0 && (
        <details class="warnings">
          <summary>{plural(warnings.length, "thing")} to know about this file</summary>
          <ul>
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </details>
      )}
    </header>
  );
}

/** The conversation as one file that can be sent to somebody. */
function Save({ name, file }: { name: string; file: () => Promise<Blob> | undefined }) {
  const [state, setState] = useState("");
  const save = async (): Promise<void> => {
    setState("Writing the file …");
    const blob = await file();
    if (blob === undefined) return;
    const href = URL.createObjectURL(blob);
    const download = `${name.replaceAll(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "session"}.html`;
    Object.assign(document.createElement("a"), { href, download }).click();
    setTimeout(() => URL.revokeObjectURL(href), REVOKE_MS);
    setState("");
  };
  return (
    <p class="save">
      <span role="status">{state}</span>
      <button type="button" onClick={() => void save().catch((error) => setState(String(error)))}>
        Save as a file
      </button>
    </p>
  );
}

const REVOKE_MS = 60_000;

function Fullness({ data }: { readonly data: PageData }) {
  const { about, edits, spent, steps } = data;
  const { tokens, usable, window, isAssumed, isOver, source } = about;
  const state = isOver ? "over" : tokens >= usable * 0.8 ? "near" : "fine";
  const room = usable - tokens;
  const saved = edits.reduce((sum, edit) => sum + edit.saved, 0);
  const prompt = spent && spent.input + spent.cacheRead + spent.cacheWrite;
  return (
    <dl class="figures">
      <div class={`full ${state}`}>
        <dt>In the window</dt>
        <dd title={source}>
          {count(tokens)}
          <small>
            {percent(tokens, usable)} of usable,{" "}
            {room >= 0 ? `${short(room)} free` : `${short(-room)} over`}
          </small>
        </dd>
        <Meter tokens={tokens} usable={usable} />
      </div>
      <Figure
        name="Window"
        value={count(window)}
        note={`${count(usable)} usable${isAssumed ? ", assumed" : ""}`}
      />
      <Figure
        name="Requests"
        value={count(steps.length - 1)}
        note={plural(data.instructions.length, "instruction")}
      />
      <Figure
        name="Edits"
        value={count(edits.length)}
        {...(saved > 0 && { note: `${short(saved)} tokens left the window` })}
      />
      {spent && prompt !== undefined && (
        <Figure
          name="Sent in all"
          value={short(prompt)}
          note={`${percent(spent.cacheRead, prompt)} from the cache`}
        />
      )}
      {spent?.cost !== undefined && (
        <Figure name="Money" value={money(spent.cost)} note="list prices" />
      )}
    </dl>
  );
}
