import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shellFiles } from "../../../src/core/calls/index.ts";
import { shellStatements } from "../../../src/core/calls/shell-text.ts";
import { runs } from "../../property/runs.ts";

/** `r` read, `w` write, `e` edit, `d` delete, `D` delete with everything below. */
function seen(command: string, folder?: string): string[] {
  return shellFiles(command, folder).map(({ op, path, recursive }) => {
    const letter = op.slice(0, 1);
    return `${recursive === true ? letter.toUpperCase() : letter} ${path}`;
  });
}

describe("shellFiles: what is read", () => {
  it.each([
    ["cat a.ts", ["r a.ts"]],
    ["cat ./src/a.ts | head -5", ["r src/a.ts"]],
    ["head -n 20 a.txt && tail -c 100 'b c.txt'", ["r a.txt", "r b c.txt"]],
    ["sed -n '1,20p' src/a.ts", ["r src/a.ts"]],
    ["sed -e 's/a/b/' -e 's/c/d/' a.txt", ["r a.txt"]],
    ["nl -ba a.ts | sed -n '1,5p'", ["r a.ts"]],
    ["wc -l a.ts b.ts", ["r a.ts", "r b.ts"]],
    ["awk -F: '{ print $1 }' /etc/passwd", ["r /etc/passwd"]],
    ["grep -n -A 3 'x|y' src/a.ts", ["r src/a.ts"]],
    ["grep -e one -e two a.ts", ["r a.ts"]],
    ["grep --include=*.ts needle a.ts", ["r a.ts"]],
    ["grep -rn needle src docs/a.md", ["r docs/a.md"]],
    ["rg -n 'needle' src README.md -g '*.ts'", ["r README.md"]],
    ["jq -r --arg x y '.a' data.json", ["r data.json"]],
    ["sudo -u root cat /etc/hosts", ["r /etc/hosts"]],
    ["A=1 timeout -k 1 5s cat a.ts", ["r a.ts"]],
    ["cat 'app/[id]/page.tsx' app/[slug]/b.tsx", ["r app/[id]/page.tsx", "r app/[slug]/b.tsx"]],
    ['F=src/a.ts; cat "$F"', ["r src/a.ts"]],
    ['cat "$HOME/.zshrc"', ["r ~/.zshrc"]],
    ["for f in a.ts b.ts; do cat $f; done", ["r a.ts", "r b.ts"]],
    ["bash -lc 'cat a.ts'", ["r a.ts"]],
    ["bash <<EOF\ncat a.ts\nEOF", ["r a.ts"]],
    ["cat a.ts 2>/dev/null", ["r a.ts"]],
    ["cat a.ts # cat b.ts", ["r a.ts"]],
  ])("%s", (command, files) => {
    expect(seen(command)).toEqual(files);
  });

  it.each([
    "cat *.ts",
    "cat src/{a,b}.ts",
    'cat "$UNKNOWN/a.ts"',
    "cat $(ls | head -1)",
    "cat a.ts || echo none",
    "cat a.ts > /dev/null",
    "if [ -f a.ts ]; then cat a.ts; fi",
    "N=$(wc -l a.ts)",
    "echo 'cat a.ts'",
    "ls -la src/a.ts",
    "find . -name '*.ts' | xargs cat",
    "curl -s https://example.com/a.json | head -5",
    "grep -rn needle src .github",
    "grep 'a > b' | cat",
    "git commit -m \"$(cat <<'EOF'\nfix: don't read (a.ts)\nEOF\n)\"",
    "echo $((1 > 2)) && [[ a > b ]]",
    "node script.js a.ts",
  ])("nothing: %s", (command) => {
    expect(seen(command)).toEqual([]);
  });
});

describe("shellFiles: what is changed", () => {
  it.each([
    ["echo x > a.txt", ["w a.txt"]],
    ["echo x >> a.txt", ["e a.txt"]],
    ["echo x >| a.txt 2>&1", ["w a.txt"]],
    ["make &> build.log", ["w build.log"]],
    ["cat > a.ts <<'EOF'\nrm b.ts\ncat c.ts > d.ts\nEOF\ncat e.ts", ["w a.ts", "r e.ts"]],
    ["cat <<-X > a.ts\n\tbody\n\tX\ntouch b.ts", ["w a.ts", "w b.ts"]],
    ["npm test | tee -a log.txt", ["e log.txt"]],
    ["touch -t 202401010000 a.ts", ["w a.ts"]],
    ["cp a.ts b.ts", ["w b.ts"]],
    ["cp a.ts lib/", ["w lib/a.ts"]],
    ["cp a.ts b.ts lib", ["w lib/a.ts", "w lib/b.ts"]],
    ["cp build.sh /usr/local/bin/build", ["w /usr/local/bin/build"]],
    ["mv src/a.ts src/b.ts", ["d src/a.ts", "w src/b.ts"]],
    ["mv src/a.ts .", ["d src/a.ts", "w a.ts"]],
    ["git mv a.ts lib/b.ts", ["d a.ts", "w lib/b.ts"]],
    ["rm -f a.ts b.ts", ["d a.ts", "d b.ts"]],
    ["rm -rf dist", ["D dist"]],
    ["git rm --cached a.ts", []],
    ["git rm a.ts", ["d a.ts"]],
    ["git checkout main -- a.ts", ["e a.ts"]],
    ["git checkout -- .", []],
    ["git restore a.ts", ["e a.ts"]],
    ["git restore --staged a.ts", []],
    ["sed -i 's/a/b/g' a.ts", ["e a.ts"]],
    ["sed -i '' 's/a/b/' a.ts", ["e a.ts"]],
    ["sed -i.bak -E 's/a/b/' a.ts", ["e a.ts"]],
    ["perl -pi -e 's/a/b/' a.ts", ["e a.ts"]],
    ["perl -0777 -i.bak -pe 's/a/b/' a.ts", ["e a.ts"]],
    ["dd if=/dev/zero of=disk.img count=1", ["w disk.img"]],
    ["curl -sSL -o a.tgz https://example.com/a.tgz", ["w a.tgz"]],
    ["mkdir -p src/new && rmdir old", []],
    [
      "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.ts\n@@\n-x\n+*** Add File: no.ts\n*** Add File: b.ts\n+y\n*** End Patch\nEOF",
      ["e a.ts", "w b.ts"],
    ],
    ["patch -p1 <<'EOF'\n--- a/x.c\n+++ b/x.c\n@@ -1 +1 @@\n-a\n+b\nEOF", ["e x.c"]],
    ["for f in 1 2; do > /var/out.$f; done", ["w /var/out.1", "w /var/out.2"]],
    ["python3 - <<'PY'\np='src/a.py'\ns=open(p).read()\nopen(p,'w').write(s)\nPY", ["e src/a.py"]],
    ["python3 -c \"open('new.txt', 'w').write('x')\"", ["w new.txt"]],
    ["node -e \"fs.writeFileSync('package.json', '{}')\"", ["w package.json"]],
  ])("%s", (command, files) => {
    expect(seen(command)).toEqual(files);
  });

  it.each([
    "echo x > /dev/null 2>&1",
    "echo x >&2",
    "rm *.log",
    "test -f a.ts || touch a.ts",
    "ssh host 'rm a.ts'",
    "git checkout main",
    'echo "a > b"',
    "echo a \\> b.txt",
  ])("nothing: %s", (command) => {
    expect(seen(command)).toEqual([]);
  });
});

describe("shellFiles: folders", () => {
  it("joins paths behind a cd, and leaves them as typed without one", () => {
    expect(seen("cat a.ts")).toEqual(["r a.ts"]);
    expect(seen("cd web && cat a.ts ../b.ts /c.ts")).toEqual(["r web/a.ts", "r b.ts", "r /c.ts"]);
    expect(seen("cd /repo && cd web; cat a.ts")).toEqual(["r /repo/web/a.ts"]);
    expect(seen("(cd web && cat a.ts); cat b.ts")).toEqual(["r web/a.ts", "r b.ts"]);
    expect(seen("cd $X && cat a.ts")).toEqual(["r a.ts"]);
    expect(seen("cat a.ts", "/repo")).toEqual(["r /repo/a.ts"]);
  });

  it("marks what ran before the last statement", () => {
    expect(shellFiles("echo x > a.txt && npm test")[0]?.early).toBe(true);
    expect(shellFiles("npm test && echo x > a.txt")[0]?.early).toBeUndefined();
  });
});

/** A loop over a shell that runs a loop over … */
function nested(depth: number): string {
  if (depth === 0) return "echo > a";
  const inner = nested(depth - 1).replaceAll("'", `'\\\\''`);
  return `for i in ${"1 2 3 4 5 6 7 8 ".repeat(8)}; do bash -c '${inner}'; done`;
}

describe("shellStatements", () => {
  it("goes on to the end of any text", () => {
    const bytes = fc.string({ unit: "binary" });
    const signs = fc.string({ unit: fc.constantFrom(..."'\"`$(){}<>|&;#\\ \n\u00a0aE2=") });
    fc.assert(
      fc.property(fc.oneof(bytes, signs), (text) => {
        let before = 0;
        for (const { to, operator } of shellStatements(text)) {
          expect(to).toBeGreaterThanOrEqual(before);
          if (!text.includes("<<")) expect(text.slice(to, to + operator.length)).toBe(operator);
          before = to + operator.length;
        }
        if (!text.includes("<<")) expect(before).toBe(text.length);
      }),
      { numRuns: runs(1_000, 20_000) },
    );
  });
});

describe("shellFiles: any text", () => {
  const piece = fc.constantFrom(
    "cat ",
    "a.ts",
    " ",
    "'",
    '"',
    "`",
    "$(",
    ")",
    "(",
    "((",
    "))",
    "${",
    "}",
    "$x",
    "<<EOF\n",
    "EOF",
    "\n",
    "\\",
    ">",
    ">>",
    "<",
    "<(",
    "|",
    "||",
    "&&",
    "&",
    ";",
    "[[",
    "]]",
    "for x in",
    " do ",
    "if ",
    "#",
    "{a,b}",
    "sudo ",
    "-c ",
    "bash ",
    "eval ",
  );

  it("never throws and never names an impossible path", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece).map((pieces) => pieces.join("")),
        ),
        (text) => {
          for (const { path } of shellFiles(text)) {
            expect(path).not.toMatch(/^$|\n/);
            expect(path.startsWith("/dev/")).toBe(false);
          }
        },
      ),
      { numRuns: runs(1_000, 20_000) },
    );
  });

  it.each(["\u00a0", "\u3000", "\u2028", "\u2029", "\ufeff", "\f", "\v"])(
    "takes space that is none to a shell for a character of a word: %j",
    (space) => {
      expect(seen(`echo a${space}b > c.ts; cat d.ts`)).toEqual(["w c.ts", "r d.ts"]);
      expect(seen(`${space} a.ts; cat ${space} b.ts`)).toEqual([`r ${space}`, "r b.ts"]);
    },
  );

  it.each([
    ["deep substitutions", "$(".repeat(500_000)],
    ["deep subshells", "(".repeat(500_000)],
    ["many references", `cat ${"$HOME".repeat(500_000)}`],
    ["many braces", `cat ${"{a,".repeat(500_000)}`],
    ["many heredocs", "<<A ".repeat(200_000)],
    ["open quote", `cat '${"x".repeat(1_000_000)}`],
    ["many options", `cat ${"-a ".repeat(500_000)}`],
    ["many variables", `A=${"x".repeat(1_000)}; cat ${"$A".repeat(500_000)}`],
    [
      "nested loops",
      "for a in 1 2 3; do ".repeat(10_000) + "echo > a$a; ".repeat(1_000) + "done ".repeat(10_000),
    ],
    ["loops in shells in loops", nested(6)],
    [
      "many files in loops in a shell",
      `bash -c 'for i in ${"1 2 3 4 5 6 7 8 ".repeat(8)}; do ${Array.from({ length: 5_000 }, (_, i) => `> ${i}$i`).join("; ")}; done' || ls`,
    ],
    ["many shells", "bash -c 'echo > a; echo > b'\n".repeat(6_000)],
    ["many unclosed heredocs", Array.from({ length: 20_000 }, (_, i) => `cat <<E${i}\n`).join("")],
    ["a long name in a script", `python3 -c '${"a".repeat(1_000_000)}'`],
    ["much space in a script", `python3 -c 'a = ${" ".repeat(1_000_000)}'`],
    ["much space behind a name", `python3 -c 'open(a${" ".repeat(1_000_000)}'`],
    ["many quotes in a script", `python3 -c "${`a="'`.repeat(100_000)}"`],
    ["a text that runs itself", `A='bash -c "$A"'; bash -c "$A"`],
    ["many sudos", `${"sudo ".repeat(300_000)}cat a.ts`],
  ])("ends for %s", (_name, text) => {
    // What takes quadratic time is stopped by the runner.
    expect(shellFiles(text)).toBeDefined();
  });
});
