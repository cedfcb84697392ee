/**
 * An item of OpenAI's Responses API, as far as this dialect looks into it: what stands in `input`
 * and what comes in `output`. Unknown items and fields travel untouched.
 */
export interface ResponsesItem {
  /** Absent on a message in its short form and on a reference to a stored item. */
  readonly type?: string | null;
  readonly id?: string | null;
  /** On messages. */
  readonly role?: string;
}

export interface ResponsesInputText {
  readonly type: "input_text";
  readonly text: string;
}

export interface ResponsesInputImage {
  readonly type: "input_image";
  readonly detail: "auto";
  readonly image_url: string;
}

export interface ResponsesInputFile {
  readonly type: "input_file";
  readonly filename?: string;
  /** A `data:` URL. */
  readonly file_data?: string;
  readonly file_url?: string;
}

/** The blocks that a message or an output is built from. */
export type ResponsesInputPart = ResponsesInputText | ResponsesInputImage | ResponsesInputFile;

/** A message in its short form: without id and status. */
export interface ResponsesMessage {
  readonly type: "message";
  readonly role: "user" | "assistant" | "system";
  readonly content: string | ResponsesInputPart[];
}

export interface ResponsesFunctionCall {
  readonly type: "function_call";
  readonly call_id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

/** A call of a tool whose input is free text. */
export interface ResponsesCustomToolCall {
  readonly type: "custom_tool_call";
  readonly call_id: string;
  readonly name: string;
  readonly input: string;
}

export interface ResponsesCallOutput {
  readonly type: "function_call_output" | "custom_tool_call_output";
  readonly call_id: string;
  readonly output: string | ResponsesInputPart[];
}

/** The name under which this dialect signs what it decoded. */
export const OPENAI_RESPONSES = "openai-responses";
