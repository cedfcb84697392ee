import { fieldsOf, type Fields } from "../text/json.ts";
import type { ToolCallPart } from "../message/index.ts";
import type { TodoFact } from "./ledger.ts";

const LIST_FIELDS = ["todos", "plan", "items", "tasks", "todoList"];
const TEXT_FIELDS = ["content", "step", "subject", "description", "text", "title", "task"];
/** More todos than this are no list that anybody works through. */
const MAX_TODOS = 500;

/**
 * The todo list after a successful call of a todo tool, or `undefined` when it changes nothing:
 * a whole list (`TodoWrite`, `todowrite`, `update_plan`, `write_todos`), or one task made or
 * changed (Claude Code's `TaskCreate` and `TaskUpdate`).
 */
export function todosAfter(
  todos: readonly TodoFact[],
  call: ToolCallPart,
  output: string,
): readonly TodoFact[] | undefined {
  const fields = fieldsOf(call.input);
  const list = LIST_FIELDS.map((name) => fields[name]).find((value) => value !== undefined);
  if (Array.isArray(list)) return list.slice(0, MAX_TODOS).flatMap(todoOf);
  if (typeof list === "string") return checklist(list);
  if (call.toolName === "TaskCreate") return withTask(todos, fields, output);
  if (call.toolName === "TaskUpdate") return withUpdate(todos, fields);
  return undefined;
}

function todoOf(item: unknown): TodoFact[] {
  if (typeof item === "string") return [{ text: item, status: "pending" }];
  const fields = fieldsOf(item);
  const text = firstText(fields);
  const status = statusOf(fields["status"]);
  return text === undefined || status === "dropped" ? [] : [{ text, status }];
}

function firstText(fields: Fields): string | undefined {
  const values = TEXT_FIELDS.map((name) => fields[name]);
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

function statusOf(value: unknown): TodoFact["status"] | "dropped" {
  const status = typeof value === "string" ? value.toLowerCase().replace(/[\s_]+/g, "-") : "";
  if (/^(completed?|done|finished|closed)$/.test(status)) return "done";
  if (/^(in-progress|active|doing|started)$/.test(status)) return "in-progress";
  return /^(cancell?ed|deleted|removed|skipped)$/.test(status) ? "dropped" : "pending";
}

const CHECKBOX = /^[ \t]*(?:[-*][ \t]*)?\[([ xX~-])\][ \t]*(\S.*)$/gm;

/** A markdown checklist, as Roo Code's `update_todo_list` takes it. */
function checklist(text: string): TodoFact[] {
  const items = [...text.matchAll(CHECKBOX)].slice(0, MAX_TODOS);
  return items.map(([, mark = " ", todo = ""]) => ({
    text: todo.trim(),
    status: markStatus(mark),
  }));
}

function markStatus(mark: string): TodoFact["status"] {
  if (mark === "x" || mark === "X") return "done";
  return mark === " " ? "pending" : "in-progress";
}

function withTask(todos: readonly TodoFact[], fields: Fields, output: string): TodoFact[] {
  const text = firstText({ subject: fields["subject"], description: fields["description"] });
  if (text === undefined) return [...todos];
  const id = /^Task #(\S+) /.exec(output)?.[1];
  const todo: TodoFact = { text, status: "pending", id };
  return [...todos, todo].slice(-MAX_TODOS);
}

function withUpdate(todos: readonly TodoFact[], fields: Fields): readonly TodoFact[] | undefined {
  const id = fields["taskId"];
  if (typeof id !== "string" && typeof id !== "number") return undefined;
  const known = todos.find((todo) => todo.id === String(id));
  const subject = typeof fields["subject"] === "string" ? fields["subject"] : undefined;
  const status =
    fields["status"] === undefined ? (known?.status ?? "pending") : statusOf(fields["status"]);
  const others = todos.filter((todo) => todo !== known);
  if (status === "dropped") return others;
  const changed: TodoFact = {
    id: String(id),
    text: subject ?? known?.text ?? unnamedTask(id),
    status,
  };
  return known === undefined
    ? [...todos, changed]
    : todos.map((todo) => (todo === known ? changed : todo));
}

/** Stands for a task that was made before these messages; a merge puts its text back. */
function unnamedTask(id: string | number): string {
  return `Task #${id}`;
}

/** The newer list; tasks that it changes without knowing them are found in the older one. */
export function mergeTodos(older: readonly TodoFact[], newer: readonly TodoFact[]): TodoFact[] {
  const unnamed = newer.filter(
    (todo) => todo.id !== undefined && todo.text === unnamedTask(todo.id),
  );
  if (unnamed.length === 0 && !newer.some(({ id }) => id !== undefined)) return [...newer];
  const changed = new Map(newer.map((todo) => [todo.id ?? todo.text, todo]));
  const kept = older.map((todo) => {
    const update = changed.get(todo.id ?? todo.text);
    changed.delete(todo.id ?? todo.text);
    if (update === undefined) return todo;
    return unnamed.includes(update) ? { ...update, text: todo.text } : update;
  });
  return [...kept, ...changed.values()];
}
