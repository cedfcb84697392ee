/** Stores originals of three megabytes and tells of them in the journal, until it is killed. */
import { openArchive } from "../../src/archive/open.ts";

const [address = ""] = process.argv.slice(2);
const archive = (await openArchive(address)).conversation("killed");
for (let at = 0; ; at++) {
  const { handle } = await archive.put("out", `${process.pid} ${at} `.repeat(250_000));
  await archive.journal?.append({ handle });
  process.send?.("stored");
}
