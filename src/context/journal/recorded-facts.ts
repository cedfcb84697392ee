import { createLedgerSum, type Ledger, type MergeOptions } from "../../core/ledger/index.ts";
import type { Branch } from "./journal-branches.ts";

/**
 * The facts of all records of a journal that grows, or loses its newest records and grows again. It
 * reads each record once, so that the thousandth edit costs what the first did.
 */
export function createRecordedFacts(options: MergeOptions): (records: Branch) => Ledger {
  let counted: Branch = [];
  let sum = createLedgerSum(options);
  return (records) => {
    const goesOn = counted.at(-1) === records[counted.length - 1];
    if (!goesOn) {
      counted = [];
      sum = createLedgerSum(options);
    }
    for (const { facts } of records.slice(counted.length)) sum.add(facts);
    counted = records;
    return sum.ledger();
  };
}
