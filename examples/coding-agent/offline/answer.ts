/** What the model says in a step; without calls it is the last word. */
export interface Answer {
  readonly text?: string;
  readonly calls: readonly Call[];
}

export type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];

export function bash(command: string): Call {
  return ["bash", { command }];
}

export function read(path: string): Call {
  return ["read", { path }];
}
