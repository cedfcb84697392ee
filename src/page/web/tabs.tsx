import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";

export interface Tab {
  readonly id: string;
  readonly name: string;
  readonly count?: number;
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly open: string;
  readonly onOpen: (tab: string) => void;
  readonly children: ComponentChildren;
}

/** Tabs as the authoring practices have them: one stop for Tab, arrows between them. */
export function Tabs({ tabs, open, onOpen, children }: TabsProps) {
  const bar = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === open);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onOpen(next.id);
    bar.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <div class="tabs">
      <div role="tablist" aria-label="What to see" ref={bar} onKeyDown={onKeyDown}>
        {tabs.map(({ id, name, count }) => (
          <button
            type="button"
            role="tab"
            key={id}
            id={`tab-${id}`}
            aria-selected={id === open}
            aria-controls="panel"
            tabIndex={id === open ? 0 : -1}
            onClick={() => onOpen(id)}
          >
            {name}
            {count !== undefined && <span class="count">{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id="panel" aria-labelledby={`tab-${open}`}>
        {children}
      </div>
    </div>
  );
}
