import type { ConversationRow, Found } from "../data.ts";
import { percent, plural } from "../../core/text/figures.ts";
import { short } from "./format.ts";
import { Meter } from "./tables.tsx";

interface ConversationsProps {
  readonly rows: readonly ConversationRow[];
  readonly found: readonly Found[];
  readonly open: string;
  readonly onOpen: (id: string) => void;
}

/** All conversations, those of sub-agents under their parents. */
export function Conversations({ rows, found, open, onOpen }: ConversationsProps) {
  const ids = new Set(rows.map(({ id }) => id));
  const top = rows.filter(({ parent }) => parent === undefined || !ids.has(parent));
  return (
    <nav class="conversations" aria-label="Conversations">
      <h2>{plural(rows.length, "conversation")}</h2>
      <ul>
        {top.map((row) => (
          <Entry key={row.id} {...{ row, rows, found, open, onOpen }} />
        ))}
      </ul>
    </nav>
  );
}

function Entry(props: ConversationsProps & { readonly row: ConversationRow }) {
  const { row, rows, found, open, onOpen } = props;
  const { id, title, model, tokens, usable, steps, edits } = row;
  const hits = found.find((one) => one.id === id)?.hits.length ?? 0;
  const children = rows.filter(({ parent }) => parent === id);
  return (
    <li>
      <button type="button" aria-current={id === open} onClick={() => onOpen(id)}>
        <b>{title || id}</b>
        <span class="quiet">
          {short(tokens)} tokens, {percent(tokens, usable)} · {plural(steps, "request")}
          {edits > 0 && ` · ${plural(edits, "edit")}`}
          {model && ` · ${model}`}
        </span>
        {hits > 0 && <span class="badge hit">{plural(hits, "message")} found</span>}
        <Meter tokens={tokens} usable={usable} />
      </button>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Entry key={child.id} {...props} row={child} />
          ))}
        </ul>
      )}
    </li>
  );
}
