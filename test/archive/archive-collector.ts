import { collectGarbage } from "../../src/archive/retention.ts";

/* A process of its own for the tests: `archive-collector.ts FOLDER` collects everything it may. */
const [folder = ""] = process.argv.slice(2);
await collectGarbage(folder, { maxAgeMs: 0 });
