import { fieldsOf, type Fields } from "../text/json.ts";
import type { FileAccess, LineRange } from "./file-access.ts";
import { words } from "../text/words.ts";

export function textField(fields: Fields, names: readonly string[]): string | undefined {
  const values = names.map((name) => fields[name]);
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

/** The first of these fields that is a finite number; digits in a text count, too. */
function numberField(fields: Fields, names: readonly string[]): number | undefined {
  const values = names.map((name) => fields[name]);
  const numbers = values.map((value) =>
    typeof value === "string" && value ? Number(value) : value,
  );
  return numbers.find((value): value is number => Number.isFinite(value));
}

const PATH_FIELDS =
  words(`file_path filePath path absolute_path absolutePath notebook_path target_file
  relative_workspace_path filename file fileName filepath file_name TargetFile AbsolutePath`);
const LIST_FIELDS = ["files", "paths", "file_paths", "filePaths"];

/** Every file that an input names, with the lines it asks for. */
export function namedFiles(fields: Fields): { path: string; range?: LineRange }[] {
  const list = LIST_FIELDS.map((name) => fields[name]).find(Array.isArray);
  if (list !== undefined) {
    return list.flatMap((item: unknown) =>
      typeof item === "string" ? [{ path: item }] : namedFiles(fieldsOf(item)),
    );
  }
  const path = textField(fields, PATH_FIELDS);
  if (path === undefined) return [];
  const range = rangeOf(fields);
  return [range === undefined ? { path } : { path, range }];
}

export function movedFile(fields: Fields): FileAccess[] {
  const source = textField(fields, ["source", "old_path", "oldPath", "src"]);
  const target = textField(fields, ["destination", "new_path", "newPath", "dest", "target"]);
  if (source === undefined || target === undefined) return [];
  return [
    { path: source, op: "delete" },
    { path: target, op: "write" },
  ];
}

function rangeOf(fields: Fields): LineRange | undefined {
  const view = fields["view_range"];
  if (Array.isArray(view)) return rangeFrom(Number(view[0]), Number(view[1]));
  const start = numberField(fields, ["start_line", "startLine", "start_line_one_indexed"]);
  const end = numberField(fields, ["end_line", "endLine", "end_line_one_indexed_inclusive"]);
  if (start !== undefined || end !== undefined) return rangeFrom(start ?? 1, end ?? Infinity);
  const offset = numberField(fields, ["offset"]);
  const limit = numberField(fields, ["limit"]);
  const top = numberField(fields, ["head", "line_number"]);
  if (offset === undefined && limit === undefined) {
    return top === undefined ? undefined : rangeFrom(1, top);
  }
  const from = offset ?? 0;
  return rangeFrom(from, limit === undefined ? Infinity : Math.max(from, 1) + limit - 1);
}

/** A range that ends before it begins (`[650, -1]`) goes to the end of the file. */
function rangeFrom(from: number, to: number): LineRange | undefined {
  if (Number.isNaN(from)) return undefined;
  return { from, to: Number.isNaN(to) || to < from ? Infinity : to };
}

/** Fields that hold the content of files in the input of writing and editing tools. */
const CONTENT_FIELDS =
  words(`content contents file_text fileText text new_string old_string newString oldString new_str
  old_str newText oldText new_text old_text new_source replace replacement search code_edit
  edits patch patchText patch_text diff input CodeContent ReplacementContent ReplacementChunks`);

/** Content at least this long is worth taking out; a placeholder has about a quarter of it. */
const LARGE_UNITS = 500;

export function largeFields(fields: Fields): string[] {
  return CONTENT_FIELDS.filter((name) => sizeOf(fields[name]) >= LARGE_UNITS);
}

function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (!Array.isArray(value)) return 0;
  let size = 0;
  for (const item of value) {
    for (const inner of typeof item === "string" ? [item] : Object.values(fieldsOf(item))) {
      if (typeof inner === "string") size += inner.length;
    }
  }
  return size;
}
