/**
 * Reading and writing CSV: comma, double quotes, a header line.
 */

/**
 * Splits one line into fields. A field in double quotes may hold commas; two double quotes in it stand
 * for one.
 *
 * @param {string} line
 * @returns {string[]}
 */
export function splitLine(line) {
  const fields = [];
  let field = "";
  let quoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index];
    if (quoted && character === '"' && line[index + 1] === '"') {
      field += '"';
      index += 1;
    } else if (character === '"') {
      quoted = !quoted;
    } else if (character === "," && !quoted) {
      fields.push(field);
      field = "";
    } else {
      field += character;
    }
  }
  fields.push(field);
  return fields;
}

/**
 * Reads a CSV text.
 *
 * @param {string} text
 * @returns {{ header: string[], rows: Record<string, string>[], problems: { line: number, message: string }[] }}
 */
export function parseCsv(text) {
  const lines = text.split(/\r?\n/);
  const header = splitLine(lines[0]);
  let rows = [];
  let problems = [];
  lines.slice(1).forEach((line, index) => {
    if (line === "") {
      return;
    }
    const fields = splitLine(line);
    if (fields.length !== header.length) {
      const message = `${fields.length} columns instead of ${header.length}`;
      problems = problems.concat([{ line: index + 2, message }]);
      return;
    }
    rows = rows.concat([toRecord(header, fields)]);
  });
  return { header, rows, problems };
}

/**
 * Writes a CSV text.
 *
 * @param {string[]} header
 * @param {(string | number)[][]} rows
 * @returns {string}
 */
export function writeCsv(header, rows) {
  const lines = [header, ...rows].map((fields) => fields.map(quoteField).join(","));
  return `${lines.join("\n")}\n`;
}

function toRecord(header, fields) {
  return Object.fromEntries(header.map((name, index) => [name, fields[index]]));
}

function quoteField(value) {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
