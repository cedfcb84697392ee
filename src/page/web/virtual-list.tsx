import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface VirtualListProps {
  readonly label: string;
  readonly length: number;
  /** In pixels. */
  readonly rowHeight: number;
  /** The row that is chosen; -1 for none. */
  readonly chosen: number;
  readonly onChoose: (row: number) => void;
  readonly row: (row: number) => ComponentChildren;
}

/** Rows outside of what is seen, so that a fast hand sees no gap. */
const SPARE = 8;

/** A list of any length, of which only the rows that are seen exist. */
export function VirtualList(props: VirtualListProps) {
  const { label, length, rowHeight, chosen, onChoose, row } = props;
  const { box, seen } = useSeen();
  useEffect(() => {
    const element = box.current;
    if (element === null || chosen < 0) return;
    const top = chosen * rowHeight;
    const isAbove = top < element.scrollTop;
    const isBelow = top + rowHeight > element.scrollTop + element.clientHeight;
    if (isAbove || isBelow) element.scrollTop = Math.max(0, top - element.clientHeight / 3);
  }, [chosen, length]);
  const first = Math.max(0, Math.floor(seen.top / rowHeight) - SPARE);
  const last = Math.min(length, Math.ceil((seen.top + seen.height) / rowHeight) + SPARE);
  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(seen.height / rowHeight) - 1);
    const next = moved(event.key, { chosen, page, length });
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next);
  };
  const active = chosen >= first && chosen < last ? `row-${chosen}` : undefined;
  return (
    <div
      class="list"
      role="listbox"
      aria-label={label}
      tabIndex={0}
      ref={box}
      aria-activedescendant={active}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" class="list-space" style={{ height: `${length * rowHeight}px` }}>
        {Array.from({ length: Math.max(0, last - first) }, (_, at) => {
          const number = first + at;
          return (
            <div
              key={number}
              id={`row-${number}`}
              role="option"
              aria-selected={number === chosen}
              aria-posinset={number + 1}
              aria-setsize={length}
              class="row"
              style={{ top: `${number * rowHeight}px`, height: `${rowHeight}px` }}
              onClick={() => onChoose(number)}
            >
              {row(number)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The part of a list that is seen, in pixels. */
function useSeen() {
  const box = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 600 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const note = (): void => setSeen({ top: element.scrollTop, height: element.clientHeight });
    note();
    element.addEventListener("scroll", note, { passive: true });
    const sizes = new ResizeObserver(note);
    sizes.observe(element);
    return () => {
      element.removeEventListener("scroll", note);
      sizes.disconnect();
    };
  }, []);
  return { box, seen };
}

function moved(
  key: string,
  { chosen, page, length }: { chosen: number; page: number; length: number },
): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: chosen + 1,
    ArrowUp: chosen - 1,
    PageDown: chosen + page,
    PageUp: chosen - page,
    Home: 0,
    End: length - 1,
  };
  const next = steps[key];
  return next === undefined || length === 0 ? undefined : Math.min(length - 1, Math.max(0, next));
}
