/** Data and configuration in the usual notations, made from the corpus' own words and names. */
import { tabbed } from "./generate.ts";
import type { Material } from "./material.ts";

type Maker = (m: Material) => string;

const HEX = "0123456789abcdef";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function time(m: Material): string {
  return new Date(1.5e12 + m.number(2e11)).toISOString();
}

/** Comma- or tab-separated records with one meaning for each column. */
export const csv: Maker = (m) => {
  const columns: readonly (() => string)[] = [
    () => `A-${100_000 + m.number(900)}`,
    () => time(m).slice(0, 10),
    () => `${time(m).slice(0, 19)}Z`,
    () => `${capital(m.word())} ${capital(m.word())}`,
    () => `"${m.number(99)} ${capital(m.word())} Street, ${capital(m.word())}"`,
    () => m.word(),
    () => m.name(),
    () => `${m.number(900)}.${10 + m.number(90)}`,
    () => String(m.number(10)),
    () => String(m.number(1e6)),
    () => `${m.word().slice(0, 3).toUpperCase()}-${10 + m.number(90)}`,
    () => m.pick(["DE", "FR", "US", "true", "false", "", "NULL"]),
    () => `${m.word()}@${m.word()}.com`,
    () => String(m.random()),
  ];
  const chosen = Array.from({ length: 4 + m.number(8) }, () => m.pick(columns));
  const separator = m.pick([",", ",", ",", "\t", ";", " | "]);
  const prefix = m.random() < 0.3 ? (i: number): string => `${i + 1}: ` : (): string => "";
  return m.lines(160, (i) => prefix(i) + chosen.map((column) => column()).join(separator));
};

export const sql: Maker = (m) => {
  const table = (): string => `${m.word()}_${m.word()}`;
  const column = (): string => m.pick([m.word(), `${m.word()}_id`, `created_at`, m.name()]);
  const statement = m.pick([
    () =>
      `CREATE TABLE IF NOT EXISTS ${table()} (\n  id BIGSERIAL PRIMARY KEY,\n${m.lines(4, () => `  ${column()} ${m.pick(["TEXT NOT NULL", "INTEGER DEFAULT 0", "VARCHAR(255)", "TIMESTAMP WITH TIME ZONE"])},`)}\n  FOREIGN KEY (${column()}) REFERENCES ${table()}(id) ON DELETE CASCADE\n);\n`,
    () =>
      `INSERT INTO ${table()} (${column()}, ${column()}, ${column()}) VALUES (${m.number(9_000)}, '${m.phrase(3)}', NULL);`,
    () =>
      `SELECT t.${column()}, COUNT(*) AS total FROM ${table()} t\nLEFT JOIN ${table()} u ON u.id = t.${column()}\nWHERE t.${column()} = '${m.word()}' AND u.${column()} > ${m.number(100)}\nGROUP BY t.${column()} ORDER BY total DESC LIMIT ${m.number(100)};\n`,
    () =>
      `('${m.drawn(HEX, 8)}-${m.drawn(HEX, 4)}-4${m.drawn(HEX, 3)}-${m.drawn(HEX, 4)}-${m.drawn(HEX, 12)}', '${m.word()}', ${m.number(900)}, '${time(m)}'),`,
  ]);
  return m.lines(60, statement);
};

/** YAML and TOML. */
export const config: Maker = (m) => {
  const value = (): string =>
    m.pick([
      m.word(),
      m.phrase(4),
      String(m.number(9_000)),
      "true",
      `"${m.phrase(3)}"`,
      m.path(),
      `^${m.number(9)}.${m.number(30)}.${m.number(9)}`,
      `[${m.word()}, ${m.word()}]`,
    ]);
  if (m.random() < 0.35) {
    return m.lines(150, (i) =>
      i % 8 === 0
        ? `\n[${m.word()}.${m.pick([m.word(), `"${m.word()}-${m.word()}"`])}]`
        : `${m.pick([m.word(), `${m.word()}_${m.word()}`, `${m.word()}-${m.word()}`])} = ${m.pick([`"${m.phrase(2)}"`, String(m.number(999)), "true", `{ version = "${m.number(9)}.${m.number(20)}", features = ["${m.word()}"] }`, `["${m.word()}", "${m.word()}"]`])}`,
    );
  }
  let depth = 0;
  return m.lines(190, () => {
    const indent = "  ".repeat(depth);
    depth = Math.max(0, Math.min(5, depth + m.pick([-1, -1, 0, 0, 0])));
    const key = m.pick([m.word(), m.name(), `${m.word()}-${m.word()}`]);
    if (m.random() < 0.25) {
      depth += 1;
      return `${indent}${key}:`;
    }
    return m.pick([
      `${indent}${key}: ${value()}`,
      `${indent}- ${value()}`,
      `${indent}- ${key}: ${value()}`,
      `${indent}# ${m.phrase(5)}`,
      `${indent}${m.word()}==${m.number(9)}.${m.number(30)}.${m.number(9)}`,
    ]);
  });
};

/** Lock files of package managers. */
export const lock: Maker = (m) => {
  const version = (): string => `${m.number(20)}.${m.number(30)}.${m.number(20)}`;
  const name = (): string =>
    m.pick([m.word(), `${m.word()}-${m.word()}`, `@${m.word()}/${m.word()}-${m.word()}`]);
  const entry = m.pick([
    (n: string) =>
      `    "node_modules/${n}": {\n      "version": "${version()}",\n      "resolved": "https://packages.example.org/${n}/-/${n.split("/").at(-1)}-${version()}.tgz",\n      "integrity": "sha512-${m.drawn(BASE64, 86)}==",\n      "license": "MIT",\n      "dependencies": {\n        "${name()}": "^${version()}",\n        "${name()}": "~${version()}"\n      },\n      "engines": {\n        "node": ">=${m.number(20)}"\n      }\n    },`,
    (n: string) =>
      `"${n}@^${version()}":\n  version "${version()}"\n  resolved "https://packages.example.org/${n}/-/${n}-${version()}.tgz#${m.drawn(HEX, 40)}"\n  integrity sha512-${m.drawn(BASE64, 86)}==\n  dependencies:\n    ${name()} "^${version()}"\n`,
    (n: string) =>
      `[[package]]\nname = "${n}"\nversion = "${version()}"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "${m.drawn(HEX, 64)}"\ndependencies = [\n "${name()}",\n "${name()}",\n]\n`,
    (n: string) =>
      `${n}==${version()} \\\n    --hash=sha256:${m.drawn(HEX, 64)}\n    # via\n    #   ${name()}\n    #   ${name()}`,
    (n: string) => `${n}==${version()}\n    # via ${name()}`,
    (n: string) =>
      `github.com/${m.word()}/${n} v${version()} h1:${m.drawn(BASE64, 43)}=\ngithub.com/${m.word()}/${n} v${version()}/go.mod h1:${m.drawn(BASE64, 43)}=`,
  ]);
  return m.lines(50, () => entry(name()));
};

/** Links, alone and in lists, with queries and ids. */
export const urls: Maker = (m) => {
  const query = (): string =>
    `?${m.word()}=${m.pick([m.word(), String(m.number(1e6)), m.drawn(BASE64, 12), `${m.word()}%20${m.word()}%2F${m.word()}`])}&${m.word()}_id=${m.number(1e4)}`;
  const url = (): string =>
    m.pick([
      () =>
        `https://github.com/${m.word()}/${m.word()}-${m.word()}/${m.pick(["pull", "issues"])}/${m.number(5_000)}`,
      () =>
        `https://github.com/${m.word()}/${m.name()}/blob/${m.drawn(HEX, 40)}/${m.path()}#L${m.number(900)}`,
      () =>
        `https://${m.pick(["www", "docs", "api"])}.${m.word()}.${m.pick(["com", "org", "io", "dev"])}/${m.word()}/${m.word()}-${m.word()}-${m.word()}/${m.pick(["", query()])}`,
      () => `https://api.github.com/repos/${m.word()}/${m.word()}/${m.word()}{/${m.word()}}`,
      () =>
        `http://localhost:${3_000 + m.number(6_000)}/api/v${m.number(4)}/${m.word()}/${m.number(1e6)}${query()}`,
      () =>
        `https://cdn.${m.word()}.net/npm/${m.word()}@${m.number(9)}.${m.number(20)}.0/dist/${m.word()}.min.js`,
      () =>
        `s3://${m.word()}-${m.word()}/${time(m).slice(0, 10).replaceAll("-", "/")}/${m.drawn(HEX, 32)}.parquet`,
    ])();
  const line = m.pick([
    () => url(),
    () => `- [${m.phrase(3)}](${url()})`,
    () =>
      `"${m.word()}_url":"${url()}","${m.word()}_at":"${time(m).slice(0, 19)}Z","node_id":"${m.drawn(BASE64, 22)}",`,
    () => `${m.phrase(6)} (see ${url()}) ${m.phrase(5)}`,
    () => `<a href="${url()}" class="${m.word()}-${m.word()}">${m.phrase(2)}</a>`,
  ]);
  return m.lines(110, line);
};

/** Elements as prompts and tool results use them, with code or data inside. */
export const tags: Maker = (m) =>
  m.lines(45, () => {
    const tag = m.pick([
      m.word(),
      `${m.word()}_${m.word()}`,
      `${m.word()}-${m.word()}`,
      "path",
      "content",
      "file",
    ]);
    const attribute = m.pick([
      "",
      "",
      ` name="${m.name()}"`,
      ` path="${m.path()}" lines="${m.number(90)}-${m.number(900)}"`,
    ]);
    const inside = m.pick([
      m.phrase(4),
      m.path(),
      m.codeLine(),
      `\n${m.lines(6, m.codeLine)}\n`,
      `\n  <${tag}>${m.number(99)}</${tag}>\n`,
      `\n<string name="${m.name()}">&lt;${m.word()}&gt;</string>\n`,
    ]);
    return `<${tag}${attribute}>${inside}</${tag}>`;
  });

/** Code as it stands inside JSON strings: tool inputs and results. */
export const escaped: Maker = (m) => {
  const code = m.code();
  const at = m.number(Math.max(1, code.length - 6_000));
  const piece = code.slice(at, at + 800 + m.number(5_200));
  const tabs = m.random() < 0.4 ? tabbed(piece) : piece;
  // As deep as components nest.
  const text = m.random() < 0.3 ? tabs.replaceAll(/^(?=\s)/gm, "\t".repeat(m.number(8))) : tabs;
  const value = m.pick([
    () => ({
      file_path: `/home/user/${m.path()}`,
      old_string: text.slice(0, 500),
      new_string: text,
    }),
    () => ({ path: m.path(), content: text }),
    () => ({ command: `cat > ${m.path()} <<'EOF'\n${text}\nEOF`, description: m.phrase(6) }),
    () => ({
      input: `*** Begin Patch\n*** Update File: ${m.path()}\n@@\n${text.replaceAll(/^/gm, m.pick([" ", "+", "-"]))}\n*** End Patch`,
    }),
    () => ({ edits: [{ oldText: text.slice(0, 200), newText: text }] }),
    () => ({
      query: `edit:${m.path()}`,
      result: `\`\`\`diff\n${text
        .split("\n")
        .map((line, i) => `${m.pick(["-", "+", " "])}${at + i}: ${line}`)
        .join("\n")}\n\`\`\``,
      success: true,
    }),
    () => ({
      todos: Array.from({ length: 8 }, (_, i) => ({
        id: String(i),
        content: m.phrase(7),
        status: m.pick(["pending", "completed"]),
        priority: "high",
      })),
    }),
    () => ({
      query: m.phrase(5),
      path: m.path(),
      limit: m.number(100),
      pattern: `\\b${m.name()}\\(.*\\)`,
    }),
  ])();
  const json = JSON.stringify(value);
  return m.random() < 0.25 ? JSON.stringify({ output: json, metadata: { exit_code: 0 } }) : json;
};
