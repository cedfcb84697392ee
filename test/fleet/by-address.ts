/** An agent whose archive is given by its address: prints what each of its steps did, and ends. */
import { createContext } from "../../src/index.ts";
import { work } from "./replicas.ts";

const [archive = "", conversation = ""] = process.argv.slice(2);
const context = createContext({ window: 24_000, conversation, archive });
const reports = [];
for (const steps of [10, 45, 46]) reports.push((await context.prepare(work(steps))).report);
const { messages } = await context.prepare(work(46));
const actions = reports.map(({ action }) => action);
const failures = reports.flatMap((report) => report.failures);
const [stored] = await context.archive.list();
const text = await context.recall(stored?.handle ?? "");
console.log(JSON.stringify({ actions, failures, messages, characters: text.length }));
