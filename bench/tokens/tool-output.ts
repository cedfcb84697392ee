/** What the commands and tools of agents print, made from the corpus' own code, words and paths. */
import type { Material } from "./material.ts";

type Maker = (m: Material) => string;

function classNamed(m: Material): string {
  return Array.from({ length: 2 + m.number(3) }, m.word)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** Lines of code as a map of a repository shows them: definitions, and marks where lines are left out. */
export const repositoryMap: Maker = (m) =>
  m.lines(14, () => {
    const kept = m
      .code()
      .split("\n")
      .filter((line) =>
        /^\s*(def|class|function|export|func|type|public|const|async|struct)\b/.test(line),
      )
      .slice(0, 3 + m.number(16));
    const shown = kept.map((line) => (m.random() < 0.75 ? `⋮...\n│${line}` : `│${line}`));
    return [`\n${m.path()}:`, ...shown, "⋮..."].join("\n");
  });

/** `git log`, plain, short and as a graph; `git status`; `git blame`. */
export const gitLog: Maker = (m) => {
  const hash = (length: number): string => m.drawn("0123456789abcdef", length);
  const day = (): string => new Date(1.5e12 + m.number(2e11)).toISOString();
  const subject = (): string =>
    `${m.pick(["feat", "fix", "chore", "docs", "test"])}(${m.word()}): ${m.phrase(3 + m.number(6))} (#${m.number(4_000)})`;
  const person = (): string => `${m.word()} ${m.word()} <${m.word()}@${m.word()}.com>`;
  const line = m.pick([
    () =>
      `${m.pick(["* ", "* ", "| * ", "| | * ", "|/  ", "|\\  ", "*   "])}${hash(7)} ${m.random() < 0.1 ? `(HEAD -> main, origin/main, tag: v${m.number(9)}.${m.number(30)}.0) ` : ""}${subject()}`,
    () =>
      `commit ${hash(40)}\nAuthor: ${person()}\nDate:   ${new Date(1.5e12 + m.number(2e11)).toString().slice(0, 24)} +0200\n\n    ${subject()}\n\n    ${m.phrase(12)}\n`,
    () => `${hash(7)} ${subject()}`,
    () =>
      `${m.pick(["\tmodified:   ", "\tnew file:   ", "\tdeleted:    ", " M ", "?? ", "A  "])}${m.path()}`,
    () =>
      `${hash(8)} (${person().split("<")[0]}${day().slice(0, 10)} 12:0${m.number(9)}:${10 + m.number(49)} +0100 ${String(m.number(900)).padStart(4)}) ${m.codeLine()}`,
    () =>
      ` ${m.path()} | ${String(m.number(300)).padStart(4)} ${"+".repeat(m.number(30))}${"-".repeat(m.number(20))}`,
    () => `${hash(40)} ${m.pick(["blob", "tree", "commit"])} ${m.number(9e4)}\t${m.path()}`,
    () => `./.git/objects/${hash(2)}/${hash(38)}`,
    () =>
      `${m.number(2_000)}\t${m.phrase(6)}\t${m.pick(["open", "closed", "MERGED"])}\t${day().slice(0, 19)}Z\t${day().slice(0, 19)}Z\t${m.number(9)}`,
  ]);
  return m.lines(170, line);
};

/** Hits of `grep -rn` and `rg`, with context or by file. */
export const grep: Maker = (m) => {
  let path = m.path();
  const style = m.number(5);
  return m.lines(150, () => {
    if (m.random() < 0.3) path = m.path();
    const n = 1 + m.number(2_000);
    if (style === 0) return `${path}:${n}:${m.pick(["", "  ", "    ", "\t"])}${m.codeLine()}`;
    if (style === 1)
      return `${path}${m.pick([":", "-"])}${n}${m.pick([":", "-"])}    ${m.codeLine()}`;
    if (style === 2)
      return m.random() < 0.2 ? `\n${path}` : `${n}:${m.pick(["  ", "    "])}${m.codeLine()}`;
    if (style === 3)
      return m.random() < 0.2 ? `---\nFile: ${path}` : `L${n}${m.pick([":", "-"])} ${m.codeLine()}`;
    return m.random() < 0.2 ? `\n${path}:` : `  Line ${n}: ${m.codeLine()}\n`;
  });
};

/** `ls -la`, `find`, globs: names, sizes, dates. */
export const listing: Maker = (m) => {
  const base = m.pick([
    "/home/user/project",
    "/Users/someone/Code/app",
    "/workspace",
    ".",
    "/repo",
    "/testbed",
    "C:\\Users\\dev\\src",
  ]);
  const style = m.number(6);
  const project = m.random() < 0.2 ? m.madeUp() : m.word();
  return m.lines(220, () => {
    const path = m.path();
    if (style === 0) {
      const size = String(m.number(10 ** (2 + m.number(6)))).padStart(8);
      return `${m.pick(["drwxr-xr-x", "-rw-r--r--", "-rwxr-xr-x"])} ${m.number(20) + 1} ${m.pick(["root root", "user staff", "dev  dev "])} ${size} ${m.pick(["Jan", "Mar", "Nov"])} ${String(m.number(29)).padStart(2)} ${m.pick(["09:41", "2024 ", "23:07"])} ${path.split("/").at(-1)}`;
    }
    if (style === 1) return `${base}/${path}`;
    if (style === 2)
      return `${base}/${project}-${m.word()}/${project}-${m.word()}-${m.word()}/src/${m.pick(["main", "test"])}/java/org/${m.pick(["apache", m.word()])}/${project}/${m.word()}/${m.word()}/${classNamed(m)}.java`;
    if (style === 3)
      return `/${m.word()}__${project}/${project}-${m.word()}/${project}-${m.word()}-${m.word()}/src/${m.pick(["main", "test"])}/${m.pick(["java", "resources"])}`;
    if (style === 4)
      return `./${project}/${m.pick([".github", "docs", "packages", "apps"])}/${m.word()}-${m.word()}/${m.pick(["src", "test"])}/${m.word()}/${m.word()}-${m.word()}.${m.pick(["ts", "yaml", "md", "test.ts"])}`;
    return `${m.word()}/${m.word()}-${m.word()}-${m.number(9)}${m.pick(["b", "k", ".5", "-v2"])}-${m.word()}-${m.pick(["2024-08-06", "v1:0", "latest", "large-2402"])}`;
  });
};

/** Stack traces of four languages. */
export const stackTrace: Maker = (m) => {
  const frame = m.pick([
    () =>
      `    at ${m.pick(["async ", ""])}${m.name()}.${m.name()} (${m.pick(["file:///app/", "/app/node_modules/"])}${m.path()}:${m.number(900)}:${m.number(90)})`,
    () =>
      `  File "/usr/lib/python3.11/${m.path()}", line ${m.number(2_000)}, in ${m.name()}\n    ${m.codeLine()}`,
    () =>
      `\tat org.${m.word()}.${m.word()}.${classNamed(m)}.${m.name()}(${classNamed(m)}.java:${m.number(900)})`,
    () =>
      `${m.word()}/${m.word()}.${m.name()}(0xc000${m.drawn("0123456789abcdef", 6)}, 0x${m.number(99)})\n\t/home/user/go/src/${m.path()}:${m.number(900)} +0x${m.drawn("0123456789abcdef", 3)}`,
  ]);
  return m.lines(90, (i) =>
    i % 14 === 0
      ? `\n${m.pick(["TypeError", "ValueError", "panic", "java.lang.IllegalStateException", "error[E0308]"])}: ${m.phrase(6)} '${m.name()}'`
      : frame(),
  );
};

/** Output of test runners. */
export const testRun: Maker = (m) => {
  const line = m.pick([
    () =>
      ` ${m.pick(["✓", "✓", "×", "↓"])} ${m.path()} (${m.number(60)} tests) ${m.number(900)}ms\n   ${m.pick(["✓", "→"])} ${m.name()} > ${m.phrase(6)} ${m.number(90)}ms`,
    () =>
      `${m.path().replaceAll(/\.\w+$/g, ".py")}::Test${m.name()}::test_${m.word()}_${m.word()} ${m.pick(["PASSED", "PASSED", "FAILED", "SKIPPED"])} [${String(m.number(100)).padStart(3)}%]`,
    () =>
      `test ${m.word()}::${m.word()}::${m.word()}_${m.word()}_${m.word()} ... ${m.pick(["ok", "ok", "FAILED", "ignored"])}`,
    () =>
      `${m.pick(["=== RUN   ", "--- PASS: ", "    --- PASS: ", "--- FAIL: "])}Test${m.name()}/${m.phrase(2).replace(" ", "_")} (0.${m.number(99)}s)`,
    () =>
      `ok  \tgithub.com/${m.word()}/${m.word()}/${m.word()}\t${m.number(9)}.${m.number(999)}s\tcoverage: ${m.number(100)}.${m.number(9)}% of statements`,
    () =>
      `${m.path()} ${".".repeat(m.number(30))}${m.pick(["", "F", "s"])}${".".repeat(m.number(20))} [${String(m.number(100)).padStart(3)}%]`,
    () => `    ${m.pick(["✓", "✕", "○"])} ${m.phrase(7)} (${m.number(90)} ms)`,
    () =>
      `${m.path()}(${m.number(900)},${m.number(90)}): error TS${2_000 + m.number(900)}: ${m.phrase(5)} '${m.name()}' ${m.phrase(4)}.`,
    () =>
      `${m.path()}\n  ${m.number(900)}:${m.number(90)}  ${m.pick(["error", "warning"])}  ${m.phrase(6)}  ${m.word()}/${m.word()}-${m.word()}\n`,
  ]);
  return m.lines(140, line);
};
