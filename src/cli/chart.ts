/** A chart of block characters; pure. */
export interface Chart {
  /** From the top row to the bottom row, each `width` characters long. */
  readonly rows: readonly string[];
  /** As wide as the rows: a mark under each column in which the value fell sharply, else spaces. */
  readonly drops: string;
}

export interface ChartOptions {
  /** Columns. */
  readonly width: number;
  readonly height: number;
  /** The value at the top edge. */
  readonly top: number;
}

const LEVELS = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const DROP_MARK = "▾";
/** A fall to less than this share of the value before, from at least that share of the top. */
const DROP_TO = 0.75;
const DROP_FROM = 0.1;

/** Draws values over their order; each column shows the largest of the values that fall into it. */
export function chart(values: readonly number[], { width, height, top }: ChartOptions): Chart {
  const columns = Array.from({ length: width }, (_, column) => columnOf(values, column, width));
  const levels = columns.map(({ value }) => levelOf(value, { top, height }));
  const rows = Array.from({ length: height }, (_, row) => {
    const below = (height - 1 - row) * 8;
    return levels.map((level) => LEVELS[Math.min(8, Math.max(0, level - below))]).join("");
  });
  const drops = columns.map(({ from, to }, column) => {
    const isNew = column === 0 || columns[column - 1]?.from !== from;
    return isNew && hasDrop(values, { from, to, top }) ? DROP_MARK : " ";
  });
  return { rows, drops: drops.join("") };
}

interface Column {
  /** Index of its first value. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly value: number;
}

/** Fewer values than columns: a value is as wide as several columns. */
function columnOf(values: readonly number[], column: number, width: number): Column {
  const from = Math.floor((column * values.length) / width);
  const to = Math.max(from + 1, Math.floor(((column + 1) * values.length) / width));
  return {
    from,
    to,
    value: values.slice(from, to).reduce((most, value) => Math.max(most, value), 0),
  };
}

/** In eighths of a row; anything above zero can be seen. */
function levelOf(value: number, { top, height }: { top: number; height: number }): number {
  if (value <= 0 || top <= 0) return 0;
  return Math.max(1, Math.round((Math.min(value, top) / top) * height * 8));
}

function hasDrop(
  values: readonly number[],
  { from, to, top }: { from: number; to: number; top: number },
): boolean {
  return values.slice(from, to).some((value, index) => {
    const before = values[from + index - 1] ?? 0;
    return before >= top * DROP_FROM && value < before * DROP_TO;
  });
}
