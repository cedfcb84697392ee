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
  return readRecords(line)[0].fields;
}

/**
 * Reads a CSV text. A field in double quotes may hold line breaks.
 *
 * @param {string} text
 * @returns {{
 *   header: string[],
 *   rows: Record<string, string>[],
 *   lines: number[],
 *   problems: { line: number, message: string }[],
 * }} `lines` says for each row on which line of the file it starts
 */
export function parseCsv(text) {
  const [first, ...records] = readRecords(text);
  const header = first.fields;
  let rows = [];
  let lines = [];
  let problems = [];
  for (const { fields, line } of records) {
    if (fields.length !== header.length) {
      const message = `${fields.length} columns instead of ${header.length}`;
      problems = problems.concat([{ line, message }]);
    } else {
      rows = rows.concat([toRecord(header, fields)]);
      lines = lines.concat([line]);
    }
  }
  return { header, rows, lines, problems };
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

/** Walks over the whole text once, so that a quoted field can go over the end of a line. */
function readRecords(text) {
  const records = [];
  let record = { fields: [], line: 1 };
  let field = "";
  let quoted = false;
  let line = 1;
  const endRecord = () => {
    const fields = [...record.fields, field];
    if (fields.length > 1 || field !== "") {
      records.push({ fields, line: record.line });
    }
    record = { fields: [], line };
    field = "";
  };
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\n") {
      line += 1;
    }
    if (quoted && character === '"' && text[index + 1] === '"') {
      field += '"';
      index += 1;
    } else if (character === '"') {
      quoted = !quoted;
    } else if (character === "," && !quoted) {
      record.fields.push(field);
      field = "";
    } else if (character === "\n" && !quoted) {
      endRecord();
    } else {
      field += character;
    }
  }
  endRecord();
  return records;
}

function toRecord(header, fields) {
  return Object.fromEntries(header.map((name, index) => [name, fields[index]]));
}

function quoteField(value) {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
