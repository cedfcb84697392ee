// Writes docs/api.md and docs/options.md from the types: every export by entry, with its signature,
// the first paragraph of its docstring, and each member with its default; every option by where it
// acts. `--check` only says whether the pages are stale.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { API } from "typescript/unstable/sync";
import { SyntaxKind } from "typescript/unstable/ast";
import { OPTIONS_HEAD, optionGroups, unitOf } from "./option-groups.mjs";

const HEAD = `# API

Every export, by entry. The page is made from the types by \`node scripts/api.mjs\`.
`;

const { exports: doors } = JSON.parse(readFileSync("package.json", "utf8"));
const entries = Object.entries(doors)
  .filter(([, door]) => typeof door === "object")
  .map(([name, door]) => ({
    name: path.posix.join("longhaul", name),
    file: path.resolve(door.default.replace("./dist/", "src/").replace(/\.js$/, ".ts")),
  }));

const api = new API({ cwd: process.cwd() });
const project = api
  .updateSnapshot({ openProjects: [path.resolve("tsconfig.build.json")] })
  .getProjects()[0];
const { checker, program } = project;
const pages = {
  "docs/api.md": [HEAD, contents(), ...entries.map(section)].join("\n"),
  "docs/options.md": optionsPage(),
};
api.close();

for (const [file, page] of Object.entries(pages)) {
  if (!process.argv.includes("--check")) writeFileSync(file, page);
  else if (readFileSync(file, "utf8") !== page) {
    console.error(`${file} is stale; run node scripts/api.mjs`);
    process.exitCode = 1;
  }
}

/** Every option, in the groups of `option-groups.mjs`, which must name each exactly once. */
function optionsPage() {
  const sections = optionGroups.map(({ title, text, of, names }) => {
    const members = membersOf(of);
    const wanted = names ?? [...members.keys()];
    const rows = wanted.map((name) => optionRow(name, members));
    return `## ${title}\n\n${text}\n\n| option | type | unit | default | what |\n| --- | --- | --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  const named = new Set(
    optionGroups.flatMap(({ of, names }) => (of === "ContextOptions" ? names : [])),
  );
  const missing = [...membersOf("ContextOptions").keys()].filter((name) => !named.has(name));
  if (missing.length > 0) throw new Error(`scripts/option-groups.mjs lacks ${missing.join(", ")}`);
  return [OPTIONS_HEAD, ...sections].join("\n");
}

/** The members of an interface with those that it inherits, by name, in the order of the source. */
function membersOf(name) {
  const node = entries.flatMap(exportsOf).find((one) => one.name === name)?.node;
  if (node === undefined) throw new Error(`No entry exports ${name}`);
  return new Map(inheritedBy(node).map((member) => [textOf(member.name), member]));
}

function inheritedBy(node) {
  const parents = (node.heritageClauses ?? []).flatMap((clause) => [...clause.types]);
  const inherited = parents
    .filter((parent) => !textOf(parent).startsWith("Omit<"))
    .flatMap((parent) => {
      const own = textOf(parent).startsWith("Partial<") ? parent.typeArguments[0] : parent;
      const type = checker.getTypeAtLocation(own);
      return inheritedBy(type.getSymbol().declarations[0].resolve(project));
    });
  return [...inherited, ...node.members];
}

function optionRow(name, members) {
  const member = members.get(name);
  if (member === undefined) throw new Error(`There is no option ${name}`);
  const [marked, type, said] = memberCells(member);
  const preset = defaultOf(docOf(member));
  const isShare = docOf(member) === "" && name.endsWith("Share");
  const what = isShare ? `\`${name.replace("Share", "Tokens")}\` as a share.` : said;
  const none = !isShare && marked.endsWith("?") ? "none" : "";
  return `| \`${name}\` | ${type} | ${unitOf(name, textOf(member))} | ${cellText(preset ?? none)} | ${withoutStage(what)} |`;
}

/** What an entry exports: functions and values first, then types, each in the order of the file. */
function exportsOf({ file }) {
  const module = checker.getSymbolAtLocation(program.getSourceFile(file));
  return checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.declarations.some((one) => one.kind === SyntaxKind.ExportSpecifier)
      ? checker.getAliasedSymbol(symbol)
      : symbol;
    return { name: symbol.name, node: behindDoor(target.declarations[0].resolve(project)) };
  });
}

/** The function that `door` of `src/entry/rules.ts` looks at the arguments of. */
function behindDoor(node) {
  const { initializer } = node;
  if (initializer?.expression === undefined || textOf(initializer.expression) !== "door")
    return node;
  const inner = checker.getSymbolAtLocation(initializer.arguments[0].name);
  const isAlias = inner.declarations.some((one) => one.kind === SyntaxKind.ExportSpecifier);
  const target = isAlias ? checker.getAliasedSymbol(inner) : inner;
  return target.declarations[0].resolve(project);
}

function contents() {
  const rows = entries.map((entry) => {
    const values = exportsOf(entry).filter(({ node }) => isValue(node));
    return `| [\`${entry.name}\`](#${anchor(entry.name)}) | ${values.map(({ name }) => `\`${name}\``).join(", ")} |`;
  });
  return `| entry | values |\n| --- | --- |\n${rows.join("\n")}\n`;
}

function section(entry) {
  const all = exportsOf(entry);
  const values = all.filter(({ node }) => isValue(node)).map(valueText);
  const types = all.filter(({ node }) => !isValue(node)).map(typeText);
  return [`## ${entry.name}\n`, ...values, ...types].join("\n");
}

function isValue({ kind }) {
  return kind !== SyntaxKind.InterfaceDeclaration && kind !== SyntaxKind.TypeAliasDeclaration;
}

function valueText({ name, node }) {
  const doc = docOf(node);
  return `### ${name}\n\n${code(signature(name, node))}\n${paragraph(doc)}${exampleOf(doc)}`;
}

/** A declaration without its body. */
function signature(name, node) {
  if (node.kind === SyntaxKind.FunctionDeclaration) return untilBody(node).replace(/^export /, "");
  if (node.kind === SyntaxKind.ClassDeclaration) return untilBody(node).replace(/^export /, "");
  const type = node.type === undefined ? typeOf(node) : textOf(node.type);
  return `const ${name}: ${type}`;
}

function untilBody(node) {
  const text = textOf(node);
  const end = node.body?.pos ?? node.members?.pos;
  return end === undefined ? text : text.slice(0, end - startOf(node)).replace(/\s*\{?\s*$/, "");
}

function typeText({ name, node }) {
  const doc = paragraph(docOf(node));
  const isObject = node.kind === SyntaxKind.InterfaceDeclaration;
  if (!isObject) return `### ${name}\n\n${code(rawText(node).replace(/^export /, ""))}\n${doc}`;
  const heritage = (node.heritageClauses ?? []).map((clause) => inOneLine(textOf(clause)));
  const more = heritage.length === 0 ? "" : `\`${heritage.join(" ")}\`, and:\n\n`;
  const rows = [...node.members].map(memberRow);
  const table = `| member | type | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
  return `### ${name}\n\n${doc === "" ? "" : `${doc}\n`}${rows.length === 0 ? "" : more + table}`;
}

/** The group says the stage. */
function withoutStage(words) {
  const rest = words.replace(/^T\d+: /, "");
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

function memberRow(member) {
  const [name, type, words] = memberCells(member);
  const preset = defaultOf(docOf(member));
  const said = [words, preset === undefined ? "" : `Default: ${cellText(preset)}`].filter(Boolean);
  return `| \`${name}\` | ${type} | ${said.join(" ")} |`;
}

/** Name, type and words of a member. */
function memberCells(member) {
  const doc = docOf(member);
  const name = member.name === undefined ? inOneLine(textOf(member)) : textOf(member.name);
  const whole = inOneLine(textOf(member))
    .replace(/^readonly /, "")
    .replace(/;$/, "");
  const type = whole.slice(name.length).replace(/^\??:?\s*/, "");
  const words = inOneLine(firstParagraph(doc).replace(/\s*@default[^]*$/, ""));
  const mark = whole.slice(name.length).startsWith("?") ? "?" : "";
  return [`${name}${mark}`, cell(type), cellText(words)];
}

function cellText(words) {
  return words.replaceAll("|", "\\|");
}

/** Code in a cell of a table. */
function cell(type) {
  return type === "" ? "" : `\`${type.replaceAll("|", "\\|")}\``;
}

function docOf(node) {
  const own = node.kind === SyntaxKind.VariableDeclaration ? node.parent.parent : node;
  const { text } = own.getSourceFile();
  const lead = text.slice(own.pos, startOf(own));
  const [, comment = ""] = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*$/.exec(lead) ?? [];
  return comment.replace(/^[ \t]*\* ?/gm, "").trim();
}

function firstParagraph(doc) {
  return doc.split(/\n\s*\n|\n@(?!default)/)[0];
}

function defaultOf(doc) {
  const [, text] = /@default\s+([^]*?)(?:\n\s*@|\n\s*\n|$)/.exec(doc) ?? [];
  return text && inOneLine(text);
}

/** A program, which a test runs; signatures are none. */
function exampleOf(doc) {
  const [, text] = /@example\n([^]*?)(?:\n@|$)/.exec(doc) ?? [];
  return text === undefined ? "" : `\n\`\`\`ts\n${text.trimEnd()}\n\`\`\`\n`;
}

function paragraph(doc) {
  const words = inOneLine(firstParagraph(doc)).replace(/\{@link ([^}]*)\}/g, "`$1`");
  return words === "" ? "" : `${words}\n`;
}

function typeOf(node) {
  return checker.typeToString(checker.getTypeAtLocation(node));
}

function startOf(node) {
  return node.getStart();
}

function textOf(node) {
  return withoutComments(rawText(node));
}

function rawText(node) {
  return node.getSourceFile().text.slice(startOf(node), node.end);
}

/** Comments of members have rows of their own. */
function withoutComments(text) {
  return text.replace(/\s*\/\*\*(?:(?!\*\/)[^])*\*\//g, "");
}

function inOneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}

function code(text) {
  return `\`\`\`typescript\n${text.trim()}\n\`\`\`\n`;
}

function anchor(name) {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}
